// Width of the reader's terminal.
#pragma once

namespace corecast::cli {

// Columns: COLUMNS from the environment when it is a sensible number, else what the terminal on standard
// output says, else 80. Between 40 and 400.
[[nodiscard]] int terminal_width();

}  // namespace corecast::cli
