#include "base/quantity_text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

using namespace corecast;

namespace {
template <typename Q>
std::string problem_of(std::string_view text) {
  try {
    (void)parse_quantity<Q>(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}
}  // namespace

TEST_CASE("every prefix is read as the power it stands for") {
  CHECK(parse_quantity<BytesPerSecond>("1 PB/s").value() == 1e15);
  CHECK(parse_quantity<BytesPerSecond>("1 TB/s").value() == 1e12);
  CHECK(parse_quantity<BytesPerSecond>("1 GB/s").value() == 1e9);
  CHECK(parse_quantity<BytesPerSecond>("1 MB/s").value() == 1e6);
  CHECK(parse_quantity<BytesPerSecond>("1 kB/s").value() == 1e3);
  CHECK(parse_quantity<BytesPerSecond>("1 B/s").value() == 1.0);
  CHECK(parse_quantity<Bytes>("1 KiB").value() == 1024.0);
  CHECK(parse_quantity<Bytes>("1 MiB").value() == 1048576.0);
  CHECK(parse_quantity<Bytes>("1 GiB").value() == 1073741824.0);
  CHECK(parse_quantity<Bytes>("1 TiB").value() == 1099511627776.0);
  CHECK(parse_quantity<Seconds>("1 ms").value() == 1e-3);
  CHECK(parse_quantity<Seconds>("1 us").value() == 1e-6);
  CHECK(parse_quantity<Seconds>("1 ns").value() == 1e-9);
  CHECK(parse_quantity<Seconds>("1 s").value() == 1.0);
  CHECK(parse_quantity<Hertz>("2.5 GHz").value() == 2.5e9);
  CHECK(parse_quantity<FlopsPerSecond>("3 Tflop/s").value() == 3e12);
}

TEST_CASE("space before the unit and capital FLOP are accepted") {
  CHECK(parse_quantity<Bytes>("32KiB") == parse_quantity<Bytes>("32 KiB"));
  CHECK(parse_quantity<FlopsPerSecond>("2 GFLOP/s").value() == 2e9);
}

TEST_CASE("what is not a quantity is refused with what was wanted") {
  CHECK(problem_of<BytesPerSecond>("12 GBs") == R"(unknown unit "GBs" in "12 GBs" (did you mean "GB/s"?))");
  CHECK(problem_of<BytesPerSecond>("12") ==
        R"("12" has no unit (wanted a number with unit, such as "1.5 GB/s"))");
  CHECK(problem_of<Seconds>("fast").find("is not a number") != std::string::npos);
  CHECK(problem_of<Seconds>("").find("is not a number") != std::string::npos);
  CHECK(problem_of<Seconds>("nan s").find("is not finite") != std::string::npos);
  CHECK(problem_of<Seconds>("inf s").find("is not finite") != std::string::npos);
  CHECK(problem_of<Seconds>("1e999 s").find("out of range") != std::string::npos);
  CHECK(problem_of<Bytes>("1e300 PB").find("unknown") == std::string::npos);
  CHECK(problem_of<Bytes>("5 GiHz").find("unknown unit") != std::string::npos);
  CHECK(problem_of<Hertz>("5 GiHz").find("unknown unit") !=
        std::string::npos);  // binary prefixes are for bytes
  CHECK(problem_of<Bytes>("5 mB").find("unknown unit") != std::string::npos);  // no thousandths of a byte
}

TEST_CASE("text for people keeps three digits and steps its prefix") {
  CHECK(to_short_text(BytesPerSecond(12.84e9)) == "12.8 GB/s");
  CHECK(to_short_text(BytesPerSecond(128e9)) == "128 GB/s");
  CHECK(to_short_text(Seconds(0.0123)) == "12.3 ms");
  CHECK(to_short_text(Seconds(2.2e-7)) == "220 ns");
  CHECK(to_short_text(Bytes(0.0)) == "0.00 B");
  CHECK(to_short_text(Bytes(999.9999999999)) == "1.00 kB");
}

TEST_CASE("written quantities read back as the same number") {
  CHECK(rc::check("parse(to_text(q)) == q", [] {
    // Any finite double, through its bits.
    const auto mantissa = *rc::gen::inRange<long long>(-(1LL << 53), 1LL << 53);
    const int exponent = *rc::gen::inRange(-120, 60);
    const double value = std::ldexp(static_cast<double>(mantissa), exponent);
    RC_ASSERT(parse_quantity<Bytes>(to_text(Bytes(value))).value() == value);
    RC_ASSERT(parse_quantity<Seconds>(to_text(Seconds(value))).value() == value);
    RC_ASSERT(parse_quantity<FlopsPerSecond>(to_text(FlopsPerSecond(value))).value() == value);
  }));
}

TEST_CASE("no text crashes the parser") {
  CHECK(rc::check("parse throws InputError or answers", [](const std::string& text) {
    try {
      (void)parse_quantity<BytesPerSecond>(text);
    } catch (const InputError&) {
    }
  }));
}

TEST_CASE("whole numbers know their range") {
  CHECK(parse_whole("12", "a count", 1, 20) == 12);
  CHECK_THROWS_AS((void)parse_whole("0", "a count", 1, 20), InputError);
  CHECK_THROWS_AS((void)parse_whole("12x", "a count", 1, 20), InputError);
  CHECK_THROWS_AS((void)parse_whole("99999999999999999999", "a count", 1, 20), InputError);
  CHECK_THROWS_AS((void)parse_whole("", "a count", 1, 20), InputError);
}
