// Evidence: forecasts held against measurements, setting by setting, and what a choice by forecast would have cost.
//
// Rows that were measured under one setting in one group are one point; its time is their median.
//   group   machine, framework, model, batch, source, seq_len, smt, placement, memory, allocator, pinning, cpu_quota as the
//           file states them, and mode. Onnxruntime's mode is part of the setting, and its version is not in the key: a pick may
//           choose both. So is `spin` always. Request::by splits by them too.
//   error   forecast / measured - 1;  absolute where it is ranked
//   bias    geometric mean of forecast / measured
//   regret  measured time at the point of the least forecast, over the least measured time of the group, minus one; of equal
//           forecasts the point with fewer threads. On throughput the same with samples per second, where instances differ.
//   rule    the same for the point that a rule names, or for the nearest one that was measured (rules.hpp)
//   noise   of a group: how far repetitions lie from their middle, relative: half of the range over the median. Of rows measured again
//           ("repeats"); else half of the stated spread of rounds ("spread"); else half of the range of single
//           iterations ("range": weak, one slow iteration makes it). The median over its points.
// Quantiles are those of calibration/statistics.hpp: linear between neighbours.
// Groups of fewer than kLeastSettings points have errors, but no regret and no correlation.
// Anchored: all forecasts of a group are scaled so that the one at a chosen point equals its measurement; errors then leave that point out.
// Groups without such a point are listed and left out of all figures.
//
// Holds for whatever the rows say of themselves: that they ran alone, on that machine, in that precision (fp32) is not checked.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/evidence/forecaster.hpp"
#include "calibration/evidence/measured.hpp"
#include "sim/search.hpp"

namespace corecast::evidence {

inline constexpr std::size_t kLeastSettings = 3;

struct GroupKey {
  std::string machine, framework, model, mode;
  long long batch = 1;
  std::string source;
  long long sequence = 0;  // 0: not stated
  std::string smt, placement, memory, allocator, pinning;
  double quota_cpus = 0.0;  // 0: none
  std::string more;         // "spin off, runtime onnxruntime": what Request::by adds
  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

struct Point {
  sim::Setting setting;
  int rows = 1;
  double measured_ms = 0.0, measured_per_s = 0.0;
  std::optional<double> repeats, spread, range;  // its noise, see above
  sim::Forecast forecast;
  double forecast_ms = 0.0;  // scaled where anchored
  double forecast_per_s = 0.0;
  bool anchor = false;
  [[nodiscard]] double error() const { return forecast_ms / measured_ms - 1.0; }
};

struct Noise {
  double floor = 0.0;
  std::string from;  // "repeats", "spread", "range", "none"
};

struct Choice {      // what a rule, or the forecast, picks
  std::string name;  // "framework_default"; empty for the forecast's pick
  std::string title;
  sim::Setting asked;  // by the rule
  std::size_t point = 0;
  bool exact = true;  // the setting itself was measured
  double regret = 0.0;
};

struct Decision {
  std::size_t best = 0;  // the point measured best
  Choice pick;
  std::vector<Choice> rules;
};

struct Group {
  GroupKey key;
  ModelForm form;
  std::string runtime;  // of most points
  int rows = 0;
  std::vector<Point> points;    // by setting
  std::optional<double> scale;  // anchored
  // Of the points that are no anchor; there is none in a group whose only point is the anchor.
  struct Errors {
    double median = 0.0, p90 = 0.0, max = 0.0;
    double bias = 1.0;
    std::size_t points = 0;
  };
  std::optional<Errors> errors;
  std::optional<double> spearman, kendall;
  std::int64_t pairs = 0;  // further apart than twice the noise
  std::optional<double> pairs_right;
  Noise noise;
  std::optional<Decision> latency, throughput;
};

struct Quantiles {
  std::size_t count = 0;
  double mean = 0.0, median = 0.0, p90 = 0.0, p95 = 0.0, max = 0.0;
};
[[nodiscard]] std::optional<Quantiles> quantiles_of(std::vector<double> values);

struct RuleSummary {
  std::string name, title;
  Quantiles regret;
  std::size_t nearest = 0;  // groups in which the nearest measured setting stood for it
};

struct DecisionSummary {
  Quantiles regret;
  std::vector<RuleSummary> rules;
};

struct Summary {
  std::size_t groups = 0, points = 0, rows = 0;
  std::optional<Quantiles> errors;  // over points, absolute
  double bias = 1.0;
  double within_interval = 0.0;  // share of points inside of the forecast's 90 % interval; not where anchored
  std::optional<DecisionSummary> latency, throughput;
};

// Settings that were measured under more than one source of a machine: largest over smallest, minus one.
struct BetweenSources {
  std::string machine;
  Quantiles difference;
};

struct Skipped {
  std::string reason;
  std::int64_t count = 0;
};

// intra_op=1,batch=8: the point of a group that is taken as measured once. With a batch, the group of that batch anchors
// all groups that are alike but for it.
struct Anchor {
  std::optional<long long> intra_op, inter_op, instances, batch;
};

struct Request {
  std::vector<MeasuredTable> tables;
  KnownMachines machines;
  std::map<std::string, std::string> unusable_machines;  // name in the data -> reason
  std::vector<sim::Runtime> runtimes;
  RuntimeChoices runtime_choices;
  std::map<std::string, std::string> graphs;  // name in the data -> file or built-in model
  std::map<std::string, std::string>
      profiles;  // name in the data -> one profiled run of the model, in the batch of the rows
  std::optional<Anchor> anchor;
  bool by_mode = false, by_inter_op = false, by_spin = false, by_runtime = false;
  std::function<void(double)> progress = [](double) {};
};

struct Evidence {
  std::int64_t rows = 0, rows_used = 0;
  std::vector<Skipped> skipped;  // most rows first
  std::vector<Group> groups;     // by key; the anchored ones where there is an anchor
  std::vector<GroupKey> not_anchored;
  Summary overall;
  std::optional<Summary> batch_1;  // those of batch 1
  std::map<std::string, Summary> by_machine, by_model;
  std::vector<BetweenSources> between_sources;
  std::size_t simulated = 0;
};

[[nodiscard]] Evidence examine(const Request& request);

}  // namespace corecast::evidence
