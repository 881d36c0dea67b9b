#include "base/json.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "base/error.hpp"

using namespace corecast;

namespace {

// Reads {"name": text, "count": 1..9, "rate": B/s, "list": [numbers]} strictly and returns the error, or "".
std::string problem_of(std::string_view text) {
  try {
    const json::Document document = json::parse(text, "f.json");
    json::Object root = document.root().object();
    (void)root.required("name").text();
    if (const auto count = root.optional("count")) (void)count->whole(1, 9);
    if (const auto rate = root.optional("rate")) (void)rate->positive_quantity<BytesPerSecond>();
    if (const auto list = root.optional("list")) {
      for (const auto& item : list->array()) (void)item.number(0.0, 1.0);
    }
    if (const auto inner = root.optional("inner")) {
      json::Object object = inner->object();
      (void)object.optional("a/b");
      object.finish();
    }
    root.finish();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("what is asked for and there is read") {
  CHECK(problem_of(
            R"({"name": "x", "count": 3, "rate": "2 GB/s", "list": [0, 0.5, 1], "inner": {"a/b": null}})")
            .empty());
}

TEST_CASE("a mistake is told with file, place and what was wanted") {
  CHECK(problem_of(R"({"count": 3})") == R"(f.json: key "name" is missing)");
  CHECK(problem_of(R"({"name": "x", "cuont": 3})") ==
        R"(f.json: unknown key "cuont" (did you mean "count"?))");
  CHECK(problem_of(R"({"name": 3})") == "f.json: /name: wanted text, found 3");
  CHECK(problem_of(R"({"name": "x", "count": 12})") ==
        "f.json: /count: wanted a whole number from 1 to 9, found 12");
  CHECK(problem_of(R"({"name": "x", "count": 1.5})") ==
        "f.json: /count: wanted a whole number from 1 to 9, found 1.5");
  CHECK(problem_of(R"({"name": "x", "count": 18446744073709551615})").find("found 18446744073709551615") !=
        std::string::npos);
  CHECK(problem_of(R"({"name": "x", "rate": "12 GBs"})") ==
        R"(f.json: /rate: unknown unit "GBs" in "12 GBs" (did you mean "GB/s"?))");
  CHECK(problem_of(R"({"name": "x", "rate": "0 GB/s"})").find("must be greater than zero") !=
        std::string::npos);
  CHECK(problem_of(R"({"name": "x", "rate": 12})") == "f.json: /rate: wanted text, found 12");
  CHECK(problem_of(R"({"name": "x", "list": [0, 2]})") ==
        "f.json: /list/1: wanted a number from 0 to 1, found 2");
  CHECK(problem_of(R"({"name": "x", "inner": {"a~/c": 1}})").find(R"(f.json: /inner: unknown key "a~/c")") ==
        0);
  CHECK(problem_of("[1, 2]") == "f.json: wanted an object, found an array");
}

TEST_CASE("a key that stands twice is an error that names its place") {
  CHECK(problem_of(R"({"name": "x", "name": "y"})") == "f.json: /name: key stands here twice");
  CHECK(problem_of(R"({"name": "x", "inner": {"a/b": 1, "a/b": 2}})") ==
        "f.json: /inner/a~1b: key stands here twice");
  CHECK(problem_of(R"({"name": "x", "list": [{"k": 1}, {"k": 1, "k": 2}]})") ==
        "f.json: /list/1/k: key stands here twice");
}

TEST_CASE("broken text is told with the byte") {
  CHECK(problem_of("").find("f.json: not valid JSON at byte 1") == 0);
  CHECK(problem_of(R"({"name": "x")").find("f.json: not valid JSON at byte 13") == 0);
  CHECK(problem_of(R"({"name": NaN})").find("not valid JSON") != std::string::npos);
  CHECK(problem_of("{\"name\": \"\xff\"}").find("not valid JSON") != std::string::npos);
}

TEST_CASE("a number that no double holds is told by its place, not in the words of the JSON library") {
  const std::string told = "found 1e999, wanted a number of at most 1.8e+308";
  CHECK(problem_of("1e999") == "f.json: " + told);
  CHECK(problem_of("[0, 1e999]") == "f.json: /1: " + told);
  CHECK(problem_of(R"({"name": "x", "count": 1e999})") == "f.json: /count: " + told);
  CHECK(problem_of(R"({"name": "x", "list": [0, {"k": 1}, 1e999]})") == "f.json: /list/2: " + told);
  CHECK(problem_of(R"({"name": "x", "list": [{"a/b": 1e999}]})") == "f.json: /list/0/a~1b: " + told);
  CHECK(problem_of(R"({"inner": {}, "name": -1e999})").find("f.json: /name: found -1e999") == 0);
  const std::string long_one = "1" + std::string(1000, '0');
  CHECK(problem_of(long_one) ==
        "f.json: found " + long_one.substr(0, 40) + "..., wanted a number of at most 1.8e+308");
}

TEST_CASE("bottomless nesting is refused, not followed") {
  CHECK(problem_of(std::string(100000, '[')).find("nested deeper than") != std::string::npos);
}

TEST_CASE("no text crashes the reader") {
  CHECK(rc::check("reads or throws InputError", [](const std::string& text) { (void)problem_of(text); }));
  CHECK(rc::check("cut anywhere, it reads or throws InputError", [] {
    const std::string whole =
        R"({"name": "x", "count": 3, "rate": "2 GB/s", "list": [0, 0.5, 1], "inner": {"a/b": null}})";
    const auto cut = *rc::gen::inRange<std::size_t>(0, whole.size());
    RC_ASSERT(!problem_of(whole.substr(0, cut)).empty());
  }));
}
