#include "calibration/runtime_fit/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "sim/forecast.hpp"

namespace corecast::runtime_fit {
namespace {

constexpr std::string_view kKernels = "kernels.", kOperators = "operators.";

// The operator that the case is about: of those whose type begins with its subject the one with most to do.
const graphs::Operator* subject_of(const graphs::Graph& graph, const std::string& subject) {
  const graphs::Operator* best = nullptr;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const graphs::Operator& op = graph.op(OpIndex(i));
    if (op.type != subject && !op.type.starts_with(subject + "+")) continue;
    const auto work = [](const graphs::Operator& o) {
      return std::pair(o.work.flops.value(), o.work.traffic().value());
    };
    if (best == nullptr || work(op) > work(*best)) best = &op;
  }
  return best;
}

std::shared_ptr<const PreparedCase> prepared(const Case& one, const sim::Runtime& runtime) {
  PreparedCase result{one.name, one.subject, "", false, one.costs, sim::prepare(one.model.graph, runtime)};
  if (!one.subject.empty()) {
    // A runtime that fuses less runs the first part alone: "Add" of "Add+LayerNormalization" is not what it is about.
    const std::string last = one.subject.substr(one.subject.rfind('+') + 1);
    const graphs::Operator* op = subject_of(result.graph, one.subject);
    if (op == nullptr) op = subject_of(result.graph, last);
    if (op != nullptr) {
      result.entry = entry_of(runtime, *op);
      result.matrix = op->matrix.has_value();
    }
  }
  return std::make_shared<const PreparedCase>(std::move(result));
}

// Of the logarithm: half of what the second of the rounds is above the least. `sorted` ascending.
double spread_of(const std::vector<double>& sorted) {
  return sorted.size() < 2 ? 0.0 : 0.5 * std::log(sorted[1] / sorted[0]);
}

}  // namespace

std::string entry_of(const sim::Runtime& runtime, const graphs::Operator& op) {
  const sim::KernelModel* model = &runtime.model_of(op);
  for (const auto& [type, own] : runtime.operators) {
    if (&own == model) return std::string(kOperators) + type;
  }
  return fmt::format("{}{}", kKernels, corecast::name_of(op.kernel));
}

sim::KernelModel& model_at(sim::Runtime& runtime, const std::string& entry) {
  if (entry.starts_with(kOperators)) return runtime.operators.at(entry.substr(kOperators.size()));
  const auto kernel = kernel_class_named(entry.substr(kKernels.size()));
  CORECAST_CHECK(entry.starts_with(kKernels) && kernel.has_value(), "no such entry: {}", entry);
  return runtime.kernels.at(*kernel);
}

Samples samples_of(const Runs& runs, const sim::Runtime& runtime, const std::vector<Case>& suite) {
  Samples samples;
  std::map<std::string, std::vector<const Run*>> by_case;
  for (const Run& run : runs.runs) by_case[run.name].push_back(&run);
  for (const Case& one : suite) {
    const auto found = by_case.find(one.name);
    if (found == by_case.end()) continue;
    std::vector<const Run*> list = std::move(found->second);
    by_case.erase(found);
    std::sort(list.begin(), list.end(), [](const Run* a, const Run* b) { return a->threads < b->threads; });
    const bool is_refused = std::all_of(list.begin(), list.end(), [&](const Run* run) {
      return run->seconds.empty() && run->error == list.front()->error;
    });
    if (is_refused) {
      samples.notes.push_back(fmt::format("{} is left out: {}", one.name, list.front()->error));
      continue;
    }
    std::shared_ptr<const PreparedCase> of;
    for (const Run* run : list) {
      if (run->seconds.empty()) {
        samples.notes.push_back(
            fmt::format("{} with {} threads failed: {}", run->name, run->threads, run->error));
        continue;
      }
      if (run->threads > runs.machine.cores()) {
        samples.notes.push_back(
            fmt::format("{} ran {} threads on {} cores", run->name, run->threads, runs.machine.cores()));
        continue;
      }
      if (!of) of = prepared(one, runtime);
      std::vector<double> sorted = run->seconds;
      std::sort(sorted.begin(), sorted.end());
      samples.list.push_back({of, run->threads, sorted[(sorted.size() - 1) / 2], spread_of(sorted)});
    }
  }
  for (const auto& [name, list] : by_case)
    samples.notes.push_back(fmt::format("{} is no case of this version's suite", quote(name)));
  return samples;
}

}  // namespace corecast::runtime_fit
