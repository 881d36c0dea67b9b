// The user's own setting: how it is said, and what `tune` and `simulate` answer to it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/option_values.hpp"
#include "tests/cli/process.hpp"

using namespace corecast::test;
using nlohmann::json;

namespace {

std::string model() {
  return data("two_branches.json");
}

json tuned(const std::string& current) {
  const Output output =
      program({"tune", model(), "--machine", "two-sockets", "--current", current, "--json"});
  INFO(output.err);
  REQUIRE(output.code == 0);
  return json::parse(output.out);
}

json simulated(const std::vector<std::string>& setting) {
  std::vector<std::string> line{"simulate", model(), "--machine", "two-sockets", "--json"};
  line.insert(line.end(), setting.begin(), setting.end());
  const Output output = program(line);
  INFO(output.err);
  REQUIRE(output.code == 0);
  return json::parse(output.out);
}

std::set<std::string> codes(const json& report) {
  std::set<std::string> out;
  for (const auto& advice : report["advice"]) out.insert(advice["code"].get<std::string>());
  return out;
}

void check_refused(const std::string& current, const std::string& message) {
  const Output output = program({"tune", model(), "--machine", "two-sockets", "--current", current});
  INFO(output.err);
  CHECK(output.code == 2);
  CHECK(output.out.empty());
  CHECK(output.err == "corecast: " + message + "\n");
}

}  // namespace

TEST_CASE("a current setting that cannot be read is refused by what was found and wanted") {
  check_refused("itner=2",
                "--current: found the key \"itner\", wanted one of inter, intra, mode, instances, smt, "
                "placement, spin, memory, allocator, pinning (did you mean \"inter\"?)");
  check_refused("intra=0", "--current intra: found \"0\", wanted a whole number from 1 to 65536");
  check_refused("intra=4,intra=4", "--current: \"intra\" is given twice");
  check_refused("intra=4,spin",
                "--current: found \"spin\" in \"intra=4,spin\", wanted key=value (for example "
                "inter=2,intra=8,spin=off)");
  check_refused("", "--current: found \"\", wanted key=value (for example inter=2,intra=8,spin=off)");
  check_refused(
      "placement=scater",
      "--current placement: found \"scater\", wanted compact or scatter (did you mean \"scatter\"?)");
  check_refused("memory=near", "--current memory: found \"near\", wanted first-touch or interleave");
  check_refused("allocator=jemalloc",
                "--current allocator: found \"jemalloc\", wanted framework or system or caching");
  check_refused("smt=", "--current smt: found \"\", wanted on or off");
}

TEST_CASE("what is not said of a setting is as somebody else has it") {
  using namespace corecast;
  const cli::AskedSetting asked = cli::setting_of("--current", "inter=3,spin=off,pinning=stacked");
  CHECK(asked.inter_op == 3);
  CHECK_FALSE(asked.intra_op);
  sim::Setting base;
  base.intra_op = 12;
  base.placement = sim::Placement::scatter;
  const sim::Setting setting = cli::completed(asked, base);
  CHECK(setting.mode == sim::Mode::parallel);  // more than one inter-op thread
  CHECK(setting.inter_op == 3);
  CHECK(setting.intra_op == 12);
  CHECK(setting.placement == sim::Placement::scatter);
  CHECK_FALSE(setting.spin);
  CHECK(setting.pinning == sim::Pinning::stacked);
  // A mode that is said stands; a sequential one needs no pool.
  CHECK(cli::completed(cli::setting_of("--current", "inter=3,mode=sequential"), base).inter_op == 3);
  base.mode = sim::Mode::parallel;
  base.inter_op = 8;
  CHECK(cli::completed(cli::setting_of("--current", "mode=sequential"), base).inter_op == 1);
  CHECK(cli::completed(cli::setting_of("--current", "inter=1"), base).mode == sim::Mode::sequential);
}

TEST_CASE("tune puts the current setting beside the best, with its loss and what is wrong with it") {
  const json report = tuned("intra=32");
  CHECK(report["current"]["setting"]["intra_op"] == 32);
  CHECK(report["current"]["setting"]["smt"] == true);  // more threads than the 16 CPUs
  CHECK(report["current"]["setting"]["memory"] == "first-touch");
  CHECK(report["current"]["setting"]["allocator"] == "framework");
  CHECK(report["current"]["setting"]["pinning"] == "distinct");
  const double best = report["best"]["forecast"]["latency_ms"];
  const double own = report["current"]["forecast"]["latency_ms"];
  CHECK(report["current"]["loss"].get<double>() == doctest::Approx(own / best - 1.0).epsilon(1e-4));
  CHECK(report["current"]["loss"] > 0.0);
  REQUIRE_FALSE(report["advice"].empty());
  bool found = false;
  for (const auto& advice : report["advice"]) {
    CHECK((advice["about"] == "current" || advice["about"] == "best"));
    if (advice["code"] != "OVERSUBSCRIBED") continue;
    found = true;
    CHECK(advice["about"] == "current");
    CHECK(advice["gain"] > 0.0);
    CHECK(advice["setting"]["intra_op"] <= 16);
    CHECK(advice["text"].get<std::string>().find("32 threads on 16 CPUs") == 0);
  }
  CHECK(found);
}

TEST_CASE("tune without a current setting says nothing of one") {
  const Output output = program({"tune", model(), "--machine", "two-sockets", "--json"});
  const json report = json::parse(output.out);
  CHECK_FALSE(report.contains("current"));
  for (const auto& advice : report["advice"]) CHECK_FALSE(advice.contains("about"));
}

TEST_CASE("tune prints the current setting beside the best") {
  const Output output =
      program({"tune", model(), "--machine", "two-sockets", "--current", "intra=32", "--top", "1"});
  CHECK(output.code == 0);
  for (const char* part : {"Your setting beside the best\n", "  yours  ", "  best   ",
                           "Advice for your setting\n", "  OVERSUBSCRIBED: 32 threads on 16 CPUs"}) {
    CHECK_MESSAGE(output.out.find(part) != std::string::npos, part);
  }
}

TEST_CASE("simulate takes every member of a setting and says what is wrong with it") {
  const json report = simulated({"--intra", "4", "--instances", "2", "--memory", "interleave", "--allocator",
                                 "system", "--pinning", "stacked"});
  CHECK(report["setting"]["memory"] == "interleave");
  CHECK(report["setting"]["allocator"] == "system");
  CHECK(report["setting"]["pinning"] == "stacked");
  CHECK(codes(report).contains("AFFINITY_TRAP"));
  CHECK_FALSE(codes(simulated({"--intra", "4", "--instances", "2"})).contains("AFFINITY_TRAP"));
  CHECK(codes(simulated({"--intra", "32"})).contains("OVERSUBSCRIBED"));
}
