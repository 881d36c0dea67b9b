// Lists of CPU numbers as Linux writes them: "0-3,8,10-11".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace corecast::hwmodels {

// Numbers beyond this are garbage: Linux is built for 8,192 CPUs at the most.
inline constexpr int kMostCpuNumber = 65'535;

// Sorted, without repetitions. White space at both ends is dropped; empty text is the empty list. Throws InputError
// (without a place) for anything else that is not a list of numbers and rising ranges up to kMostCpuNumber.
[[nodiscard]] std::vector<int> parse_cpu_list(std::string_view text);

// The shortest such text of a sorted list; "none" when it is empty.
[[nodiscard]] std::string cpu_list_text(std::span<const int> cpus);

}  // namespace corecast::hwmodels
