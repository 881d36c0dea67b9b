#include <fmt/format.h>

#include <map>

#include "base/quantity_text.hpp"
#include "cli/inspect_report.hpp"
#include "cli/paragraphs.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::string share_of(double part, double whole) {
  return whole > 0.0 ? percent_text(part / whole) : "-";
}

std::string summary(const InspectReport& report, int width) {
  const graphs::Metrics& m = report.metrics;
  const graphs::Graph& graph = report.model.graph;
  const std::string gain = m.critical_path_share > 0.0 ? factor_text(1.0 / m.critical_path_share) : "nothing";
  return wrapped(fmt::format("{}, {} parameters, {} moved at least", to_short_text(graph.total_flops()),
                             count_text(static_cast<double>(graph.total_parameters())),
                             to_short_text(graph.total_traffic())),
                 width, "work           ") +
         wrapped(fmt::format("{} on {}, {} of them heavy on {}", m.operators, counted(m.levels, "level"),
                             m.heavy, counted(m.heavy_levels, "level")),
                 width, "operators      ") +
         wrapped(fmt::format("{:.2f} on average, {}{} at most (heavy operators that can run at once)",
                             m.average_width, m.max_width_exact ? "" : "at least ", m.max_width),
                 width, "width          ") +
         wrapped(fmt::format("{} with {} of the flop: overlapping all else would gain {}",
                             counted(static_cast<std::int64_t>(m.critical_path.size()), "operator"),
                             percent_text(m.critical_path_share), gain),
                 width, "critical path  ");
}

std::string class_table(const InspectReport& report, int width) {
  const Flops flops = report.model.graph.total_flops();
  const Bytes bytes = report.model.graph.total_traffic();
  std::vector<Row> rows;
  for (const auto& [kernel, row] : report.metrics.by_class) {
    rows.push_back(
        {{std::string(name_of(kernel)), std::to_string(row.count), to_short_text(row.flops),
          share_of(row.flops.value(), flops.value()), to_short_text(row.traffic),
          share_of(row.traffic.value(), bytes.value()), count_text(static_cast<double>(row.parameters))},
         ""});
  }
  return table({{"class", Align::left, true},
                {"count", Align::right},
                {"flop", Align::right},
                {"", Align::right},
                {"bytes", Align::right},
                {"", Align::right},
                {"parameters", Align::right}},
               rows, width);
}

std::string top_table(const InspectReport& report, int width) {
  const graphs::Graph& graph = report.model.graph;
  std::vector<Row> rows;
  for (const OpIndex i : report.top) {
    const graphs::Operator& op = graph.op(i);
    rows.push_back({{op.name, std::string(name_of(op.kernel)), to_short_text(op.work.flops),
                     share_of(op.work.flops.value(), graph.total_flops().value()),
                     to_short_text(op.work.traffic()), shape_text(op.output_shape)},
                    ""});
  }
  return table({{"operator", Align::left, true},
                {"class"},
                {"flop", Align::right},
                {"", Align::right},
                {"bytes", Align::right},
                {"output", Align::left, true}},
               rows, width);
}

// One line a type: a model from another framework's domain can hold hundreds of them.
std::string not_understood(const InspectReport& report, int width) {
  std::map<std::string, int> count;
  for (const OpIndex i : report.not_understood) ++count[report.model.graph.op(i).type];
  std::vector<Row> rows;
  for (const auto& [type, n] : count) rows.push_back({{type, std::to_string(n)}, ""});
  return table({{"type", Align::left, true}, {"count", Align::right}}, rows, width);
}

}  // namespace

std::string text_of(const InspectReport& report, int width) {
  std::string text = heading_of(report.model, width) + "\n";
  text += summary(report, width);
  text += "\nBy kernel class\n" + class_table(report, width);
  if (!report.top.empty()) text += "\nLargest operators\n" + top_table(report, width);
  if (!report.not_understood.empty()) {
    text += "\nNot understood: counted as a pass over their memory\n" + not_understood(report, width);
  }
  return text + messages_text("Notes", notes_of(report.model.graph), width);
}

}  // namespace corecast::cli
