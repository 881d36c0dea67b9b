// What the operating system grants this very process: masks and process limits are set by the shell, then
// asked about.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/cli/process.hpp"

using namespace corecast::test;
using nlohmann::json;

namespace {

// The leak check of a sanitizer build needs a process of its own, which the limit forbids.
const Environment kNoLeakCheck{{"ASAN_OPTIONS", "detect_leaks=0"}};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool no_other_user(const Output& output) {
  if (output.code != 126 && output.code != 127) return false;
  MESSAGE("skipped: the program cannot be run as another user than root here");
  return true;
}

// As a user who may create no thread more, into m.json of the folder.
Output calibrate_without_threads(const Folder& folder, const std::string& options) {
  std::filesystem::permissions(folder.path(""), std::filesystem::perms::all);
  return shell(as_user() + "prlimit --nproc=1:1 \"$corecast\" calibrate --quick " + options + " " +
                   folder.path("m.json"),
               kNoLeakCheck);
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
  const std::string graph = data("two_branches.json");
  const Output asked = shell(
      as_user() + "prlimit --nproc=500:500 \"$corecast\" simulate " + graph + " --intra 60000", kNoLeakCheck);
  if (no_other_user(asked)) return;
  INFO(asked.err);
  CHECK(asked.code == 2);
  CHECK(has(asked.err, "60000 threads are needed, but only 500 more can be created here"));
}

TEST_CASE("where not one thread can be created, no setting is feasible: exit code 3") {
  const std::string graph = data("two_branches.json");
  const Output output = shell(as_user() + "prlimit --nproc=0:0 \"$corecast\" tune " + graph, kNoLeakCheck);
  if (no_other_user(output)) return;
  INFO(output.err);
  CHECK(output.code == 3);
  CHECK(output.out.empty());
  CHECK(has(output.err, "corecast: no setting is feasible"));
}

TEST_CASE("threads that cannot be created are told, not a fit that found nothing in their absence") {
  const Folder folder;
  const Output output = calibrate_without_threads(folder, "--only threads -o");
  if (no_other_user(output)) return;
  INFO(output.err);
  CHECK(output.code == 2);
  CHECK(output.out.empty());
  CHECK(has(output.err,
            "nothing could be measured: threads: 1 more thread wanted, but only 0 can be created: "
            "Resource temporarily unavailable; the limit is 1"));
  CHECK(folder.names().empty());
}

TEST_CASE("libraries that would end the process where threads cannot be created are not asked") {
  const Folder folder;
  const Output output =
      calibrate_without_threads(folder, "--only kernels --only latency --measurements-only");
  if (no_other_user(output)) return;
  INFO(output.err);
  CHECK(output.code == 0);
  const json context = json::parse(corecast::read_file(folder.path("m.json")))["context"];
  if (context["granted_cpus"].size() == 1) return;  // then they start no threads
  CHECK(has(context["not_measured"].dump(), "kernels: "));
  CHECK(has(context["not_measured"].dump(), "can be created"));
}

TEST_CASE("a fit for which no thread can be created says so") {
  const Output output =
      shell(as_user() + "prlimit --nproc=1:1 \"$corecast\" calibrate --from " + data("measured.json"),
            kNoLeakCheck);
  if (no_other_user(output)) return;
  CHECK(output.code == 2);
  CHECK(output.out.empty());
  CHECK(output.err ==
        "corecast: host: the fit needs one thread more, and none can be created: Resource temporarily "
        "unavailable; `ulimit -u` is 1 (raise the limit; --from fits measurements that are kept)\n");
}
