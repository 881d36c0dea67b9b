#include "calibration/profile/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "calibration/profile/families.hpp"

namespace corecast::calibration::profile {
namespace {

constexpr Seconds kTimer{1e-6};
constexpr double kLeastFactor = 0.01, kMostFactor = 1000.0;
constexpr int kRounds = 12;
constexpr double kConverged = 1e-3;

// What a group must come to, and what it comes to.
struct Target {
  Seconds nodes{};     // of its own nodes
  Seconds serial{};    // of carried ones that only move data
  double error = 0.0;  // relative, of both
};

struct Simulated {
  Seconds kernel{};
  Seconds forks{};
};

std::vector<Target> targets_of(const Profile& profile, const Matching& matching) {
  std::vector<Target> targets;
  for (const Group& group : matching.groups) {
    Target target;
    double variance = 0.0;
    const auto add = [&](std::size_t k, Seconds& to) {
      const Node& node = profile.nodes[k];
      to += node.time;
      variance += std::pow(node.relative_error * node.time.value(), 2.0);
    };
    for (const std::size_t k : group.nodes) add(k, target.nodes);
    for (const std::size_t k : group.carried) {
      add(k, is_move_family(profile.nodes[k].family) ? target.serial : target.nodes);
    }
    const Seconds all = target.nodes + target.serial;
    if (all > Seconds{}) target.error = std::sqrt(variance) / all.value();
    targets.push_back(target);
  }
  return targets;
}

// By prepared operator.
std::vector<Simulated> simulated(const sim::Evaluation& evaluation) {
  std::vector<Simulated> out(evaluation.plan.operators.size());
  for (const sim::Run& run : evaluation.timeline.runs) {
    Simulated& op = out[run.op.value()];
    for (const sim::Span& span : run.spans) {
      const Seconds length = sim::to_seconds(span.end - span.start);
      if (span.kind == sim::PhaseKind::fork_join) op.forks += length;
      if (span.kind == sim::PhaseKind::serial || span.kind == sim::PhaseKind::parallel) op.kernel += length;
    }
  }
  return out;
}

Simulated sum_of(const Group& group, const std::vector<Simulated>& operators) {
  Simulated sum;
  for (const OpIndex i : group.operators) {
    sum.kernel += operators[i.value()].kernel;
    sum.forks += operators[i.value()].forks;
  }
  return sum;
}

// The kernel's share of a measured time; never nothing, where the simulated forks exceed it.
Seconds kernel_part(const Target& target, const Simulated& now) {
  return std::max(target.nodes - now.forks, target.nodes * 0.1);
}

double weight_of(const Target& target) {
  return target.nodes / (target.nodes + kTimer);
}

double weighted_median(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  double all = 0.0, sum = 0.0;
  for (const auto& value : values) all += value.second;
  for (const auto& value : values) {
    sum += value.second;
    if (sum * 2.0 >= all) return value.first;
  }
  return 0.0;
}

// A kernel that the model says is over before a trace could tell: what was measured is the cost of calling it.
bool is_call(const Simulated& plain) {
  return !(plain.kernel > kTimer);
}

// Its factor: that of its class, but no more than the whole node took.
double call_factor(const Target& target, const Simulated& plain, double middle) {
  constexpr Seconds kLeast{3e-7};  // of a length in whole microseconds
  if (!(plain.kernel > Seconds{})) return 1.0;
  return std::min(std::exp(middle), std::max(target.nodes - plain.forks, kLeast) / plain.kernel);
}

class Fit {
 public:
  Fit(const Profile& profile, const graphs::Graph& graph, const sim::Target& target,
      const sim::Runtime& runtime, const sim::Setting& setting)
      : profile_(profile), target_(target), prepared_(sim::prepare(graph, runtime)) {
    out_.runtime = runtime;
    out_.runtime.operator_factors.clear();
    out_.setting = setting;
    out_.matching = match(profile, graph, prepared_);
    targets_ = targets_of(profile, out_.matching);
    if (profile.call) out_.runtime.run.value = std::max(out_.runtime.run.value, *profile.call);
  }

  ProfileFit run() {
    const sim::Evaluation before = evaluate();
    out_.before = before.forecast.latency;
    const std::vector<Simulated> plain = simulated(before);
    set_serial();
    iterate(plain);
    shrink(plain);
    const sim::Evaluation after = evaluate();
    out_.after = after.forecast.latency;
    sum_up(plain, after);
    warn();
    return std::move(out_);
  }

 private:
  [[nodiscard]] sim::Evaluation evaluate() const {
    return sim::evaluate(prepared_, target_, out_.runtime, out_.setting);
  }
  [[nodiscard]] const std::string& name(OpIndex i) const { return prepared_.op(i).name; }
  [[nodiscard]] sim::OperatorFactor& factor(OpIndex i) { return out_.runtime.operator_factors[name(i)]; }

  void set_serial() {
    for (std::size_t g = 0; g < targets_.size(); ++g) {
      const auto& operators = out_.matching.groups[g].operators;
      for (const OpIndex i : operators) factor(i) = {};
      factor(operators.front()).serial = targets_[g].serial;
    }
  }

  // Each round multiplies the factors by what is still missing; without threads in each other's way one round is enough.
  void iterate(const std::vector<Simulated>& plain) {
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<Simulated> now = simulated(evaluate());
      double worst = 0.0;
      for (std::size_t g = 0; g < targets_.size(); ++g) {
        const Group& group = out_.matching.groups[g];
        const Simulated sum = sum_of(group, now);
        const Seconds kernel = sum.kernel - targets_[g].serial;
        if (is_call(sum_of(group, plain)) || !(kernel > Seconds(1e-10)) || !(targets_[g].nodes > Seconds{}))
          continue;
        const double wanted = kernel_part(targets_[g], sum) / kernel;
        for (const OpIndex i : group.operators) {
          double& f = factor(i).factor;
          const double next = std::clamp(f * wanted, kLeastFactor, kMostFactor);
          worst = std::max(worst, std::abs(std::log(next / f)));
          f = next;
        }
      }
      if (worst < kConverged) return;
    }
  }

  void shrink(const std::vector<Simulated>& plain) {
    std::map<KernelClass, std::vector<std::pair<double, double>>> logs;
    for (std::size_t g = 0; g < targets_.size(); ++g) {
      const Group& group = out_.matching.groups[g];
      if (is_call(sum_of(group, plain))) continue;
      const OpIndex first = group.operators.front();
      logs[prepared_.op(first).kernel].emplace_back(std::log(factor(first).factor), weight_of(targets_[g]));
    }
    for (const auto& [kernel, values] : logs) medians_[kernel] = weighted_median(values);
    for (std::size_t g = 0; g < targets_.size(); ++g) {
      const Group& group = out_.matching.groups[g];
      const Simulated sum = sum_of(group, plain);
      const double w = is_call(sum) ? 0.0 : weight_of(targets_[g]);
      const double middle = medians_[prepared_.op(group.operators.front()).kernel];
      for (const OpIndex i : group.operators) {
        sim::OperatorFactor& f = factor(i);
        f.factor = is_call(sum) ? call_factor(targets_[g], sum, middle)
                                : std::exp(w * std::log(f.factor) + (1.0 - w) * middle);
        f.relative_error = std::hypot(targets_[g].error, is_call(sum) ? 0.0 : 1.0 - w, kTransfer);
      }
      if (is_call(sum)) {
        const Seconds left =
            targets_[g].nodes - sum.kernel * call_factor(targets_[g], sum, middle) - sum.forks;
        factor(group.operators.front()).serial += std::max(left, Seconds{});
      }
    }
    for (const OpIndex i : out_.matching.alone) {
      const auto found = medians_.find(prepared_.op(i).kernel);
      if (found == medians_.end()) continue;
      factor(i) = {std::exp(found->second), Seconds{}, std::hypot(0.3, kTransfer)};
    }
  }

  void sum_up(const std::vector<Simulated>& plain, const sim::Evaluation& after) {
    std::map<KernelClass, ClassFactor> classes;
    for (std::size_t g = 0; g < targets_.size(); ++g) {
      const Group& group = out_.matching.groups[g];
      const KernelClass kernel = prepared_.op(group.operators.front()).kernel;
      ClassFactor& c = classes[kernel];
      c.kernel = kernel;
      c.operators += static_cast<int>(group.operators.size());
      c.factor = std::exp(medians_[kernel]);
      c.measured += targets_[g].nodes + targets_[g].serial;
      const Simulated sum = sum_of(group, plain);
      c.forecast += sum.kernel + sum.forks;
    }
    for (const auto& [kernel, c] : classes) out_.classes.push_back(c);
    std::stable_sort(out_.classes.begin(), out_.classes.end(),
                     [](const ClassFactor& a, const ClassFactor& b) { return a.measured > b.measured; });
    out_.measured = profile_.in_nodes();
    for (const sim::OperatorPlan& op : after.plan.operators) out_.measured += op.dispatch;
  }

  void warn() {
    const Matching& m = out_.matching;
    if (m.weak()) {
      out_.warnings.push_back(
          {"PROFILE_WEAK",
           fmt::format("only {:.0f} % of the profile's time could be matched to operators of the model: "
                       "the rest is spread over their neighbours, and scales as they do",
                       100.0 * m.time_share)});
    }
    for (const std::string& note : profile_.notes) out_.warnings.push_back({"PROFILE_PARTS", note});
    if (profile_.used == 1) {
      out_.warnings.push_back({"PROFILE_ONE_RUN",
                               "the profile holds one run that could be used: nothing tells how far "
                               "its times scatter, and a first run is slow; profile ten"});
    }
    if (out_.setting.instances > 1 || out_.setting.mode == sim::Mode::parallel) {
      out_.warnings.push_back({"PROFILE_NOT_ALONE",
                               "the profile was taken beside other work of its kind: what that took is "
                               "divided as the model says; one instance in sequential mode tells more"});
    }
  }

  const Profile& profile_;
  const sim::Target& target_;
  graphs::Graph prepared_;
  std::vector<Target> targets_;
  std::map<KernelClass, double> medians_;  // of log f
  ProfileFit out_;
};

void check_source(const Profile& profile, const sim::Runtime& runtime) {
  const std::string wanted = profile.source == Source::onnxruntime ? "onnxruntime" : "pytorch";
  if (runtime.framework == wanted) return;
  throw InputError(
      profile.file,
      fmt::format("is a trace of {}, but the runtime is {}", name_of(profile.source), runtime.name),
      fmt::format("--runtime {}", wanted));
}

}  // namespace

std::size_t heavy_operators(const graphs::Graph& graph) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (is_heavy_family(main_family_of(graph.op(OpIndex(i)).type))) ++count;
  return count;
}

ProfileFit fit_profile(const Profile& profile, const graphs::Graph& graph, const sim::Target& target,
                       const sim::Runtime& runtime, const sim::Setting& setting) {
  check_source(profile, runtime);
  return Fit(profile, graph, target, runtime, setting).run();
}

}  // namespace corecast::calibration::profile
