#include "base/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace corecast {
namespace {

struct Prefix {
  std::string_view text;
  double factor;
};

// The only prefix table. Decimal prefixes are written out; binary ones are read, never written.
constexpr std::array<Prefix, 9> kDecimal{{{"P", 1e15},
                                          {"T", 1e12},
                                          {"G", 1e9},
                                          {"M", 1e6},
                                          {"k", 1e3},
                                          {"", 1.0},
                                          {"m", 1e-3},
                                          {"u", 1e-6},
                                          {"n", 1e-9}}};
constexpr std::array<Prefix, 4> kBinary{{{"Ki", 1024.0},
                                         {"Mi", 1024.0 * 1024.0},
                                         {"Gi", 1024.0 * 1024.0 * 1024.0},
                                         {"Ti", 1024.0 * 1024.0 * 1024.0 * 1024.0}}};

struct Unit {
  std::string_view text;
  std::string_view also;  // a second spelling that is read
  bool fractions;         // m, u, n make sense
  bool binary;            // Ki, Mi, ... make sense
};

template <typename Q>
constexpr Unit unit_of() {
  if constexpr (std::is_same_v<Q, Seconds>) return {"s", "sec", true, false};
  if constexpr (std::is_same_v<Q, Bytes>) return {"B", "byte", false, true};
  if constexpr (std::is_same_v<Q, Flops>) return {"flop", "FLOP", false, false};
  if constexpr (std::is_same_v<Q, Hertz>) return {"Hz", "hz", false, false};
  if constexpr (std::is_same_v<Q, BytesPerSecond>) return {"B/s", "B/sec", false, true};
  if constexpr (std::is_same_v<Q, FlopsPerSecond>) return {"flop/s", "FLOP/s", false, false};
}

template <typename Visit>
void for_each_spelling(const Unit& unit, Visit visit) {
  for (const auto& prefix : kDecimal) {
    if (prefix.factor < 1.0 && !unit.fractions) continue;
    if (prefix.factor > 1.0 && unit.fractions) continue;  // "ks" is nobody's unit of time
    visit(prefix, unit.text);
    visit(prefix, unit.also);
  }
  if (!unit.binary) return;
  for (const auto& prefix : kBinary) visit(prefix, unit.text);
}

double finite_number(std::string_view text, std::string_view& rest, std::string_view what) {
  double value = 0.0;
  const char* begin = text.data();
  const auto [end, code] = std::from_chars(begin, begin + text.size(), value);
  if (code == std::errc::result_out_of_range) {
    throw InputError("", fmt::format("{} is out of range for {}", quote(text), what));
  }
  if (code != std::errc{} || end == begin) {
    throw InputError("", fmt::format("{} is not a number, wanted {}", quote(text), what));
  }
  if (!std::isfinite(value))
    throw InputError("", fmt::format("{} is not finite, wanted {}", quote(text), what));
  rest = text.substr(static_cast<std::size_t>(end - begin));
  return value;
}

}  // namespace

template <typename Q>
Q parse_quantity(std::string_view text) {
  constexpr Unit unit = unit_of<Q>();
  const std::string wanted =
      fmt::format("a number with unit, such as \"1.5 {}{}\"", unit.fractions ? "m" : "G", unit.text);
  std::string_view rest;
  const double number = finite_number(text, rest, wanted);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest.empty()) throw InputError("", fmt::format("{} has no unit", quote(text)), "wanted " + wanted);
  double factor = 0.0;
  std::vector<std::string> spellings;
  for_each_spelling(unit, [&](const Prefix& prefix, std::string_view name) {
    spellings.push_back(fmt::format("{}{}", prefix.text, name));
    if (rest == spellings.back()) factor = prefix.factor;
  });
  if (factor == 0.0) {
    const std::string near = did_you_mean(rest, spellings);
    throw InputError("", fmt::format("unknown unit {} in {}", quote(rest), quote(text)),
                     near.empty() ? "wanted " + wanted : near);
  }
  const double value = number * factor;
  if (!std::isfinite(value)) throw InputError("", fmt::format("{} is out of range", quote(text)));
  return Q(value);
}

namespace {

// The prefix under which |value| reads as 1 or more; the smallest one there is when none does.
const Prefix& prefix_for(double value, const Unit& unit) {
  const Prefix* chosen = nullptr;
  for (const auto& prefix : kDecimal) {
    if (prefix.factor < 1.0 && !unit.fractions) continue;
    if (prefix.factor > 1.0 && unit.fractions) continue;
    chosen = &prefix;
    // 999.9999 would be shown as "1000", so step up a little early.
    if (std::abs(value) >= prefix.factor * (1.0 - 1e-9)) return prefix;
  }
  return value == 0.0 ? kDecimal[5] : *chosen;
}

}  // namespace

template <typename Q>
std::string to_text(Q quantity) {
  constexpr Unit unit = unit_of<Q>();
  const Prefix& prefix = prefix_for(quantity.value(), unit);
  const double scaled = quantity.value() / prefix.factor;
  // Scaling may lose the last bit: then write base units, which cannot.
  if (scaled * prefix.factor != quantity.value()) return fmt::format("{} {}", quantity.value(), unit.text);
  return fmt::format("{} {}{}", scaled, prefix.text, unit.text);
}

template <typename Q>
std::string to_short_text(Q quantity, int digits) {
  constexpr Unit unit = unit_of<Q>();
  const Prefix& prefix = prefix_for(quantity.value(), unit);
  const double scaled = quantity.value() / prefix.factor;
  // %g would switch to an exponent at 1000 and above; fixed decimals keep columns readable.
  const int whole = scaled == 0.0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(scaled)))) + 1;
  return fmt::format("{:.{}f} {}{}", scaled, std::max(0, digits - std::max(whole, 1)), prefix.text,
                     unit.text);
}

double parse_number(std::string_view text, std::string_view what) {
  std::string_view rest;
  const double value = finite_number(text, rest, what);
  if (!rest.empty())
    throw InputError("", fmt::format("{} is not a plain number, wanted {}", quote(text), what));
  return value;
}

long long parse_whole(std::string_view text, std::string_view what, long long low, long long high) {
  long long value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc{} && end == text.data() + text.size() && value >= low && value <= high) return value;
  throw InputError("", fmt::format("{} is not {}", quote(text), what),
                   fmt::format("a whole number from {} to {} is wanted", low, high));
}

#define CORECAST_INSTANTIATE(Q)                   \
  template Q parse_quantity<Q>(std::string_view); \
  template std::string to_text<Q>(Q);             \
  template std::string to_short_text<Q>(Q, int);
CORECAST_INSTANTIATE(Seconds)
CORECAST_INSTANTIATE(Bytes)
CORECAST_INSTANTIATE(Flops)
CORECAST_INSTANTIATE(Hertz)
CORECAST_INSTANTIATE(BytesPerSecond)
CORECAST_INSTANTIATE(FlopsPerSecond)
#undef CORECAST_INSTANTIATE

}  // namespace corecast
