// A number of the runtime after a fit: its value, or why it is still what it was.
#pragma once

#include <string>
#include <string_view>

namespace corecast::runtime_fit {

enum class Status { fitted, at_bound, prior };
[[nodiscard]] std::string_view name_of(Status status);

struct FittedNumber {
  std::string path;
  double value = 0.0;
  double relative_error = 0.0;  // standard error of the fit; 0 at a bound and for priors
  double prior = 0.0;
  Status status = Status::prior;
  std::string why;  // it is not fitted
  int cases = 0;
  friend bool operator==(const FittedNumber&, const FittedNumber&) = default;
};

}  // namespace corecast::runtime_fit
