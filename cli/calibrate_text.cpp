#include <fmt/format.h>

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

std::string what_of(const calibration::Row& row) {
  std::string text = row.kernel;
  if (row.extension) text += fmt::format(" {}", hwmodels::name_of(*row.extension));
  if (!row.library.empty()) text += " " + row.library;
  for (const char* key : {"m", "n", "k"}) {
    if (const auto found = row.shape.find(key); found != row.shape.end()) {
      text += fmt::format(" {}={}", key, found->second);
    }
  }
  if (row.working_set > Bytes(0.0)) text += " " + to_short_text(row.working_set);
  return text + fmt::format(", {}", counted(row.threads, "thread"));
}

std::string worst_table(const CalibrateReport& report, int width) {
  std::vector<Row> rows;
  for (const calibration::Residual& residual : worst_of(*report.fit, kWorstRows)) {
    const calibration::Row& row = report.measurements.rows[residual.row];
    rows.push_back({{what_of(row), value_text(residual.measured, name_of(row.unit)),
                     value_text(residual.modelled, name_of(row.unit)),
                     fmt::format("{:+.0f} %", 100.0 * residual.relative)},
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
