// One profiled run: --profile of tune and simulate.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.hpp"
#include "tests/profile/traces.hpp"

using namespace corecast::test;
using nlohmann::json;

namespace {

std::vector<std::string> line(const std::string& command, const std::vector<std::string>& more) {
  std::vector<std::string> all{command, data("two_branches.json"), "--machine",
                               data("machines/two-sockets.json")};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Three runs of the tests' model, with a pool that the trace does not tell of.
std::string trace() {
  return onnxruntime_trace(
      std::vector<std::vector<TraceNode>>(3, {{"stem_nchwc", "Conv", 9003, "1,64,112,112"},
                                              {"left_nchwc", "Conv", 30003, "1,64,112,112"},
                                              {"right_nchwc", "Conv", 20003, "1,64,112,112"},
                                              {"join", "Concat", 2003, "1,128,112,112"},
                                              {"pool", "GlobalAveragePool", 1003, "1,128,1,1"},
                                              {"flat", "Reshape", 3, "1,128"},
                                              {"classes", "Gemm", 53, "1,1000"}}),
      "");
}

json parsed(const Output& output) {
  INFO(output.err);
  REQUIRE(output.code == 0);
  return json::parse(output.out);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("with a profile the forecast of its own setting is what was measured") {
  const Folder folder;
  const std::string file = folder.write("run.json", trace());
  const json report = parsed(program(
      line("simulate", {"--intra", "1", "--profile", file, "--profile-setting", "intra=1", "--json"})));
  const json& profile = report["profile"];
  // Nodes 9 + 30 + 20 + 2 + 1 + 0.05 ms and 2 us of dispatch for each of six operators.
  CHECK(profile["measured_ms"].get<double>() == doctest::Approx(62.062).epsilon(1e-4));
  CHECK(report["forecast"]["latency_ms"].get<double>() == doctest::Approx(62.062).epsilon(1e-2));
  CHECK(profile["forecast_ms"] == report["forecast"]["latency_ms"]);
  CHECK(profile["matched_time_share"] == 1);
  CHECK(profile["matched_operators"] == 6);
  CHECK(profile["operators"] == 6);
  CHECK(profile["runs_used"] == 2);
  CHECK(profile["event_cost_us"] == 3);
  CHECK(profile["operator_factors"].size() == 6);
}

TEST_CASE("tune ranks with the profile's factors and says what they are") {
  const Folder folder;
  const std::string file = folder.write("run.json", trace());
  const std::vector<std::string> asked{"--profile", file, "--profile-setting", "intra=1", "--top", "2"};
  const Output text = program(line("tune", asked));
  INFO(text.out);
  CHECK(text.code == 0);
  CHECK(has(text.out, "\nProfile\n  file     run.json: onnxruntime, 2 of 3 runs used, 7 nodes; intra 1\n"));
  CHECK(has(text.out, "  matched  100 % of the time, 6 of 6 operators (6 by name, 0 by shape, 0 by"));
  CHECK(has(text.out, "median factor"));
  CHECK(has(text.out, "The profile measured 6 operators"));
  std::vector<std::string> as_json = asked;
  as_json.emplace_back("--json");
  const json report = parsed(program(line("tune", as_json)));
  CHECK(report["profile"]["classes"].size() == 5);
  CHECK(report["profile"]["setting"]["intra_op"] == 1);
}

TEST_CASE("the setting of a profile is told by the file or by the user, and never guessed") {
  const Folder folder;
  const std::string silent = folder.write("silent.json", trace());
  const Output none = program(line("tune", {"--profile", silent}));
  CHECK(none.code == 2);
  CHECK(has(none.err, "corecast: --profile-setting: \"" + silent +
                          "\" does not tell how many threads its run had (give them"));
  const std::string told = folder.write(
      "told.json", onnxruntime_trace(std::vector<TraceNode>{
                       {"stem", "Conv", 9003}, {"left", "Conv", 30003}, {"right", "Conv", 20003}}));
  CHECK(parsed(program(line("simulate", {"--profile", told, "--json"})))["profile"]["setting"]["intra_op"] ==
        1);
  const Output other = program(line("tune", {"--profile", told, "--profile-setting", "intra=4"}));
  CHECK(other.code == 2);
  CHECK(has(other.err, "found intra=4, but the run in \"" + told + "\" had 1 thread"));
  CHECK(program(line("tune", {"--profile-setting", "intra=4"})).code == 1);
  const Output word = program(line("tune", {"--profile", told, "--profile-setting", "intar=4"}));
  CHECK(word.code == 2);
  CHECK(has(word.err, "--profile-setting: found the key \"intar\""));
}

TEST_CASE("a profile that is none is refused by its file") {
  const Folder folder;
  const Output missing = program(line("tune", {"--profile", folder.path("none.json")}));
  CHECK(missing.code == 2);
  CHECK(has(missing.err, "none.json: cannot open"));
  const std::string empty = folder.write("empty.json", onnxruntime_trace(std::vector<TraceNode>{}));
  const Output nothing = program(line("simulate", {"--profile", empty}));
  CHECK(nothing.code == 2);
  CHECK(has(nothing.err, "no node event: was enable_profiling on?"));
  CHECK(program(line("tune", {"--profile", ""})).code == 2);
}
