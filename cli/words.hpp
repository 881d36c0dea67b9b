// How values are worded for people, the same in every report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/inputs.hpp"
#include "sim/advice.hpp"
#include "sim/forecast.hpp"
#include "sim/runtime.hpp"
#include "sim/setting.hpp"

namespace corecast::cli {

[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);  // "1 core", "2 cores"
[[nodiscard]] std::string count_text(double count);                            // "25.6 M", "126"
[[nodiscard]] std::string percent_text(double share);    // 0.123 -> "12 %", 0.0123 -> "1.2 %"
[[nodiscard]] std::string loss_text(double loss);        // 0 -> "best", 0.05 -> "+5.0 %", 3.2 -> "4.2 x"
[[nodiscard]] std::string rate_text(double per_second);  // three significant digits
[[nodiscard]] std::string factor_text(double factor);    // "1.23 x"

// "intra 12"; "inter 3, intra 8, parallel"; "4 x intra 6", four instances of it. "SMT" stands first, so that no
// table cuts it; other things unlike the default last: "scatter", "no spin", "interleave", "system allocator", "stacked". The batch stands above the tables.
[[nodiscard]] std::string setting_text(const sim::Setting& setting);
// Why a what-if that changed the value at `path` changed no forecast.
[[nodiscard]] std::string no_effect_text(std::string_view path);
// "gemm fp32": the kernels of its library that the machine's calibration measured.
[[nodiscard]] std::vector<std::string> measured_kernels(const sim::Runtime& runtime);
// The code with its cause: "DISABLE_SPIN (SPINNING_STEALS)".
[[nodiscard]] std::vector<sim::Message> messages_of(const std::vector<sim::Advice>& list);
// `messages` without those whose code `list` has, in words of its own.
[[nodiscard]] std::vector<sim::Message> not_told(const std::vector<sim::Message>& messages,
                                                 const std::vector<sim::Advice>& list);
// CPUs of the host that are on line, granted or not; 0 for a machine that is not this host.
[[nodiscard]] int online_cpus(const MachineInput& machine);
[[nodiscard]] std::string interval_text(const sim::Forecast& forecast);  // "28.1 to 112 ms"

}  // namespace corecast::cli
