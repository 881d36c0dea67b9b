#include "cli/option_values.hpp"

#include "base/quantity_text.hpp"

namespace corecast::cli {
namespace {

constexpr long long kMostDimension = 1LL << 40;
constexpr std::size_t kMostDimensions = 32;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

long long count_of(std::string_view option, const std::string& text, long long most, long long least) {
  try {
    return parse_whole(text, "a whole number", least, most);
  } catch (const InputError&) {
    throw InputError(std::string(option),
                     fmt::format("found {}, wanted a whole number from {} to {}", quote(text), least, most));
  }
}

bool switch_of(std::string_view option, const std::string& text) {
  return word_of<bool>(option, text, {{"on", true}, {"off", false}});
}

std::pair<std::string, std::vector<std::int64_t>> shape_of(const std::string& text) {
  const auto fail = [&](std::string what) -> InputError {
    return InputError("--shape", std::move(what),
                      "wanted name=1x3x224x224: the input's name and its dimensions");
  };
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) throw fail(fmt::format("{} has no \"=\"", quote(text)));
  if (equals == 0) throw fail(fmt::format("{} has no name before \"=\"", quote(text)));
  std::vector<std::int64_t> shape;
  for (const std::string& dimension : split(text.substr(equals + 1), 'x')) {
    try {
      shape.push_back(parse_whole(dimension, "a dimension", 1, kMostDimension));
    } catch (const InputError&) {
      throw fail(fmt::format("{}: dimension {} is {}, not a whole number from 1 to {}", quote(text),
                             shape.size() + 1, quote(dimension), kMostDimension));
    }
  }
  if (shape.size() > kMostDimensions)
    throw fail(fmt::format("{} has more than {} dimensions", quote(text), kMostDimensions));
  return {text.substr(0, equals), std::move(shape)};
}

std::map<std::string, std::vector<std::int64_t>> shapes_of(const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const std::string& text : texts) {
    auto [name, shape] = shape_of(text);
    if (!shapes.emplace(name, std::move(shape)).second) {
      throw InputError("--shape", fmt::format("the shape of {} is given twice", quote(name)));
    }
  }
  return shapes;
}

}  // namespace corecast::cli
