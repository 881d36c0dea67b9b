// From what the sampler gives to rows.
#pragma once

#include "calibration/measurements.hpp"
#include "calibration/microbench/sampler.hpp"
#include "calibration/microbench/suite.hpp"

namespace corecast::calibration::microbench {

[[nodiscard]] SamplingOptions sampling_options(const Recorder& recorder, Seconds budget);

// `amount` of one operation (flop, bytes, cycles) over its time: rows whose unit is a rate.
void add_rates(Recorder& recorder, Row row, const Sampling& sampling, double amount);
// Time of one operation over `parts` (loads, pages): rows in seconds.
void add_times(Recorder& recorder, Row row, const Sampling& sampling, double parts);

}  // namespace corecast::calibration::microbench
