// The study's evaluation, forecast: what `corecast study` computed, for its text, its JSON and its CSV.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/forecast.hpp"
#include "sim/runtime.hpp"
#include "sim/setting.hpp"

namespace corecast::cli {

// The rules that are compared with the optimum, in the order of the columns.
inline constexpr std::array kStudyRules{"study_guideline", "intel_tensorflow", "tensorflow_guide",
                                        "tensorflow_default"};
inline constexpr std::size_t kGuideline = 0, kIntel = 1, kTensorflow = 2;

struct StudyRule {
  sim::Setting setting;
  Seconds latency{};
  [[nodiscard]] double loss(Seconds best) const { return latency / best - 1.0; }
};

// One workload on one platform.
struct StudyCase {
  std::string model;
  std::string group;
  bool training = false;
  std::string platform;
  double width = 0.0;  // average, as the study's tuner computes it
  sim::Setting pick;   // the best of the whole space by simulation: what corecast recommends
  Seconds latency{};
  std::array<StudyRule, kStudyRules.size()> rules;
};

struct Distances {  // of the optimum, rule / optimum - 1
  double median = 0.0, p90 = 0.0, p95 = 0.0, worst = 0.0;
};

// Over cases: geometric means of time ratios, and how far each rule is from the optimum.
struct StudySummary {
  std::string title;
  std::size_t cases = 0;
  double pick_over_intel = 1.0, pick_over_tensorflow = 1.0;
  double guideline_over_intel = 1.0, guideline_over_tensorflow = 1.0;
  std::array<Distances, kStudyRules.size()> distances;
};

struct StudyPlatform {
  std::string name;         // "2 x 24 cores"
  std::string description;  // of the machine
};

struct StudyReport {
  sim::Runtime runtime;
  std::int64_t batch = 1;
  std::vector<StudyPlatform> platforms;
  std::vector<StudyCase> cases;         // by model, mode, platform
  std::vector<StudySummary> summaries;  // by platform, inference and training, all
};

[[nodiscard]] StudySummary summary_of(const std::string& title, const std::vector<const StudyCase*>& cases);
[[nodiscard]] std::string text_of(const StudyReport& report, int width);
[[nodiscard]] std::string json_of(const StudyReport& report);
[[nodiscard]] std::string csv_of(const StudyReport& report);

}  // namespace corecast::cli
