#include "calibration/microbench/sampler.hpp"

#include <cstdint>

#include "calibration/measurements.hpp"

namespace corecast::calibration::microbench {
namespace {

// A clock that stands still must not make the number grow for ever.
constexpr std::int64_t kMostOperations = std::int64_t{1} << 40U;

}  // namespace

Sampling sample(const std::function<Seconds(std::int64_t operations)>& run, const SamplingOptions& options) {
  Sampling result;
  Seconds last = run(result.operations);
  Seconds spent = last;
  while (last < options.repetition && spent < options.budget && result.operations < kMostOperations) {
    result.operations *= 2;
    last = run(result.operations);
    spent += last;
  }
  const auto per_operation = [&](Seconds time) {
    return time.value() / static_cast<double>(result.operations);
  };
  // Another one would take as long: where the budget has no room for it, the last warm-up stands.
  if (spent + last > options.budget) {
    result.seconds.push_back(per_operation(last));
    return result;
  }
  while (static_cast<int>(result.seconds.size()) < options.most && !result.reached &&
         (result.seconds.empty() || spent + last <= options.budget)) {
    last = run(result.operations);
    spent += last;
    result.seconds.push_back(per_operation(last));
    result.reached = static_cast<int>(result.seconds.size()) >= options.least &&
                     relative_spread(result.seconds) <= options.target;
  }
  return result;
}

}  // namespace corecast::calibration::microbench
