// Sizes of caches and memory for people: in powers of 1024, as they are built.
#pragma once

#include <string>

#include "base/quantity.hpp"

namespace corecast::hwmodels {

// "32 KiB", "1.38 MiB", "384 GiB": three significant digits at the most, no trailing zeros. parse_quantity reads it.
[[nodiscard]] std::string size_text(Bytes size);

}  // namespace corecast::hwmodels
