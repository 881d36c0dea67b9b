// Which rows are fitted together, in which order, and from where the search starts.
#pragma once

#include <vector>

#include "calibration/fit/stage.hpp"

namespace corecast::calibration {

// What the machine must have before a row of its kind can be fitted: an entry for each library, class and
// type, and a limit for each cache that several cores share.
void prepare_machine(const Measurements& measurements, hwmodels::Machine& machine);

[[nodiscard]] Stage peak_stage(const Measurements& measurements);
[[nodiscard]] Stage cache_stage(const Measurements& measurements, const hwmodels::Machine& machine);
[[nodiscard]] Stage memory_stage(const Measurements& measurements, const hwmodels::Machine& machine);
// Kernels with rows at few core counts: their factors alone, against the memory that the stage before has fitted.
[[nodiscard]] Stage stream_stage(const Measurements& measurements, const hwmodels::Machine& machine);
[[nodiscard]] Stage thread_stage(const Measurements& measurements);
// One for each library, class and type, in that order.
[[nodiscard]] std::vector<Stage> kernel_stages(const Measurements& measurements,
                                               const hwmodels::Machine& machine);

}  // namespace corecast::calibration
