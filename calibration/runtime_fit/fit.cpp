#include "calibration/runtime_fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "calibration/runtime_fit/cutting.hpp"
#include "calibration/runtime_fit/stage.hpp"
#include "calibration/statistics.hpp"

namespace corecast::runtime_fit {
namespace {

constexpr int kPasses = 2;
constexpr std::size_t kShapesForSmoothing = 8;
constexpr std::size_t kShapesForHalves = 5;
constexpr std::size_t kShapesApart = 2;
constexpr double kApart = 0.12;         // ln of the ratio by which a type misses its class
constexpr double kClearlyBetter = 9.0;  // three standard deviations, by the ratio of likelihoods
constexpr double kWeak = 0.25;          // median error of an entry that is worth a warning

using Pointers = std::vector<const Sample*>;

class Fitter {
 public:
  Fitter(const hwmodels::Machine& machine, const sim::Runtime& prior, const std::vector<Sample>& samples,
         const Tell& tell)
      : forecaster_(machine, prior), tell_(tell) {
    for (const Sample& sample : samples) {
      all_.push_back(&sample);
      if (sample.threads > 1) many_.push_back(&sample);
      if (sample.of->costs) {
        costs_.push_back(&sample);
        if (!sample.of->entry.empty()) tiny_[sample.of->entry].push_back(&sample);
      } else if (!sample.of->entry.empty()) {
        auto& list = by_entry_[sample.of->entry];
        if (list.empty()) order_.push_back(sample.of->entry);
        list.push_back(&sample);
      }
    }
  }

  RuntimeFit run() {
    for (int pass = 0; pass < kPasses; ++pass) {
      last_ = pass + 1 == kPasses;
      fit_costs(pass == 0);
      for (std::size_t i = 0; i < order_.size(); ++i) {
        const double done = (pass + static_cast<double>(i) / static_cast<double>(order_.size())) / kPasses;
        if (tell_) tell_(order_[i], done);
        fit_entry(order_[i], pass == 0);
      }
      if (pass == 0) {
        set_apart();
        fit_cuts();
      }
    }
    return result();
  }

 private:
  void keep(StageResult stage, const std::string& what) {
    for (FittedNumber& number : stage.numbers) numbers_[number.path] = std::move(number);
    if (!stage.converged && last_)
      warnings_.push_back(
          fmt::format("the fit of {} did not converge ({}): it stays as it was", what, stage.message));
  }

  // The prior is that of the file, in every pass; the start is where the last pass ended.
  void restore_prior(std::vector<Knob>& knobs) {
    for (Knob& knob : knobs) {
      const auto known = first_prior_.emplace(knob.path, knob.unknown.prior).first;
      knob.unknown.prior = known->second;
    }
  }

  // `dispatch` only at first: later every kernel with a tiny case has its own, and no case depends on the common one.
  void fit_costs(bool first) {
    const auto with = [&](bool many) {
      Pointers list;
      std::copy_if(costs_.begin(), costs_.end(), std::back_inserter(list),
                   [&](const Sample* sample) { return (sample->threads > 1) == many; });
      return list;
    };
    sim::Runtime& runtime = forecaster_.runtime();
    std::vector<Knob> alone{cost_knob(runtime, "run"), cost_knob(runtime, "run_per_input")};
    if (first) alone.push_back(cost_knob(runtime, "dispatch"));
    restore_prior(alone);
    keep(fit_stage(forecaster_, std::move(alone), with(false), false), "costs");
    std::vector<Knob> fork{cost_knob(runtime, "fork")};
    restore_prior(fork);
    keep(fit_stage(forecaster_, std::move(fork), with(true), false), "costs.fork");
  }

  [[nodiscard]] static std::size_t shapes_of(const Pointers& samples) {
    std::set<std::string> names;
    for (const Sample* sample : samples) names.insert(sample->of->name);
    return names.size();
  }

  void fit_entry(const std::string& entry, bool several_starts) {
    Pointers samples = by_entry_.at(entry);
    const bool matrix =
        std::all_of(samples.begin(), samples.end(), [](const Sample* s) { return s->of->matrix; });
    const std::size_t shapes = shapes_of(samples);
    EntryKnobs which;
    which.halves = matrix && shapes >= kShapesForHalves;
    which.m_only = entry == "kernels.conv_depthwise";
    which.unpacked = entry == "kernels.gemm";
    which.smoothing = shapes >= kShapesForSmoothing;
    if (const auto tiny = tiny_.find(entry); tiny != tiny_.end()) {
      which.dispatch = true;
      samples.insert(samples.end(), tiny->second.begin(), tiny->second.end());
    }
    std::vector<Knob> knobs = knobs_of_entry(forecaster_.runtime(), entry, which);
    restore_prior(knobs);
    keep(fit_stage(forecaster_, std::move(knobs), samples, several_starts), entry);
  }

  // Types of a class that are unlike it; products keep their class, whose halves tell shapes apart.
  void set_apart() {
    const std::vector<std::string> classes = order_;
    for (const std::string& entry : classes) {
      if (!entry.starts_with("kernels.") || by_entry_.at(entry).front()->of->matrix) continue;
      std::map<std::string, Pointers> by_type;
      for (const Sample* sample : by_entry_.at(entry)) by_type[sample->of->subject].push_back(sample);
      if (by_type.size() < 2) continue;
      for (const auto& [type, samples] : by_type) set_apart_if_better(entry, type, samples);
    }
  }

  void set_apart_if_better(const std::string& entry, const std::string& type, const Pointers& samples) {
    sim::Runtime& runtime = forecaster_.runtime();
    if (shapes_of(samples) < kShapesApart || runtime.operators.contains(type)) return;
    std::vector<double> ratios;
    for (const Sample* sample : samples) ratios.push_back(std::abs(log_ratio(forecaster_, *sample)));
    std::sort(ratios.begin(), ratios.end());
    if (calibration::quantile(ratios, 0.5) < kApart) return;
    const double before = cost_of(forecaster_, samples);
    runtime.operators[type] = model_at(runtime, entry);
    const std::string own = "operators." + type;
    StageResult stage = fit_stage(forecaster_, knobs_of_entry(runtime, own, {}), samples, true);
    if (!stage.converged || before - stage.cost < kClearlyBetter) {
      runtime.operators.erase(type);
      return;
    }
    keep(std::move(stage), own);
    Pointers& rest = by_entry_.at(entry);
    std::erase_if(rest, [&](const Sample* sample) { return sample->of->subject == type; });
    by_entry_[own] = samples;
    order_.push_back(own);
    if (rest.empty()) {
      by_entry_.erase(entry);
      std::erase(order_, entry);
    }
    moved_[type] = own;
  }

  void fit_cuts() {
    for (CutResult& cut : fit_cutting(forecaster_, many_, kClearlyBetter)) {
      FittedNumber number;
      number.path = "cutting." + cut.name;
      number.value = cut.value;
      number.prior = cut.prior;
      number.status = cut.changed ? Status::fitted : Status::prior;
      number.relative_error = cut.changed ? 0.5 : 0.0;  // the scan goes by factors of two
      number.why = cut.why;
      number.cases = cut.cases;
      numbers_[number.path] = std::move(number);
    }
  }

  [[nodiscard]] std::string entry_now(const PreparedCase& of) const {
    if (of.costs) return "costs";
    const auto moved = moved_.find(of.subject);
    return moved != moved_.end() && !of.matrix && !of.entry.starts_with("operators.") ? moved->second
                                                                                      : of.entry;
  }

  RuntimeFit result() {
    RuntimeFit fit;
    fit.warnings = std::move(warnings_);
    std::map<std::string, std::vector<double>> ratios;
    std::map<std::string, std::set<std::string>> names;
    std::vector<std::string> order{"costs"};
    for (const Sample* sample : all_) {
      const std::string entry = entry_now(*sample->of);
      const double ratio = log_ratio(forecaster_, *sample);
      fit.cases.push_back({sample->of->name, entry, sample->threads, sample->seconds,
                           sample->seconds * std::exp(ratio), sample->spread});
      ratios[entry].push_back(ratio);
      names[entry].insert(sample->of->name);
      if (std::find(order.begin(), order.end(), entry) == order.end()) order.push_back(entry);
    }
    for (const std::string& entry : order) {
      if (!ratios.contains(entry)) continue;
      const std::vector<double>& list = ratios.at(entry);
      EntryResult one{entry, static_cast<int>(names.at(entry).size()), summary_of(list), 0.0};
      for (const double r : list) one.rms += r * r / static_cast<double>(list.size());
      one.rms = std::sqrt(one.rms);
      if (one.error.median > kWeak) {
        fit.warnings.push_back(
            fmt::format("{} is off by {:.0f} % in the median: its closed form does not describe it", entry,
                        100.0 * one.error.median));
      }
      fit.entries.push_back(std::move(one));
    }
    for (auto& [path, number] : numbers_) fit.numbers.push_back(std::move(number));
    fit.runtime = forecaster_.runtime();
    return fit;
  }

  Forecaster forecaster_;
  const Tell& tell_;
  Pointers all_, many_, costs_;
  std::vector<std::string> order_;
  std::map<std::string, Pointers> by_entry_, tiny_;
  std::map<std::string, std::string> moved_;  // type -> entry of its own
  std::map<std::string, double> first_prior_;
  std::map<std::string, FittedNumber> numbers_;
  std::vector<std::string> warnings_;
  bool last_ = false;
};

}  // namespace

ErrorSummary summary_of(const std::vector<double>& log_ratios) {
  ErrorSummary summary;
  summary.samples = static_cast<int>(log_ratios.size());
  if (log_ratios.empty()) return summary;
  std::vector<double> sizes, signs;
  for (const double r : log_ratios) {
    signs.push_back(std::exp(r) - 1.0);
    sizes.push_back(std::abs(signs.back()));
  }
  std::sort(sizes.begin(), sizes.end());
  std::sort(signs.begin(), signs.end());
  summary.median = calibration::quantile(sizes, 0.5);
  summary.p90 = calibration::quantile(sizes, 0.9);
  summary.worst = sizes.back();
  summary.bias = calibration::quantile(signs, 0.5);
  return summary;
}

RuntimeFit fit(const hwmodels::Machine& machine, const sim::Runtime& prior,
               const std::vector<Sample>& samples, const Tell& tell) {
  return Fitter(machine, prior, samples, tell).run();
}

HoldOut hold_out(const hwmodels::Machine& machine, const sim::Runtime& prior,
                 const std::vector<Sample>& samples, const Tell& tell) {
  constexpr int kEvery = 3;
  std::map<std::string, std::map<std::string, int>> number;  // entry -> case -> its place
  std::vector<Sample> kept;
  std::vector<const Sample*> held;
  for (const Sample& sample : samples) {
    auto& places = number[sample.of->entry];
    const int place = places.emplace(sample.of->name, static_cast<int>(places.size())).first->second;
    const bool out = !sample.of->costs && place % kEvery == kEvery - 1;
    if (out) {
      held.push_back(&sample);
    } else {
      kept.push_back(sample);
    }
  }
  const RuntimeFit fitted = runtime_fit::fit(machine, prior, kept, tell);
  const Forecaster before(machine, prior), after(machine, fitted.runtime);
  HoldOut result;
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> ratios;
  std::map<std::string, std::set<std::string>> names;
  std::vector<std::string> order;
  std::vector<double> all_before, all_after;
  for (const Sample* sample : held) {
    const std::string& entry = sample->of->entry;
    if (!ratios.contains(entry)) order.push_back(entry);
    names[entry].insert(sample->of->name);
    ratios[entry].first.push_back(log_ratio(before, *sample));
    ratios[entry].second.push_back(log_ratio(after, *sample));
    all_before.push_back(ratios[entry].first.back());
    all_after.push_back(ratios[entry].second.back());
  }
  for (const std::string& entry : order) {
    result.entries.push_back({entry, static_cast<int>(names.at(entry).size()),
                              summary_of(ratios.at(entry).first), summary_of(ratios.at(entry).second)});
  }
  result.before = summary_of(all_before);
  result.after = summary_of(all_after);
  return result;
}

}  // namespace corecast::runtime_fit
