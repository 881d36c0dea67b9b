// The microbenchmarks of one host: which there are, how long they may take, and their rows.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "calibration/measurements.hpp"
#include "hwmodels/host.hpp"

namespace corecast::calibration::microbench {

enum class Effort { quick, normal, thorough };

struct SuiteOptions {
  Effort effort = Effort::normal;
  std::set<Group> only;   // empty: all
  Seconds budget{100.0};  // of all groups together; shared out by group weight
  double target_spread = 0.01;
  // Called before each benchmark: what comes next, and the part of the budget that is gone, 0..1.
  std::function<void(std::string_view what, double done)> progress;
};

// What a group's function gets, and where it puts its rows. One function a group, one file each:
//   peak.cpp, bandwidth.cpp, latency.cpp, threads.cpp, library_kernels.cpp
class Recorder {
 public:
  Recorder(const hwmodels::Host& host, const SuiteOptions& options, Seconds budget);

  [[nodiscard]] const hwmodels::Host& host() const { return host_; }
  [[nodiscard]] Effort effort() const { return options_.effort; }
  [[nodiscard]] double target_spread() const { return options_.target_spread; }
  // Wall time for one of `points` equal points that the group still has before it, from what is left of its budget.
  [[nodiscard]] Seconds budget_for_one_of(int points) const;
  void begin(const std::string& what);  // progress
  void add(Row row);
  void not_measured(const std::string& what, const std::string& why);
  void warn(const std::string& text);
  void library(const std::string& name, const std::string& version);

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const Context& notes() const { return notes_; }

 private:
  const hwmodels::Host& host_;
  const SuiteOptions& options_;
  Seconds budget_{};
  Seconds started_{};  // steady clock
  std::vector<Row> rows_;
  Context notes_;
};

void measure_peak(Recorder& recorder);
void measure_bandwidth(Recorder& recorder);
void measure_latency(Recorder& recorder);
void measure_threads(Recorder& recorder);
void measure_library_kernels(Recorder& recorder);

// All groups, one after the other; context filled from the host and the groups, but for `date`.
[[nodiscard]] Measurements run_suite(const hwmodels::Host& host, const SuiteOptions& options);

}  // namespace corecast::calibration::microbench
