// Where machine and runtime files are.
#pragma once

#include <filesystem>

namespace corecast::cli {

// The first of: CORECAST_DATA from the environment (it must be right when it is set);
// <program>/../share/corecast, where an installed program finds them; the source tree's data. InputError when
// there is none.
[[nodiscard]] std::filesystem::path data_directory();

}  // namespace corecast::cli
