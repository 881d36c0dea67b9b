// The contract, from corecast's side: what it makes of an adaptor that works, refuses, fails, dies, hangs and is stopped.
#include "calibration/adaptor/adaptor.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>

#include "base/error.hpp"
#include "base/file.hpp"
#include "calibration/adaptor/temporary_folder.hpp"
#include "tests/support/variable.hpp"

using namespace corecast;
using namespace corecast::adaptor;
using corecast::test::Variable;

namespace {

PlanSetting threads(int intra_op) {
  PlanSetting setting;
  setting.intra_op = intra_op;
  return setting;
}

// One, two and four threads, in two processes each: six rounds.
struct Workshop {
  Workshop() {
    plan.model_name = "net";
    plan.model_file = folder.path() / "net.onnx";
    plan.framework = "onnxruntime";
    plan.settings = {threads(1), threads(2), threads(4)};
    plan.method.processes = 2;
    request.command = {CORECAST_FAKE_ADAPTOR};
    request.plan = folder.path() / "plan.json";
    request.result = folder.path() / "runs.json";
    request.patience_s = 20.0;
    request.on_step = [this](const Step& step) { steps.push_back(step); };
  }

  Answer run(const std::string& behaviour) {
    const Variable how("FAKE_ADAPTOR", behaviour);
    write_file(request.plan, to_json_text(plan));
    return adaptor::run(request);
  }
  [[nodiscard]] int rounds() const {
    int count = 0;
    for (const Run& one : read_runs(request.result, "onnxruntime").runs) count += one.rounds;
    return count;
  }
  std::string problem(const std::string& behaviour) {
    try {
      (void)run(behaviour);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder;
  Plan plan;
  Request request;
  std::vector<Step> steps;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a plan is measured round by round, and each step is told when its result is on disk") {
  Workshop shop;
  std::vector<int> on_disk;
  shop.request.on_step = [&](const Step& step) {
    shop.steps.push_back(step);
    on_disk.push_back(shop.rounds());
  };
  CHECK(shop.run("").outcome == Outcome::complete);
  REQUIRE(shop.steps.size() == 6);
  CHECK(shop.steps.front().total == 6);
  CHECK(shop.steps.back().done == 6);
  CHECK(shop.steps[1].latency_ms == 4.0);  // 8 ms over two threads
  // The adaptor may be ahead of us by then, never behind.
  for (std::size_t i = 0; i < on_disk.size(); ++i) CHECK(on_disk[i] > static_cast<int>(i));
  const MeasuredRuns runs = read_runs(shop.request.result, "onnxruntime");
  CHECK(runs.framework == "onnxruntime-9.9");
  CHECK(runs.runs[2].setting == shop.plan.settings[2]);
  CHECK(runs.runs[2].runtime == "onnxruntime");
  // 2 ms and 2.02 ms: the median is between them, and they differ by 0.02 / 2.01.
  REQUIRE(runs.runs[2].latencies.has_value());
  CHECK(runs.runs[2].latencies->median == doctest::Approx(2.01));
  CHECK(*runs.runs[2].latencies->spread == doctest::Approx(0.02 / 2.01));
}

TEST_CASE("what a library prints between the lines is no progress") {
  Workshop shop;
  CHECK(shop.run("noise").outcome == Outcome::complete);
  CHECK(shop.steps.size() == 6);
}

TEST_CASE("a setting that fails is told with its error, and the others are measured") {
  Workshop shop;
  CHECK(shop.run("fail").outcome == Outcome::some_failed);
  const MeasuredRuns runs = read_runs(shop.request.result, "onnxruntime");
  CHECK(runs.runs[1].failure == "two threads, two faults");
  CHECK(runs.runs[1].rounds == 0);
  CHECK_FALSE(runs.runs[1].latencies.has_value());
  CHECK(runs.runs[0].rounds == 2);
  CHECK(shop.steps[1].error == "two threads, two faults");
}

TEST_CASE("an adaptor that refuses is quoted in its own words") {
  CHECK(Workshop().problem("refuse") == "the moon is not installed: run setup.sh");
}

TEST_CASE("one that dies half way leaves its rounds, and the next call measures only the rest") {
  Workshop shop;
  const std::string problem = shop.problem("crash");
  CHECK(has(problem, "fake_adaptor.py: was ended by signal 9"));
  CHECK(has(problem, "is kept"));
  CHECK(shop.rounds() == 2);
  shop.steps.clear();
  CHECK(shop.run("").outcome == Outcome::complete);
  CHECK(shop.steps.size() == 4);
  CHECK(shop.rounds() == 6);
}

TEST_CASE("one that says nothing is ended when patience is") {
  Workshop shop;
  shop.request.patience_s = 0.5;
  CHECK(has(shop.problem("hang"), "said nothing for"));
}

TEST_CASE("a budget ends it, and what was measured stays") {
  Workshop shop;
  shop.request.budget_s = 0.7;  // of six rounds of 0.2 s each
  CHECK(shop.run("slow").outcome == Outcome::out_of_budget);
  CHECK(shop.rounds() >= 1);
  CHECK(shop.rounds() < 6);
}

TEST_CASE("a signal to this process is passed on, and does not end it") {
  Workshop shop;
  shop.request.on_step = [&](const Step& step) {
    shop.steps.push_back(step);
    if (step.done == 2) std::raise(SIGINT);
  };
  CHECK(shop.run("slow").outcome == Outcome::interrupted);
  CHECK(shop.rounds() >= 2);
  CHECK(shop.rounds() < 6);
}

TEST_CASE("a second signal ends an adaptor that does not obey the first") {
  Workshop shop;
  shop.request.on_step = [&](const Step& step) {
    shop.steps.push_back(step);
    if (step.done <= 3) std::raise(SIGINT);
  };
  CHECK(shop.run("stubborn").outcome == Outcome::interrupted);
  CHECK(shop.rounds() < 6);
}

TEST_CASE("a program that is not there is an input error") {
  Workshop shop;
  shop.request.command = {"/nonexistent/adaptor"};
  CHECK(has(shop.problem(""), "cannot be started"));
}

TEST_CASE("frameworks are known by name, with the nearest as a hint") {
  CHECK(framework_named("pytorch").reports_as == "pytorch");
  CHECK(framework_named("python-onnxruntime").reports_as == "onnxruntime");
  CHECK_THROWS_WITH_AS((void)framework_named("onnxruntim"),
                       doctest::Contains("did you mean \"onnxruntime\"?"), InputError);
}

TEST_CASE("adaptors are found in the source tree, and where CORECAST_SCRIPTS says") {
  CHECK(std::filesystem::exists(script_directory() / "measure_onnxruntime.mjs"));
  const Variable elsewhere("CORECAST_SCRIPTS", "/nonexistent");
  CHECK_THROWS_WITH_AS((void)script_directory(), doctest::Contains("CORECAST_SCRIPTS"), InputError);
}

TEST_CASE("without the program that runs a script, the message says what to install") {
  const Variable node("CORECAST_NODE", CORECAST_FAKE_ADAPTOR);
  const std::vector<std::string> command = command_of(framework_named("onnxruntime"), "legacy");
  REQUIRE(command.size() == 4);
  CHECK(command[0] == CORECAST_FAKE_ADAPTOR);
  CHECK(command[3] == "legacy");
  const Variable wrong("CORECAST_NODE", "/nonexistent/node");
  CHECK_THROWS_WITH_AS((void)command_of(framework_named("onnxruntime"), ""), doctest::Contains("setup.sh"),
                       InputError);
  const Variable nowhere("PATH", "/nonexistent");
  const Variable unset("CORECAST_NODE", "");
  CHECK_THROWS_WITH_AS((void)command_of(framework_named("onnxruntime"), ""),
                       doctest::Contains("\"node\" is not in PATH"), InputError);
}
