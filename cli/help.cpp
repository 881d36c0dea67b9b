#include "cli/help.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <sstream>
#include <string>

#include "cli/table.hpp"

namespace corecast::cli {
namespace {

constexpr int kNames = 26;

// Without the last line's end, which CLI11 adds.
std::string broken(const std::string& text, int width) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all += wrapped(line, width);
  if (!all.empty()) all.pop_back();
  return all;
}

class WrappedHelp : public CLI::Formatter {
 public:
  WrappedHelp() { column_width(kNames); }
  std::string make_option_desc(const CLI::Option* option) const override {
    return broken(Formatter::make_option_desc(option), kHelpWidth - kNames);
  }
  std::string make_description(const CLI::App* app) const override {
    return broken(Formatter::make_description(app), kHelpWidth) + '\n';
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::stringstream out;
    CLI::detail::format_help(out, command->get_display_name(true),
                             broken(command->get_description(), kHelpWidth - kNames), kNames);
    return out.str();
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format() {
  return std::make_shared<WrappedHelp>();
}

}  // namespace corecast::cli
