#include "tests/sim/real_pools/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace corecast::test {
namespace {

constexpr double kNotSet =
    1000.0;  // seconds: an operator whose length is not chosen yet ends after all others

double date(sim::Picoseconds t) {
  return sim::to_seconds(t).value();
}

// By OpIndex: how many operators have to end, one after the other, before it can start.
std::vector<std::size_t> depths(const sim::Timeline& timeline) {
  std::map<sim::Picoseconds, std::size_t> longest;  // chain that ends at a date
  std::vector<std::size_t> result(timeline.runs.size());
  for (const sim::Run& run : timeline.runs) {  // ascending by start, and every run takes time
    const auto before = longest.find(run.start);
    const std::size_t depth = before == longest.end() ? 0 : before->second;
    result[run.op.value()] = depth;
    std::size_t& here = longest[run.end];
    here = std::max(here, depth + 1);
  }
  return result;
}

}  // namespace

sim::Plan plan_for(const PoolShape& shape, const std::vector<double>& lengths) {
  sim::Plan plan;
  for (const double length : lengths) {
    sim::OperatorPlan& op = plan.operators.emplace_back();
    op.threads = shape.threads_each;
    op.parallel = Seconds(length);
    op.compute = op.parallel;
  }
  plan.executor.slots = shape.slots;
  plan.executor.shared_workers = shape.slots * (shape.threads_each - 1);
  plan.executor.fixed_order = false;
  plan.executor.keep = shape.keep;
  plan.cpus = shape.slots * shape.threads_each;
  return plan;
}

std::vector<double> separate_lengths(const graphs::Graph& graph, const PoolShape& shape,
                                     const LengthRule& rule) {
  // What starts up to a date depends on the operators alone that ended before it; so the lengths are chosen in the order
  // of starts, and those chosen stay right.
  std::mt19937 random(rule.seed);
  std::vector<double> lengths(graph.size(), kNotSet);
  std::set<long> taken;
  for (std::size_t left = graph.size(); left > 0;) {
    const sim::Timeline timeline = sim::simulate(graph, plan_for(shape, lengths));
    sim::Picoseconds start = -1;
    for (const sim::Run& run : timeline.runs) {
      double& length = lengths[run.op.value()];
      if (length != kNotSet) continue;
      if (start >= 0 && run.start != start) break;
      start = run.start;
      const long first = std::lround(std::ceil((date(start) + rule.shortest) / rule.gap - 1e-6));
      const long last = std::lround(std::floor((date(start) + rule.longest) / rule.gap + 1e-6));
      std::vector<long> open;
      for (long tick = first; open.empty() || tick <= last; ++tick) {
        if (!taken.contains(tick)) open.push_back(tick);
      }
      const long end = open[random() % open.size()];
      taken.insert(end);
      length = static_cast<double>(end) * rule.gap - date(start);
      --left;
    }
  }
  return lengths;
}

std::vector<Parts> uneven_parts(const std::vector<double>& lengths, int threads, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Parts> parts;
  for (const double length : lengths) {
    Parts& of = parts.emplace_back();
    for (int i = 0; i < threads; ++i)
      of.push_back(length * (0.3 + 0.01 * static_cast<double>(random() % 51)));
    of[random() % of.size()] = length;
  }
  return parts;
}

Agreement compare(const sim::Timeline& timeline, const std::vector<RealRun>& real, const PoolCost& cost,
                  double gap) {
  const auto allowed = [&](double t, std::size_t chain) {
    return 0.02 * t + static_cast<double>(chain) * cost.per_operator();
  };
  const std::vector<std::size_t> depth = depths(timeline);
  Agreement result;
  result.simulated = date(timeline.makespan);
  double latest_before = 0.0;  // latest real start of what starts a gap or more before
  auto before = timeline.runs.begin();
  for (const sim::Run& run : timeline.runs) {
    const std::size_t op = run.op.value();
    result.real = std::max(result.real, real[op].end);
    if (run.end == timeline.makespan) result.chain = std::max(result.chain, depth[op] + 1);

    const double difference = real[op].start - date(run.start);
    if (std::abs(difference) > std::abs(result.worst_start)) result.worst_start = difference;
    if (std::abs(difference) > allowed(date(run.start), depth[op] + 1) + gap / 2) {
      result.complaint += fmt::format("  operator {} started at {:.3f} ms, simulated {:.3f} ms\n", op,
                                      real[op].start * 1e3, date(run.start) * 1e3);
    }
    for (; date(run.start) - date(before->start) > 0.999 * gap; ++before) {
      latest_before = std::max(latest_before, real[before->op.value()].start);
    }
    if (real[op].start < latest_before) {
      result.complaint += fmt::format("  operator {} started before one that should precede it\n", op);
    }
  }
  result.allowed = allowed(result.simulated, result.chain);
  const double longer = result.real - result.simulated;
  if (longer > result.allowed || longer < -1e-6) {
    result.complaint += fmt::format("  makespan {:.3f} ms, simulated {:.3f} ms, may differ by {:.3f} ms\n",
                                    result.real * 1e3, result.simulated * 1e3, result.allowed * 1e3);
  }
  return result;
}

}  // namespace corecast::test
