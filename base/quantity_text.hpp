// Quantities as text: "12.8 GB/s" <-> BytesPerSecond.
//
// Grammar:  number [space] [prefix] unit
//   number  decimal, finite, as in JSON ("-1.5e3"); no thousands separators
//   prefix  n u m (time only, and 1e-9 1e-6 1e-3); k M G T P (1000^1..5); Ki Mi Gi Ti (1024^1..4, bytes only)
//   unit    s, B, flop, Hz, B/s, flop/s
// "GFLOP/s" and "GHz" style capitals of flop are accepted; anything else is refused with the nearest unit as
// hint.
#pragma once

#include <string>
#include <string_view>

#include "base/quantity.hpp"

namespace corecast {

// Throws InputError (without a place: the caller knows it) on wrong form, wrong unit, NaN or infinity.
template <typename Q>
[[nodiscard]] Q parse_quantity(std::string_view text);

// Round-trip text: parse_quantity(to_text(q)) == q. The prefix is the largest that leaves a number >= 1.
template <typename Q>
[[nodiscard]] std::string to_text(Q quantity);

// For people: `digits` significant digits, "12.8 GB/s".
template <typename Q>
[[nodiscard]] std::string to_short_text(Q quantity, int digits = 3);

// A finite decimal number that fills the whole text, or InputError saying what `what` wanted.
[[nodiscard]] double parse_number(std::string_view text, std::string_view what);
// A whole number within [low, high], or InputError.
[[nodiscard]] long long parse_whole(std::string_view text, std::string_view what, long long low,
                                    long long high);

}  // namespace corecast
