// `--help` that fits a terminal: CLI11 prints every description as one line, whatever its length.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace corecast::cli {

inline constexpr int kHelpWidth = 80;

// Descriptions broken into lines of at most kHelpWidth columns together with the names before them.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_format();

}  // namespace corecast::cli
