// What `tune` says of this host's calibration, and what it no longer advises once there is one.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/host_calibration.hpp"
#include "hwmodels/host.hpp"
#include "hwmodels/machine_json.hpp"
#include "tests/cli/process.hpp"

using namespace corecast::test;
namespace hwmodels = corecast::hwmodels;
using nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// This host as detected, said to be calibrated under these doubts.
hwmodels::Machine calibrated(const hwmodels::Host& host, const std::vector<std::string>& doubts) {
  hwmodels::Machine machine = host.machine;
  machine.calibration =
      hwmodels::CalibrationRecord{"2026-01-31T12:00:00Z", "a test", 7, "0123456789abcdef", doubts};
  return machine;
}

// A folder of user data in which this host has that calibration.
Environment home_with(const Folder& folder, const std::vector<std::string>& doubts) {
  const hwmodels::Host host = hwmodels::detect_host();
  const auto directory = std::filesystem::path(folder.path("corecast")) / "calibrations";
  std::filesystem::create_directories(directory);
  corecast::write_file(directory / (corecast::cli::calibration_name(host) + ".json"),
                       hwmodels::to_json_text(calibrated(host, doubts)));
  return {{"XDG_DATA_HOME", folder.path("")}, {"COLUMNS", "1000"}};
}

const std::vector<std::string> kTune{"tune", data("two_branches.json")};

Output tuned(const Environment& home, const char* more = nullptr) {
  auto arguments = kTune;
  if (more != nullptr) arguments.emplace_back(more);
  Output output = program(arguments, home);
  REQUIRE(output.code == 0);
  return output;
}

std::string warning_of(const json& report, const std::string& code) {
  for (const json& warning : report["warnings"]) {
    if (warning["code"] == code) return warning["text"];
  }
  return "";
}

}  // namespace

TEST_CASE("a calibration that was measured under doubtful conditions is told so, in text and in JSON") {
  const Folder folder;
  const Environment home = home_with(folder, {"others were running", "the clock moved"});
  const std::string told =
      "the calibration in use is doubtful: others were running (and 1 more); `corecast calibrate` on a quiet "
      "machine replaces it";
  CHECK(has(tuned(home).out, "CALIBRATION_DOUBTFUL: " + told));
  CHECK(warning_of(json::parse(tuned(home, "--json").out), "CALIBRATION_DOUBTFUL") == told);
}

TEST_CASE("a calibration without doubts is not told to be doubtful, and nothing advises to calibrate again") {
  const Folder folder;
  const Environment home = home_with(folder, {});
  const std::string text = tuned(home).out;
  CHECK(has(text, "calibrated 2026-01-31T12:00:00Z"));
  CHECK_FALSE(has(text, "CALIBRATION_DOUBTFUL"));
  CHECK_FALSE(has(text, "corecast calibrate"));
  CHECK_FALSE(has(text, "Not calibrated"));
  CHECK(has(text, "Calibrated in part: "));  // detection alone leaves priors
  const std::string tree = tuned(home, "--json").out;
  CHECK(warning_of(json::parse(tree), "CALIBRATION_DOUBTFUL").empty());
  CHECK_FALSE(has(tree, "corecast calibrate"));
}

TEST_CASE("a machine file with a doubtful calibration is told so wherever it is used") {
  const Folder folder;
  const std::string file = folder.path("machine.json");
  corecast::write_file(file,
                       hwmodels::to_json_text(calibrated(hwmodels::detect_host(), {"the clock moved"})));
  const Output output = program({"tune", data("two_branches.json"), "--machine", file, "--json"});
  REQUIRE(output.code == 0);
  CHECK(warning_of(json::parse(output.out), "CALIBRATION_DOUBTFUL") ==
        "the calibration in use is doubtful: the clock moved; calibration.warnings of the machine file has "
        "them all");
}

TEST_CASE("advice to calibrate is cut from a warning, and the warning stays") {
  std::vector<std::string> warnings{
      "unknown CPU (x): an average one is taken; \"corecast calibrate\" measures them", "no cache was found",
      ""};
  corecast::cli::drop_advice_to_calibrate(warnings);
  CHECK(warnings ==
        std::vector<std::string>{"unknown CPU (x): an average one is taken", "no cache was found", ""});
}

TEST_CASE("how the host was detected is no doubt about its calibration") {
  const Folder folder;
  const Environment home{{"XDG_DATA_HOME", folder.path("")}};
  const Output output = program({"calibrate", "--quick", "--only", "latency", "--json"}, home);
  REQUIRE(output.code == 0);
  const json report = json::parse(output.out);
  const json machine = json::parse(corecast::read_file(report["machine_file"].get<std::string>()));
  const json doubts = machine["calibration"].value("warnings", json::array());
  for (const std::string& warning : hwmodels::detect_host().warnings) {
    INFO(warning);
    CHECK(std::find(doubts.begin(), doubts.end(), warning) == doubts.end());
  }
  for (const json& warning : report["warnings"]) CHECK_FALSE(has(warning, "corecast calibrate"));
}

TEST_CASE("the doubts of a calibration are written and read back") {
  const hwmodels::Host host = hwmodels::detect_host();
  const std::vector<std::vector<std::string>> cases{{}, {"a line\nbreak", "a \"quote\""}};
  for (const auto& doubts : cases) {
    const hwmodels::Machine machine = calibrated(host, doubts);
    const std::string text = hwmodels::to_json_text(machine);
    const hwmodels::Machine again = hwmodels::parse_machine_json(text, "again.json");
    REQUIRE(again.calibration);
    CHECK(again.calibration->warnings == doubts);
    CHECK(again.calibration == machine.calibration);
    CHECK(hwmodels::to_json_text(again) == text);
    CHECK(json::parse(text)["calibration"].contains("warnings") == !doubts.empty());
  }
}
