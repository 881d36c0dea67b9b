// What `calibrate` refuses before it measures: files of other runs, options that contradict one another.
#include <doctest/doctest.h>

#include "base/file.hpp"
#include "tests/cli/process.hpp"

using namespace corecast::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("measurements of another run are not overwritten beside -o, unless forced") {
  const Folder folder;
  const std::string old = folder.write("m.measurements.json", "minutes of work");
  const std::vector<std::string> line{"calibrate", "--quick", "--only",
                                      "latency",   "-o",      folder.path("m.json")};
  const Output output = program(line);
  INFO(output.err);
  CHECK(output.code == 2);
  CHECK(output.out.empty());
  CHECK(output.err.starts_with("corecast: --output: \"" + old + "\" holds the measurements of another run"));
  CHECK(has(output.err, "--force"));
  CHECK_FALSE(has(output.err, "%"));  // nothing was measured
  CHECK(corecast::read_file(old) == "minutes of work");
  CHECK(folder.names() == std::vector<std::string>{"m.measurements.json"});
  auto forced = line;
  forced.emplace_back("--force");
  CHECK(program(forced).code == 0);
  CHECK(corecast::read_file(old).starts_with("{\n\"schema\": \"corecast.measurements/1\""));
}

TEST_CASE("a fit of a measurement file writes over a machine file, and leaves measurements alone") {
  const Folder folder;
  const std::string machine = folder.write("m.json", "an older machine");
  const std::string other = folder.write("m.measurements.json", "of another run");
  REQUIRE(program({"calibrate", "--from", data("measured.json"), "-o", machine}).code == 0);
  CHECK(has(corecast::read_file(machine), "corecast.machine/1"));
  CHECK(corecast::read_file(other) == "of another run");
}

TEST_CASE("without -o a fit of a measurement file writes nothing, and the help says so") {
  const Folder folder;
  const Output output =
      program({"calibrate", "--from", data("measured.json")}, {{"XDG_DATA_HOME", folder.path("")}});
  CHECK(output.code == 0);
  CHECK(has(output.out, "Nothing is written: -o FILE keeps the machine."));
  CHECK(folder.names().empty());
  CHECK(has(program({"calibrate", "--help"}).out, "with --from: none"));
}

TEST_CASE("a date is no option of measurements that have one") {
  const Output output = program({"calibrate", "--from", data("measured.json"), "--date", "2026-01-31"});
  CHECK(output.code == 1);
  CHECK(output.out.empty());
  CHECK(has(output.err, "--from excludes --date"));
}

TEST_CASE("an unknown group is told with those there are") {
  const Output output = program({"calibrate", "--only", "memory"});
  CHECK(output.code == 2);
  CHECK(output.err ==
        "corecast: --only: found \"memory\", wanted peak or bandwidth or latency or threads or kernels\n");
}

TEST_CASE("a number in a file that no double holds is told by place, finding and wish") {
  const Folder folder;
  std::string text = corecast::read_file(data("measured.json"));
  const std::size_t at = text.find("\"samples\": [") + 12;
  const std::string file =
      folder.write("big.json", text.replace(at, text.find_first_of(",]", at) - at, "1e999"));
  const Output output = program({"calibrate", "--from", file});
  CHECK(output.code == 2);
  CHECK(output.err ==
        "corecast: " + file + ": /rows/0/samples/0: found 1e999, wanted a number of at most 1.8e+308\n");
}

TEST_CASE("a file beyond `ulimit -f` ends with one error and no half of a file") {
  const Folder folder;
  const std::string file = folder.path("model.json");
  const Output output = shell("ulimit -f 1; \"$corecast\" model inception_v3 -o " + file);
  CHECK(output.code == 2);
  CHECK(output.out.empty());
  CHECK(output.err ==
        "corecast: " + file + ": cannot write: File too large (`ulimit -f` limits the size of files)\n");
  CHECK(folder.names().empty());
}
