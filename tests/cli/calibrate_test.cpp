// `calibrate` as a user runs it: fits a file, measures this host, keeps what it measured where `tune` finds it.
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/host_calibration.hpp"
#include "tests/cli/process.hpp"

using namespace corecast::test;
using nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The parameter at `path` of a calibrate report; an empty object when there is none.
json parameter(const json& report, const std::string& path) {
  for (const json& item : report["parameters"]) {
    if (item["path"] == path) return item;
  }
  return json::object();
}

}  // namespace

TEST_CASE("a measurement file becomes a machine file that other commands read") {
  const Folder folder;
  const std::string machine = folder.path("machine.json");
  const Output output = program({"calibrate", "--from", data("measured.json"), "-o", machine});
  INFO(output.out << output.err);
  REQUIRE(output.code == 0);
  CHECK(has(output.out, "memory.core_bandwidth"));
  CHECK(has(output.out, "--machine " + machine));
  const Output shown = program({"machine", "show", machine});
  CHECK(shown.code == 0);
  CHECK(has(shown.out, "fitted"));
  CHECK(program({"tune", data("two_branches.json"), "--machine", machine}).code == 0);
}

TEST_CASE("the fit finds the values that a measurement file was computed from") {
  const Output output = program({"calibrate", "--from", data("measured.json"), "--json"});
  REQUIRE(output.code == 0);
  const json report = json::parse(output.out);
  CHECK(report["schema"] == "corecast.calibrate/1");
  CHECK(report["converged"] == true);
  // The file's samples lie half a per cent around B(n) of 12 GB/s, 40 GB/s and bend 4.
  CHECK(parameter(report, "memory.core_bandwidth")["value"].get<double>() ==
        doctest::Approx(12e9).epsilon(0.01));
  CHECK(parameter(report, "memory.bandwidth")["value"].get<double>() == doctest::Approx(40e9).epsilon(0.01));
  CHECK(parameter(report, "memory.latency")["value"].get<double>() == doctest::Approx(90e-9).epsilon(0.01));
  CHECK(parameter(report, "memory.core_bandwidth")["status"] == "fitted");
  CHECK(parameter(report, "threads.wake_up")["status"] == "not_measured");
  CHECK_FALSE(parameter(report, "threads.wake_up")["why"].get<std::string>().empty());
}

TEST_CASE("the same measurements give the same bytes, with a report or without") {
  const Folder folder;
  const auto fit = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> arguments{"calibrate", "--from", data("measured.json"), "-o", folder.path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(program(arguments).code == 0);
    return corecast::read_file(folder.path(name));
  };
  const std::string first = fit("a.json", {});
  CHECK(fit("b.json", {"--report"}) == first);
  CHECK(fit("c.json", {"--json"}) == first);
}

TEST_CASE("every line of the report fits the terminal") {
  for (const char* columns : {"60", "80", "120"}) {
    const Output output =
        program({"calibrate", "--from", data("measured.json"), "--report"}, {{"COLUMNS", columns}});
    REQUIRE(output.code == 0);
    std::size_t begin = 0;
    for (std::size_t end = output.out.find('\n'); end != std::string::npos;
         end = output.out.find('\n', begin)) {
      INFO(output.out.substr(begin, end - begin));
      CHECK(end - begin <= std::stoul(columns));
      begin = end + 1;
    }
  }
}

TEST_CASE("what cannot be read, fitted or written is refused before any time is spent") {
  const Folder folder;
  const auto refused = [](const std::vector<std::string>& arguments, int code, const std::string& message) {
    const Output output = program(arguments);
    INFO(output.err);
    CHECK(output.code == code);
    CHECK(output.out.empty());
    CHECK(has(output.err, message));
  };
  refused({"calibrate", "--from", "no_such.json"}, 2, "no_such.json: cannot open: No such file or directory");
  refused({"calibrate", "--from", data("two_branches.json")}, 2, "wanted \"corecast.measurements/1\"");
  refused({"calibrate", "--from", folder.write("cut.json", "{\"schema\": ")}, 2, "not valid JSON");
  refused({"calibrate", "--only", "latencies"}, 2, "did you mean \"latency\"?");
  refused({"calibrate", "-o", folder.path("")}, 2, "is a directory, wanted a file");
  refused({"calibrate", "-o", folder.path("no/such/folder.json")}, 2, "No such file or directory");
  refused({"calibrate", "--quick", "--thorough"}, 1, "excludes");
  for (const char* of_the_fit : {"--report", "--hold-out", "--force"}) {
    refused({"calibrate", "--measurements-only", "m.json", of_the_fit}, 1, "excludes");
  }
  refused({"calibrate", "--date", "today"}, 2, "found \"today\", wanted a date like 2026-01-31");
  refused({"calibrate", "-o", folder.path("m.json"), "--measurements-only", folder.path("r.json")}, 2,
          "give one of the two");
  refused({"calibrate", "--quick", "--from", data("measured.json")}, 1, "excludes");
  CHECK(folder.names() == std::vector<std::string>{"cut.json"});
}

TEST_CASE("measurements that show nothing of a machine end with code 3 and no file, unless forced") {
  const Folder folder;
  std::string text = corecast::read_file(data("measured.json"));
  const std::size_t rows = text.find("\"rows\": [");
  text =
      text.substr(0, rows) +
      "\"rows\": [{\"group\": \"threads\", \"kernel\": \"thread_create\", \"threads\": 1, \"unit\": \"us\", "
      "\"samples\": [40]}]}";
  const std::string file = folder.write("weak.json", text);
  const Output output = program({"calibrate", "--from", file, "-o", folder.path("m.json")});
  INFO(output.err);
  CHECK(output.code == 3);
  CHECK(output.out.empty());
  CHECK(has(output.err, "did not converge"));
  CHECK(folder.names() == std::vector<std::string>{"weak.json"});
  CHECK(program({"calibrate", "--from", file, "-o", folder.path("m.json"), "--force"}).code == 0);
  CHECK(folder.names() == std::vector<std::string>{"m.json", "weak.json"});
}

TEST_CASE("this host is measured, and its calibration is used and named from then on") {
  const Folder folder;
  const Environment home{{"XDG_DATA_HOME", folder.path("")}};
  CHECK(has(program({"tune", data("two_branches.json")}, home).out, "corecast calibrate"));  // what to run
  const Output output =
      program({"calibrate", "--quick", "--only", "latency", "--date", "2020-02-29T12:00:00Z"}, home);
  INFO(output.out << output.err);
  REQUIRE(output.code == 0);
  CHECK(has(output.out, "memory.latency"));
  const Output tuned = program({"tune", data("two_branches.json")}, home);
  CHECK(has(tuned.out, "calibrated 2020-02-29T12:00:00Z, "));
  CHECK(has(tuned.out, "days ago"));
  const json shown = json::parse(program({"machine", "show", "--json"}, home).out);
  const std::string origin = shown["machine"]["memory"]["latency"]["origin"];
  CHECK((origin == "measured" || origin == "fitted"));  // by one row, or by several
  CHECK(shown["machine"]["calibration"]["date"] == "2020-02-29T12:00:00Z");
  // Some groups do not silently replace what there is.
  const Output partly = program({"calibrate", "--quick", "--only", "latency"}, home);
  CHECK(partly.code == 2);
  CHECK(has(partly.err, "--only: some groups alone would replace this host's calibration"));
  // A second fit of the kept measurements finds the same machine.
  std::string measurements;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path(""))) {
    if (has(entry.path().string(), ".measurements.json")) measurements = entry.path().string();
  }
  const Output again = program({"calibrate", "--from", measurements, "-o", folder.path("again.json")});
  INFO(again.err);
  REQUIRE(again.code == 0);
  CHECK(json::parse(corecast::read_file(folder.path("again.json")))["memory"]["latency"] ==
        shown["machine"]["memory"]["latency"]);
}

TEST_CASE("a broken calibration of this host is named, with the way out") {
  const Folder folder;
  const Environment home{{"XDG_DATA_HOME", folder.path("")}};
  REQUIRE(program({"calibrate", "--quick", "--only", "latency"}, home).code == 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path(""))) {
    if (entry.is_regular_file()) corecast::write_file(entry.path(), "{");
  }
  const Output output = program({"machine", "show"}, home);
  CHECK(output.code == 2);
  CHECK(has(output.err, "not valid JSON"));
  CHECK(has(output.err, "run `corecast calibrate` again"));
}

TEST_CASE("an affinity mask of one CPU is measured as one CPU") {
  const Folder folder;
  const Output output =
      shell("taskset -c 0 \"$corecast\" calibrate --quick --only latency --measurements-only " +
            folder.path("one.json"));
  INFO(output.err);
  REQUIRE(output.code == 0);
  const json file = json::parse(corecast::read_file(folder.path("one.json")));
  CHECK(file["context"]["granted_cpus"] == json::array({0}));
  for (const json& row : file["rows"]) CHECK(row["cores"] == 1);
}

TEST_CASE("days between two dates") {
  using corecast::cli::days_between;
  CHECK(days_between("2026-11-29T23:59:00Z", "2026-12-02T00:00:00Z") == 3);
  CHECK(days_between("2024-02-28", "2024-03-01") == 2);  // a leap year
  CHECK(days_between("2023-02-29", "2024-03-01") == std::nullopt);
  CHECK(days_between("", "2024-03-01") == std::nullopt);
  CHECK(days_between("yesterday!", "2024-03-01") == std::nullopt);
}
