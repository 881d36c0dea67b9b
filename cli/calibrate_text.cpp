#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/quantity_text.hpp"
#include "cli/calibrate_report.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

using calibration::Calibration;
using calibration::Parameter;
using calibration::Status;

constexpr std::size_t kWorstRows = 10;

std::string value_text(double value, std::string_view unit) {
  if (unit == "B/s") return to_short_text(BytesPerSecond(value));
  if (unit == "flop/s") return to_short_text(FlopsPerSecond(value));
  if (unit == "s") return to_short_text(Seconds(value));
  if (unit == "Hz") return to_short_text(Hertz(value));
  if (unit == "B") return to_short_text(Bytes(value));
  return fmt::format("{:.3g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string error_text(const Parameter& parameter) {
  return parameter.status == Status::fitted ? fmt::format("+-{:.1f} %", 100.0 * parameter.relative_error)
                                            : "-";
}

std::string parameter_table(const CalibrateReport& report, int width) {
  std::vector<Row> rows;
  int left = 0;
  for (const Parameter& parameter : report.fit->parameters) {
    if (!report.full && parameter.status != Status::fitted) {
      ++left;
      continue;
    }
    rows.push_back({{parameter.path, value_text(parameter.value, parameter.unit), error_text(parameter),
                     value_text(parameter.prior, parameter.unit), std::to_string(parameter.rows),
                     std::string(name_of(parameter.status))},
                    parameter.why});
  }
  std::string text = table({{"parameter", Align::left, true},
                            {"value", Align::right},
                            {"error", Align::right},
                            {"before", Align::right},
                            {"rows", Align::right},
                            {"status"}},
                           rows, width, 0);
  if (left > 0) {
    text += wrapped(
        fmt::format("{} not fitted, at the values they had before: --report lists them with the reason.",
                    counted(left, "parameter")),
        width);
  }
  return text;
}

std::string group_table(const char* title, const std::vector<calibration::ResidualGroup>& groups, int width) {
  std::vector<Row> rows;
  for (const calibration::ResidualGroup& group : groups) {
    rows.push_back({{group.name, std::to_string(group.rows), percent_text(group.median),
                     percent_text(group.p95), percent_text(group.worst)},
                    ""});
  }
  return table({{title, Align::left, true},
                {"rows", Align::right},
                {"median", Align::right},
                {"p95", Align::right},
                {"worst", Align::right}},
               rows, width, 0);
}

// --- a row in few words: of rows shown together, what tells them apart stands where no column cut reaches ---

using Fields = std::vector<std::string>;

// "1280^3", "128x1000x4096"; nothing without a product.
std::string shape_text(const std::map<std::string, std::int64_t>& shape) {
  Fields sizes;
  for (const char* key : {"m", "n", "k"}) {
    if (const auto found = shape.find(key); found != shape.end()) {
      sizes.push_back(std::to_string(found->second));
    }
  }
  if (sizes.size() == 3 && sizes[0] == sizes[1] && sizes[1] == sizes[2]) return sizes[0] + "^3";
  return fmt::format("{}", fmt::join(sizes, "x"));
}

std::string working_set_text(const calibration::Row& row) {
  return row.working_set > Bytes(0.0) ? to_short_text(row.working_set) : "";
}

// "domain 0->1": from the CPUs' to the memory's.
std::string domains_text(const calibration::Row& row) {
  if (!row.cpu_domain && !row.memory_domain) return "";
  const auto text = [](const std::optional<int>& index) { return index ? std::to_string(*index) : "?"; };
  return fmt::format("domain {}->{}", text(row.cpu_domain), text(row.memory_domain));
}

Fields usual_fields(const calibration::Row& row) {
  const std::string shape = shape_text(row.shape);
  return {shape.empty() ? working_set_text(row) : shape, counted(row.threads, "thread"),
          row.extension ? std::string(hwmodels::name_of(*row.extension)) : "", row.library};
}

// Told only of rows that are the same without; the last is never the same.
Fields rare_fields(const calibration::Row& row, std::size_t number) {
  return {row.type ? std::string(corecast::name_of(*row.type)) : "",
          domains_text(row),
          std::string(name_of(row.placement)),
          counted(row.cores, "core"),
          counted(row.clusters, "cluster"),
          counted(row.sockets, "socket"),
          working_set_text(row),
          row.background ? "beside " + to_short_text(*row.background) : "",
          fmt::format("row {}", number)};
}

std::string joined(const Fields& fields) {
  Fields there;
  std::copy_if(fields.begin(), fields.end(), std::back_inserter(there),
               [](const std::string& field) { return !field.empty(); });
  return fmt::format("{}", fmt::join(there, " "));
}

// Whether another row with the same key says something else in this field.
bool differs(std::size_t row, std::size_t field, const std::vector<Fields>& fields, const Fields& keys) {
  for (std::size_t other = 0; other < keys.size(); ++other) {
    if (keys[other] == keys[row] && fields[other][field] != fields[row][field]) return true;
  }
  return false;
}

// To each label the rare fields that it takes to tell the rows apart.
void add_rare(std::vector<Fields>& labels, const std::vector<Fields>& usual,
              const std::vector<Fields>& rare) {
  const std::size_t fields = rare.empty() ? 0 : rare.front().size();
  for (std::size_t field = 0; field < fields; ++field) {
    Fields known;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      known.push_back(joined(labels[i]) + "/" + joined(usual[i]));
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (differs(i, field, rare, known)) labels[i].push_back(rare[i][field]);
    }
  }
}

// One a residual: kernel, rare fields, then usual ones: first those in which rows of this kernel differ.
Fields labels_of(const std::vector<calibration::Residual>& residuals,
                 const std::vector<calibration::Row>& rows) {
  Fields kernels, out;
  std::vector<Fields> labels, usual, rare;
  for (const calibration::Residual& residual : residuals) {
    const calibration::Row& row = rows[residual.row];
    kernels.push_back(row.kernel);
    labels.push_back({row.kernel});
    usual.push_back(usual_fields(row));
    rare.push_back(rare_fields(row, residual.row));
  }
  add_rare(labels, usual, rare);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Fields common;
    for (std::size_t field = 0; field < usual[i].size(); ++field) {
      (differs(i, field, usual, kernels) ? labels[i] : common).push_back(usual[i][field]);
    }
    out.push_back(joined(labels[i]) + (joined(common).empty() ? "" : " ") + joined(common));
  }
  return out;
}

std::string worst_table(const CalibrateReport& report, int width) {
  const std::vector<calibration::Residual> worst = worst_of(*report.fit, kWorstRows);
  const Fields labels = labels_of(worst, report.measurements.rows);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < worst.size(); ++i) {
    const std::string_view unit = name_of(report.measurements.rows[worst[i].row].unit);
    rows.push_back({{labels[i], value_text(worst[i].measured, unit), value_text(worst[i].modelled, unit),
                     fmt::format("{:+.0f} %", 100.0 * worst[i].relative)},
                    ""});
  }
  return table({{"worst rows", Align::left, true},
                {"measured", Align::right},
                {"model", Align::right},
                {"", Align::right}},
               rows, width, 0);
}

std::string correlation_text(const Calibration& fit, int width) {
  std::string text;
  for (const calibration::Correlation& correlation : fit.correlations) {
    text +=
        wrapped(fmt::format("{} and {} are correlated ({:+.2f}): trust both together more than each alone",
                            correlation.first, correlation.second, correlation.value),
                width, "  ");
  }
  return text.empty() ? text : "\n" + text;
}

std::string list_text(std::string_view title, const std::vector<std::string>& lines, int width) {
  if (lines.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  for (const std::string& line : lines) text += wrapped(line, width, "  ");
  return text;
}

std::string ending(const CalibrateReport& report, int width) {
  std::string text;
  if (report.measurement_file) text += wrapped("measurements: " + report.measurement_file->string(), width);
  if (report.machine_file) {
    text += wrapped("machine file: " + report.machine_file->string(), width);
    text +=
        report.of_this_host
            ? wrapped("`corecast tune MODEL` uses it from now on.", width)
            : wrapped(fmt::format("Use it: corecast tune MODEL --machine {}", report.machine_file->string()),
                      width);
  } else if (report.fit) {
    text += wrapped("Nothing is written: -o FILE keeps the machine.", width);
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string text_of(const CalibrateReport& report, int width) {
  const calibration::Context& context = report.measurements.context;
  std::string text = wrapped(report.measurements.machine.description, width, "machine  ");
  text += wrapped(fmt::format("{}{}", context.source, context.date.empty() ? "" : ", " + context.date), width,
                  "measured ");
  std::string rows = counted(static_cast<std::int64_t>(report.measurements.rows.size()), "row");
  if (report.seconds) rows += fmt::format(" in {:.0f} s", *report.seconds);
  if (report.fit) rows += fmt::format(", {} of them with a closed form", report.fit->residuals.size());
  text += wrapped(rows, width, "         ");
  if (report.fit) {
    text += "\n" + parameter_table(report, width) + "\n" +
            group_table("model against measurement", report.fit->groups, width);
    if (report.hold_out) {
      text += "\n" + group_table("held out: every second core count", report.hold_out->groups, width);
    }
    if (report.full) text += "\n" + worst_table(report, width) + correlation_text(*report.fit, width);
  }
  text += list_text("Not measured", context.not_measured, width);
  text += list_text("Warnings", all_warnings(report), width);
  return text + ending(report, width);
}

}  // namespace corecast::cli
