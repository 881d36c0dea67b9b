#include "base/error.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

using namespace corecast;

TEST_CASE("the message is place, problem, hint") {
  CHECK(std::string(InputError("x.json: /a", "is wrong", "make it right").what()) ==
        "x.json: /a: is wrong (make it right)");
  CHECK(std::string(InputError("", "is wrong").what()) == "is wrong");
  CHECK(std::string(InputError("/a", "is wrong").within("x.json").what()) == "x.json: /a: is wrong");
}

TEST_CASE("a slip of the pen gets the nearest word, another word gets nothing") {
  constexpr std::array<std::string_view, 3> words{"bandwidth", "latency", "capacity"};
  CHECK(did_you_mean("bandwith", words) == R"(did you mean "bandwidth"?)");
  CHECK(did_you_mean("zzz", words).empty());
}

TEST_CASE("text from files is printed without control characters or broken bytes") {
  CHECK(quote("a\nb") == R"("a\x0ab")");
  CHECK(quote("\xff") == R"("\xff")");
  CHECK(quote("gr\xc3\xbc\xc3\x9f") == "\"gr\xc3\xbc\xc3\x9f\"");
  CHECK(quote("\xc3") == R"("\xc3")");  // cut in the middle of a character
  CHECK(quote(std::string(200, 'x')).size() < 100);
}
