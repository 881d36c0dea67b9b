// Measurement files of the suite: round trip, and what is refused.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "calibration/runtime_fit/runs.hpp"
#include "calibration/runtime_fit/suite_run.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::runtime_fit {
namespace {

Runs some_runs() {
  Runs runs;
  runs.date = "2026-12-03";
  runs.runtime = "onnxruntime";
  runs.framework_version = "1.30.0";
  runs.libraries = {"openblas-openmp"};
  runs.rounds = 2;
  runs.machine = test::machine("2 cores 100Gflop/s; mem 20GB/s");
  runs.runs = {{"call_1_inputs", 1, {1e-5, 1.1e-5}, ""}, {"call_1_inputs", 2, {}, "no memory"}};
  return runs;
}

std::string message_of(const std::string& text) {
  try {
    (void)parse_runs_json(text, "runs.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

// `some_runs` with one piece of its text replaced.
std::string spoilt(const std::string& piece, const std::string& by) {
  std::string text = to_json_text(some_runs());
  const auto at = text.find(piece);
  REQUIRE(at != std::string::npos);
  return text.replace(at, piece.size(), by);
}

bool has(const std::string& text, const std::string& piece) {
  CAPTURE(text);
  return text.find(piece) != std::string::npos;
}

TEST_CASE("times of the suite survive being written and read") {
  const Runs runs = some_runs();
  const Runs again = parse_runs_json(to_json_text(runs), "runs.json");
  CHECK(again.runs == runs.runs);
  CHECK(again.runtime == runs.runtime);
  CHECK(again.libraries == runs.libraries);
  CHECK(again.rounds == 2);
  CHECK(to_json_text(again) == to_json_text(runs));
}

TEST_CASE("a bad measurement file is refused with the place and what was found") {
  CHECK(has(message_of("{"), "runs.json"));
  CHECK(has(message_of(spoilt("corecast.runtime_measurements/1", "corecast.runs/7")), "/schema"));
  CHECK(has(message_of(spoilt("[1e-05,1.1e-05]", "[-1]")), "/runs/0/seconds/0"));
  CHECK(has(message_of(spoilt("[1e-05,1.1e-05]", "[0.0]")), "is not a time"));
  CHECK(has(message_of(spoilt("[1e-05,1.1e-05]", "[]")), "neither"));
  CHECK(has(message_of(spoilt("\"threads\":2", "\"threads\":0")), "/runs/1/threads"));
  CHECK(has(message_of(spoilt("\"threads\":2", "\"threads\":1")), "stands twice"));
  CHECK(has(message_of(spoilt("\"threads\":2", "\"thread\":2")), "thread"));
}

TEST_CASE("what the measuring program answers becomes runs in the suite's order") {
  const auto cases = suite();
  const std::string first = cases[0].name, second = cases[1].name;
  const std::string text = R"({"schema": "corecast.suite_runs/1",
    "context": {"cpu_model": "A CPU", "node_version": "v22", "onnxruntime_version": "1.30.0"}, "runs": [
    {"round": 0, "model": ")" +
                           second + R"(", "threads": 1, "median_ms": 2.0, "min_ms": 1.0, "timed_runs": 9},
    {"round": 0, "model": ")" +
                           first + R"(", "threads": 2, "error": "it crashed"},
    {"round": 1, "model": ")" +
                           second + R"(", "threads": 1, "median_ms": 4.0, "min_ms": 1.0, "timed_runs": 9}]})";
  const Runs runs = parse_suite_runs(text, "answer", cases);
  CHECK(runs.framework_version == "1.30.0");
  CHECK(runs.cpu == "A CPU");
  REQUIRE(runs.runs.size() == 2);
  CHECK(runs.runs[0].name == first);
  CHECK(runs.runs[0].error == "it crashed");
  CHECK(runs.runs[1].seconds == std::vector<double>{2e-3, 4e-3});
  CHECK(runs.rounds == 2);
  CHECK_THROWS_AS((void)parse_suite_runs(R"({"schema": "other/1"})", "answer", cases), InputError);
}

TEST_CASE("a program that cannot be started or fails is bad input with its own words") {
  SuiteRunOptions options;
  options.program = {"/nonexistent/program"};
  CHECK_THROWS_AS((void)run_suite({}, options), InputError);
  options.program = {"sh", "-c", "echo it is not installed >&2; exit 2"};
  try {
    (void)run_suite({}, options);
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    CHECK(has(error.what(), "it is not installed"));
  }
}

}  // namespace
}  // namespace corecast::runtime_fit
