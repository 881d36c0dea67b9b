// Expected output kept in tests/golden, one directory a case.
#pragma once

#include <string>
#include <string_view>

namespace corecast::test {

// Empty when tests/golden/<path> holds exactly `text`; otherwise the first line that differs, both ways.
// With CORECAST_UPDATE_GOLDENS set in the environment (tests/golden/update does that) the file is written
// instead.
[[nodiscard]] std::string golden_difference(std::string_view path, const std::string& text);

}  // namespace corecast::test
