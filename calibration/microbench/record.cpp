#include "calibration/microbench/record.hpp"

#include <fmt/format.h>

#include <utility>

#include "calibration/microbench/points.hpp"

namespace corecast::calibration::microbench {
namespace {

void add(Recorder& recorder, Row row, const Sampling& sampling) {
  if (!sampling.reached) {
    append_note(row, row.samples.size() == 1 ? std::string("one repetition only: stopped by the time budget")
                                             : fmt::format("stopped by the time budget at {:.2g} % spread",
                                                           100.0 * relative_spread(row.samples)));
  }
  recorder.add(std::move(row));
}

}  // namespace

SamplingOptions sampling_options(const Recorder& recorder, Seconds budget) {
  SamplingOptions options;
  options.target = recorder.target_spread();
  options.budget = budget;
  // A repetition that takes a fifth of the budget leaves none to repeat after the doublings.
  options.repetition = std::min(options.repetition, 0.05 * budget);
  return options;
}

void add_rates(Recorder& recorder, Row row, const Sampling& sampling, double amount) {
  for (const double seconds : sampling.seconds) row.samples.push_back(amount / seconds);
  add(recorder, std::move(row), sampling);
}

void add_times(Recorder& recorder, Row row, const Sampling& sampling, double parts) {
  for (const double seconds : sampling.seconds) row.samples.push_back(seconds / parts);
  add(recorder, std::move(row), sampling);
}

}  // namespace corecast::calibration::microbench
