// Help, version, exit codes, and where output goes.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/process.hpp"

using namespace corecast::test;

namespace {

const std::vector<std::vector<std::string>> kCommands{
    {"tune"},    {"simulate"},        {"whatif"},          {"inspect"},
    {"machine"}, {"machine", "show"}, {"machine", "list"}, {"model"},
    {"study"},   {"runtime"},         {"runtime", "list"}, {"measure"}};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("help goes to standard output, with an example for every command") {
  for (std::vector<std::string> command : kCommands) {
    command.emplace_back("--help");
    const Output output = program(command);
    INFO(command.front());
    CHECK(output.code == 0);
    CHECK(output.err.empty());
    CHECK(has(output.out, "Example:\n  corecast " + command.front()));
  }
  const Output all = program({"--help"});
  CHECK(all.code == 0);
  for (const auto& command : kCommands) CHECK(has(all.out, "  " + command.front()));
  CHECK(has(all.out, "Exit codes: 0 done, 1 wrong usage, 2 bad input, 3 no answer."));
}

TEST_CASE("help fits a terminal of 80 columns") {
  std::vector<std::vector<std::string>> commands = kCommands;
  commands.emplace_back();
  for (std::vector<std::string>& command : commands) {
    command.emplace_back("--help");
    std::istringstream lines(program(command).out);
    for (std::string line; std::getline(lines, line);) {
      INFO(command.front() << ": " << line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("every command takes --json") {
  for (const auto& command : kCommands) {
    if (command.front() == "machine" && command.size() == 1) continue;
    if (command.front() == "runtime" && command.size() == 1) continue;
    std::vector<std::string> line = command;
    line.emplace_back("--help");
    INFO(command.front());
    CHECK(has(program(line).out, "--json"));
  }
}

TEST_CASE("what takes a built-in model takes all of its forms, and the help says so") {
  for (const std::string command : {"tune", "simulate", "whatif", "inspect", "model"}) {
    const std::string help = program({command, "--help"}).out;
    INFO(command);
    for (const char* option : {"--batch B", "--seq L", "--dtype T", "--training"}) CHECK(has(help, option));
  }
}

TEST_CASE("the version is one line") {
  const Output output = program({"--version"});
  CHECK(output.code == 0);
  CHECK(output.out.starts_with("corecast "));
  CHECK(output.out.find('\n') == output.out.size() - 1);
}

TEST_CASE("wrong usage is told on standard error, exit code 1") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "A subcommand is required"},
      {{"tuen", "m.onnx"}, "unknown command \"tuen\", did you mean \"tune\"?"},
      {{"tune"}, "MODEL is required"},
      {{"tune", "m.onnx", "--objectiv", "latency"}, "--objectiv"},
      {{"whatif", "m.onnx", "--machine", "host"}, "--set is required"},
      {{"machine"}, "A subcommand is required"},
      {{"inspect", "a.onnx", "b.onnx"}, "b.onnx"},
      {{"tune", "m.onnx", "--batch"}, "--batch"}};
  for (const auto& [arguments, message] : cases) {
    const Output output = program(arguments);
    INFO(output.err);
    CHECK(output.code == 1);
    CHECK(output.out.empty());
    CHECK(has(output.err, message));
  }
}

TEST_CASE("a reader that leaves early is no error, a full disk is") {
  const std::string command = "\"$corecast\" inspect " + data("two_branches.json");
  CHECK(shell("(" + command + "; echo $? >&2) | true").err == "0\n");
  const Output full = shell(command + " > /dev/full");
  CHECK(full.code == 2);
  CHECK(full.err == "corecast: cannot write to standard output: No space left on device\n");
  const Output closed = shell(command + " >&-");
  CHECK(closed.code == 2);
  CHECK(has(closed.err, "cannot write to standard output: Bad file descriptor"));
}

TEST_CASE("text fits the width the terminal names") {
  for (const std::string width : {"40", "80", "120"}) {
    const Output output =
        program({"tune", data("two_branches.json"), "--machine", "two-sockets"}, {{"COLUMNS", width}});
    REQUIRE(output.code == 0);
    std::size_t longest = 0;
    const std::string report =
        output.out.substr(0, output.out.find("\n--- "));  // what is to be pasted is never cut
    for (std::size_t begin = 0, end = 0; begin < report.size(); begin = end + 1) {
      end = std::min(report.find('\n', begin), report.size());
      longest = std::max(longest, end - begin);
    }
    CHECK(longest <= std::stoul(width));
  }
}
