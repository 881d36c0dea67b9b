#include "calibration/profile/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "calibration/profile/families.hpp"
#include "calibration/profile/runs.hpp"
#include "calibration/statistics.hpp"

namespace corecast::calibration::profile {
namespace {

constexpr double kMicro = 1e-6;
constexpr double kResolution_us = 0.3;  // of a length cut to whole microseconds: 1 / sqrt(12)
constexpr double kErrorOfOneRun = 0.05;
constexpr double kMostIdle_us = 8.0;
constexpr double kMostShortest_us = 3.0;
constexpr double kPytorchEvent_us = 1.0;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : quantile(values, 0.5);
}

// A node's name and which of its name it is: names are not unique where the model left them empty.
using Key = std::pair<std::string, int>;

std::vector<Key> keys_of(const Run& run) {
  std::vector<Key> keys;
  std::map<std::string, int> count;
  for (const Event* node : run.nodes) keys.emplace_back(node->name, count[node->name]++);
  return keys;
}

double time_in(const Run& run) {
  double sum = 0.0;
  for (const Event* node : run.nodes) sum += node->length_us;
  return sum;
}

// Runs of the same nodes, those that took most time together.
std::vector<Run> main_runs(const std::vector<Run>& runs, Profile& profile) {
  std::map<std::vector<Key>, std::vector<Run>> groups;
  for (const Run& run : runs) {
    std::vector<Key> keys = keys_of(run);
    std::sort(keys.begin(), keys.end());
    groups[std::move(keys)].push_back(run);
  }
  const std::vector<Run>* best = nullptr;
  double longest = -1.0;
  for (const auto& [keys, group] : groups) {
    double time = 0.0;
    for (const Run& run : group) time += time_in(run);
    if (time > longest) {
      longest = time;
      best = &group;
    }
  }
  if (best->size() < runs.size()) {
    profile.notes.push_back(
        fmt::format("{} of {} runs are of other nodes (another model, or cut short) and were left out",
                    runs.size() - best->size(), runs.size()));
  }
  return *best;
}

std::vector<Run> without_first(const std::vector<Run>& runs) {
  if (runs.size() <= 2) return runs;
  std::set<std::string> seen;
  std::vector<Run> kept;
  for (const Run& run : runs)
    if (!seen.insert(run.nodes.front()->process).second) kept.push_back(run);
  return kept.empty() ? runs : kept;
}

double error_of(const std::vector<double>& samples, double middle) {
  if (!(middle > 0.0)) return 1.0;
  if (samples.size() == 1) return std::hypot(kErrorOfOneRun, kResolution_us / middle);
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - middle));
  const double sigma = 1.25 * 1.48 * median(std::move(deviations));
  return std::hypot(sigma, kResolution_us) / (std::sqrt(static_cast<double>(samples.size())) * middle);
}

// Medians by node, in the order of the last run; lengths still hold what events cost.
void fill_nodes(Profile& profile, const std::vector<Run>& runs) {
  std::map<Key, std::vector<double>> samples;
  for (const Run& run : runs) {
    const std::vector<Key> keys = keys_of(run);
    for (std::size_t i = 0; i < keys.size(); ++i) samples[keys[i]].push_back(run.nodes[i]->length_us);
  }
  Run last = runs.back();
  std::stable_sort(last.nodes.begin(), last.nodes.end(),
                   [](const Event* a, const Event* b) { return a->start_us < b->start_us; });
  const std::vector<Key> keys = keys_of(last);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Event& event = *last.nodes[i];
    const double middle = median(samples.at(keys[i]));
    Node node{
        event.name,   event.type,       family_of(event.type),    event.output,
        event.inputs, event.node_index, Seconds(middle * kMicro), error_of(samples.at(keys[i]), middle)};
    profile.nodes.push_back(std::move(node));
  }
}

double onnxruntime_event_us(const Profile& profile) {
  std::vector<double> idle, all;
  for (const Node& node : profile.nodes) {
    all.push_back(node.time.value() / kMicro);
    if (is_shape_family(node.family)) idle.push_back(all.back());
  }
  if (!idle.empty()) {
    std::sort(idle.begin(), idle.end());
    return std::min(kMostIdle_us, quantile(idle, 0.25));
  }
  return std::min(kMostShortest_us, *std::min_element(all.begin(), all.end()));
}

void take_off_events(Profile& profile, const Run& run) {
  const bool torch = profile.source == Source::pytorch;
  const double cost_us = torch ? kPytorchEvent_us : onnxruntime_event_us(profile);
  profile.event_cost = Seconds(cost_us * kMicro);
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    Seconds& time = profile.nodes[i].time;
    const Seconds events = profile.event_cost * (torch ? 1.0 + run.nested[i] : 1.0);
    time = torch ? std::max(time - events, time * 0.5) : std::max(time - events, Seconds{});
  }
}

// Before the first node and after the last; one gap between nodes belongs to the profiler and the dispatch.
std::optional<Seconds> call_of(const std::vector<Run>& runs) {
  std::vector<double> ends, gaps;
  for (const Run& run : runs) {
    if (run.whole == nullptr) return std::nullopt;
    double first = run.whole->end_us(), last = run.whole->start_us;
    std::vector<const Event*> nodes = run.nodes;
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const Event* a, const Event* b) { return a->start_us < b->start_us; });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      first = std::min(first, nodes[i]->start_us);
      last = std::max(last, nodes[i]->end_us());
      if (i > 0) gaps.push_back(std::max(0.0, nodes[i]->start_us - nodes[i - 1]->end_us()));
    }
    ends.push_back(std::max(0.0, first - run.whole->start_us) + std::max(0.0, run.whole->end_us() - last));
  }
  return Seconds(std::max(0.0, median(ends) - median(gaps)) * kMicro);
}

double length_of(const Run& run) {
  if (run.whole != nullptr) return run.whole->length_us;
  double first = run.nodes.front()->start_us, last = first;
  for (const Event* node : run.nodes) {
    first = std::min(first, node->start_us);
    last = std::max(last, node->end_us());
  }
  return last - first;
}

std::optional<int> pool_of(const std::vector<Run>& runs) {
  // Statistics list the threads that the pool has made; the most that any event knows of is its size.
  std::optional<int> most;
  for (const Run& run : runs)
    for (const Event* node : run.nodes)
      if (node->intra_op) most = std::max(most.value_or(1), *node->intra_op);
  return most;
}

[[noreturn]] void fail_empty(const Trace& trace) {
  const bool session = std::any_of(trace.events.begin(), trace.events.end(),
                                   [](const Event& e) { return e.kind == EventKind::run; });
  if (session) throw InputError(trace.file, "no node event: was enable_profiling on?");
  throw InputError(
      trace.file, fmt::format("no operator among its events ({})", trace.events.size() + trace.others),
      "wanted onnxruntime's profile (SessionOptions.enable_profiling, and at least one run) or a trace of "
      "torch.profiler with CPU activities");
}

}  // namespace

std::string_view name_of(Source source) {
  return source == Source::onnxruntime ? "onnxruntime" : "PyTorch";
}

Seconds Profile::in_nodes() const {
  Seconds sum{};
  for (const Node& node : nodes) sum += node.time;
  return sum;
}

Profile profile_of(const Trace& trace, std::size_t heavy) {
  Profile profile;
  profile.file = trace.file;
  const bool nodes = std::any_of(trace.events.begin(), trace.events.end(),
                                 [](const Event& e) { return e.kind == EventKind::node; });
  profile.source = nodes ? Source::onnxruntime : Source::pytorch;
  const std::vector<Run> all = nodes ? onnxruntime_runs(trace) : pytorch_runs(trace, heavy);
  if (all.empty()) fail_empty(trace);
  const std::vector<Run> same = main_runs(all, profile);
  const std::vector<Run> used = without_first(same);
  profile.runs = static_cast<int>(same.size());
  profile.used = static_cast<int>(used.size());
  fill_nodes(profile, used);
  std::vector<double> lengths;
  for (const Run& run : used) lengths.push_back(length_of(run));
  profile.run = Seconds(median(std::move(lengths)) * kMicro);
  take_off_events(profile, used.back());
  profile.call = call_of(used);
  profile.intra_op = pool_of(used);
  if (trace.cut_short) profile.notes.push_back("the file ends in the middle: what stands before was read");
  return profile;
}

}  // namespace corecast::calibration::profile
