// What the operating system grants this very process: masks and process limits are set by the shell, then asked about.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.hpp"

using namespace corecast::test;
using nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the host's affinity mask is what is granted") {
  const Output output = shell("taskset -c 0 \"$corecast\" machine show --json");
  if (output.code == 127) {
    MESSAGE("skipped: there is no taskset here");
    return;
  }
  REQUIRE(output.code == 0);
  const json granted = json::parse(output.out)["granted"];
  CHECK(granted["usable"] == json::array({0}));
  CHECK(granted["threads"] == 1);
}

TEST_CASE("a tuned setting fits the mask, and its launch line names granted CPUs only") {
  const Output output = shell("taskset -c 0 \"$corecast\" tune " + data("two_branches.json") + " --json");
  if (output.code == 127) {
    MESSAGE("skipped: there is no taskset here");
    return;
  }
  REQUIRE(output.code == 0);
  const json report = json::parse(output.out);
  CHECK(report["best"]["setting"]["intra_op"] == 1);
  CHECK(has(report["snippets"]["launch"].get<std::string>(), " 0 python serve.py"));
}

TEST_CASE("more threads than can be created here are refused") {
  // The limit counts all threads of the user: with none left, not even one thread more can be had.
  const Output asked = shell("ulimit -u 200 2>/dev/null && \"$corecast\" simulate " +
                             data("two_branches.json") + " --intra 60000");
  INFO(asked.err);
  if (asked.code == 0) {
    MESSAGE("skipped: this user's processes are not limited");
    return;
  }
  CHECK(asked.code == 2);
  CHECK(has(asked.err, "threads are needed, but only"));
}
