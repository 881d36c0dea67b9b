#include "calibration/fit/row_model.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace corecast::calibration {
namespace {

// Program's bytes per byte on the bus are 1/2, 2/3, 3/4 where a plain store first fetches its line (write,
// copy, triad) and 1 otherwise. Seven published machines (Sandy Bridge to Zen 2) lie 3 to 20 % below that
// when saturated: turning the bus between reading and writing costs. One core alone is limited by the lines
// it keeps in flight, which stores do not wait for, so its factors are higher. Medians of those machines;
// write and the non-temporal kernels: guesses.
struct UsualFactor {
  std::string_view kernel;
  double saturated, one_core;
};
constexpr std::array<UsualFactor, 8> kUsualFactors{{{"write", 0.45, 0.7},
                                                    {"write_nt", 0.8, 0.9},
                                                    {"copy", 0.60, 0.86},
                                                    {"copy_nt", 0.9, 0.9},
                                                    {"triad", 0.72, 1.0},
                                                    {"triad_nt", 0.95, 1.0},
                                                    {"daxpy", 0.90, 1.4},
                                                    {"update", 0.82, 1.44}}};
constexpr std::string_view kPrefix = "bandwidth_factor.";
// Libraries meet several times per call, with barriers that yield or sleep.
constexpr std::string_view kForkPrefix = "fork_factor.";
constexpr double kUsualFork = 2.0;
// Of those machines about their medians; libraries differ by tens (calibration/README.md).
constexpr double kUsualFactorError = 0.15;
constexpr double kUsualForkError = 1.0;

}  // namespace

bool is_factor(const std::string& path) {
  return path.starts_with(kPrefix) || path.starts_with(kForkPrefix);
}

double usual_factor(const std::string& path) {
  if (path.starts_with(kForkPrefix)) return kUsualFork;
  const std::string rest = path.substr(kPrefix.size());
  const std::size_t dot = rest.find('.');
  const std::string kernel = rest.substr(0, dot);
  const auto* found = std::find_if(kUsualFactors.begin(), kUsualFactors.end(),
                                   [&](const UsualFactor& usual) { return usual.kernel == kernel; });
  if (found == kUsualFactors.end()) return 1.0;
  if (dot == std::string::npos) return found->saturated;
  return rest.substr(dot) == ".one_core" ? found->one_core : 1.0;
}

double usual_factor_error(const std::string& path) {
  return path.starts_with(kForkPrefix) ? kUsualForkError : kUsualFactorError;
}

std::optional<RowModel> row_model(const hwmodels::Machine& machine, const Row& row) {
  switch (row.group) {
    case Group::peak:
      return peak_row_model(machine, row);
    case Group::bandwidth:
    case Group::latency:
      if (auto model = cache_row_model(machine, row)) return model;
      return memory_row_model(machine, row);
    case Group::threads:
      return thread_row_model(machine, row);
    case Group::kernels:
      return kernel_row_model(machine, row);
  }
  return std::nullopt;
}

}  // namespace corecast::calibration
