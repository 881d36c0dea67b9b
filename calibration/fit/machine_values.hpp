// The values of a Machine by the paths of its JSON ("memory.core_bandwidth", "clock.avx512.28"), as plain
// numbers in base units, so that a fit can take any of them as an unknown and put its estimate back.
//
// Besides those of machine_paths(): kernels.LIBRARY.CLASS.TYPE.m_half and so on. On a machine with cores of
// several kinds the paths "clock...", "peak..." and "smt_gain..." mean the first kind; the other kinds are
// not fitted.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hwmodels/machine.hpp"

namespace corecast::calibration {

struct MachineValue {
  std::string path;
  std::string unit;  // "B/s", "s", "Hz", "B", "" for ratios and lengths
  double value = 0.0;
  double relative_error = 0.0;
  hwmodels::Origin origin = hwmodels::Origin::prior;
  std::string from;
};

// In the order of reports: clocks, peaks, SMT, caches, memory, link, threads, kernels.
[[nodiscard]] std::vector<MachineValue> values_of(const hwmodels::Machine& machine);

// By path; a path that the machine has not is our error.
class MachineIndex {
 public:
  explicit MachineIndex(const hwmodels::Machine& machine);
  [[nodiscard]] const MachineValue* find(const std::string& path) const;
  [[nodiscard]] const MachineValue& at(const std::string& path) const;

 private:
  std::map<std::string, MachineValue> by_path_;
};

// Value, error, origin and source of value.path.
void store(hwmodels::Machine& machine, const MachineValue& value);

[[nodiscard]] std::string clock_path(hwmodels::Extension extension, int active_cores);
[[nodiscard]] std::string cache_path(int level, const std::string& key);
// "onednn" of "oneDNN 2.6.3": the first word in lower case, as LibraryKernel names it.
[[nodiscard]] std::string library_key(const std::string& library);
[[nodiscard]] std::string kernel_path(const std::string& library, KernelClass kernel, DataType type,
                                      const std::string& key);
// Not a value of the machine: see usual_factor().
[[nodiscard]] std::string fork_factor_path(const std::string& library, KernelClass kernel, DataType type);

}  // namespace corecast::calibration
