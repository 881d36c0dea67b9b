#include <algorithm>

#include "cli/commands.hpp"
#include "cli/inspect_report.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"

namespace corecast::cli {
namespace {

std::vector<OpIndex> by_work(const graphs::Graph& graph, std::size_t most) {
  std::vector<OpIndex> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.op(OpIndex(i)).kernel != KernelClass::shape) all.emplace_back(i);
  }
  std::stable_sort(all.begin(), all.end(), [&](OpIndex a, OpIndex b) {
    const graphs::Work& mine = graph.op(a).work;
    const graphs::Work& theirs = graph.op(b).work;
    if (mine.flops != theirs.flops) return mine.flops > theirs.flops;
    return mine.traffic() > theirs.traffic();
  });
  all.resize(std::min(all.size(), most));
  return all;
}

}  // namespace

std::string run(const InspectOptions& options) {
  InspectReport report;
  {
    const Progress progress("reading " + options.model.model);
    report.model = load_model_input(options.model);
    report.metrics = graphs::measure(report.model.graph);
  }
  const graphs::Graph& graph = report.model.graph;
  report.top = by_work(graph, static_cast<std::size_t>(options.top));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!graph.op(OpIndex(i)).understood) report.not_understood.emplace_back(i);
  }
  return options.json ? json_of(report) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
