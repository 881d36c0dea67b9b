// What a row of group "kernels" says besides its samples.
#pragma once

#include <optional>
#include <string>

#include "calibration/measurements.hpp"
#include "calibration/microbench/kernel_shapes.hpp"
#include "calibration/microbench/team.hpp"

namespace corecast::calibration::microbench {

// The vector extension that a library's name for a kernel or a core tells: "brg:avx512_core",
// "jit_uni_dw:avx2", OpenBLAS' "SkylakeX"; nothing when it tells none.
[[nodiscard]] std::optional<hwmodels::Extension> extension_in(const std::string& implementation,
                                                              DataType type);

// Without samples. Working set = compulsory bytes: repeated calls on the same buffers.
[[nodiscard]] Row library_row(const std::string& library, const Problem& problem, const Seats& seats,
                              const std::string& implementation);

}  // namespace corecast::calibration::microbench
