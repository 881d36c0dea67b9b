// Parts of the text of `validate`.
#pragma once

#include <string>

#include "cli/validate_report.hpp"

namespace corecast::cli {

[[nodiscard]] std::string regret_text(double regret);    // "3.2 %", "2.4 x" where it is twice as long or more
[[nodiscard]] std::string signed_percent(double error);  // "-12 %"

// The groups with the largest errors, the picks with the largest regrets, the settings with the largest errors.
[[nodiscard]] std::string worst_text(const ValidateReport& report, int width);

}  // namespace corecast::cli
