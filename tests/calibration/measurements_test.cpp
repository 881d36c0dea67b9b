#include "calibration/measurements.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::calibration {
namespace {

const std::string kFile = R"({
"schema": "corecast.measurements/1",
"context": {"source": "a paper, table 2", "date": "2026-01-02", "libraries": {"onednn": "2.6.3"}, "granted_cpus": [0, 2]},
"machine": {"schema": "corecast.machine/1", "name": "m", "family": "zen2",
            "datasheet": {"sockets": 2, "cores_per_socket": 8, "smt": 2, "from": "sheet"}},
"rows": [
{"group": "bandwidth", "kernel": "read", "threads": 4, "working_set": "80 MB", "unit": "GB/s", "samples": [61.5, 62]},
{"group": "latency", "kernel": "chase", "threads": 1, "cpu_domain": 0, "memory_domain": 1, "placement": "remote", "unit": "ns", "samples": [131]},
{"group": "kernels", "kernel": "gemm", "library": "onednn", "type": "fp32", "threads": 8, "threads_per_core": 2, "shape": {"m": 64, "n": 32, "k": 16}, "flop": 65536, "bytes": 16384, "unit": "us", "samples": [2.5]}
]})";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_measurements_json(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a measurement file is read in base units, and what is left out has its default") {
  const Measurements m = parse_measurements_json(kFile, "f.json");
  CHECK(m.context.source == "a paper, table 2");
  CHECK(m.context.granted_cpus == std::vector<int>{0, 2});
  CHECK(m.machine.cores() == 16);
  REQUIRE(m.rows.size() == 3);
  CHECK(m.rows[0].samples == std::vector<double>{61.5e9, 62e9});
  CHECK(m.rows[0].unit == Unit::bytes_per_second);
  CHECK(m.rows[0].working_set == Bytes(80e6));
  CHECK(m.rows[0].cores == 4);
  CHECK(m.rows[0].placement == Placement::compact);
  CHECK(m.rows[1].samples[0] == doctest::Approx(131e-9));
  CHECK(m.rows[1].memory_domain == 1);
  CHECK(m.rows[2].cores == 4);  // eight threads, two on each core
  CHECK(m.rows[2].shape.at("n") == 32);
}

TEST_CASE("what is written is read back as it was, and writing it again gives the same bytes") {
  Measurements m = parse_measurements_json(kFile, "f.json");
  m.context.quota_cpus = 1.5;
  m.context.clock_before = Hertz(3.21e9);
  m.context.warnings = {"a line\nbreak and a \"quote\""};
  m.rows[0].background = BytesPerSecond(20e9);
  m.rows[0].samples.push_back(1.0 / 3.0);  // no short decimal form
  const std::string text = to_json_text(m);
  const Measurements again = parse_measurements_json(text, "again.json");
  CHECK(again == m);
  CHECK(to_json_text(again) == text);
}

TEST_CASE("a measurement file is refused by place, finding and wish") {
  const auto check = [](std::string_view what, std::string_view by, const std::string& message) {
    INFO(std::string(by));
    CHECK(refusal(replaced(kFile, what, by)) == "f.json: " + message);
  };
  check("measurements/1", "measurements/2",
        "/schema: wanted \"corecast.measurements/1\", found \"corecast.measurements/2\"");
  check(
      "\"group\": \"latency\"", "\"group\": \"latencies\"",
      "/rows/1/group: unknown group \"latencies\", wanted peak or bandwidth or latency or threads or kernels "
      "(did you mean \"latency\"?)");
  check("\"kernel\": \"chase\"", "\"kernel\": \"chas\"",
        "/rows/1/kernel: unknown kernel \"chas\" of group latency, wanted chase or loaded (did you mean "
        "\"chase\"?)");
  check("\"kernel\": \"chase\"", "\"kernel\": \"triad\"",
        "/rows/1/kernel: unknown kernel \"triad\" of group latency, wanted chase or loaded");
  check("\"placement\": \"remote\"", "\"placement\": \"far\"",
        "/rows/1/placement: unknown placement \"far\", wanted compact or scattered or remote");
  check("\"unit\": \"ns\"", "\"unit\": \"GB/s\"", "/rows/1/unit: chase is measured in s, found B/s");
  check("\"unit\": \"ns\"", "\"unit\": \"nanos\"",
        "/rows/1/unit: unknown unit \"nanos\" (wanted s, flop/s, B/s or Hz, with a prefix or without: ns, "
        "GB/s, Gflop/s)");
  check("[131]", "[]", "/rows/1/samples: empty, wanted one number or more");
  check("[131]", "[0]", "/rows/1/samples/0: is 0 s, must be from 1e-18 to 1e+21");
  check("[131]", "[-2]", "/rows/1/samples/0: is -2e-09 s, must be from 1e-18 to 1e+21");
  check("[131]", "[\"131\"]", "/rows/1/samples/0: wanted a number, found text \"131\"");
  check("\"threads\": 4", "\"threads\": 0",
        "/rows/0/threads: wanted a whole number from 1 to 1048576, found 0");
  check("\"threads\": 4", "\"threads\": 40",
        "/rows/0/cores: is 40, must be a whole number from 1 to 16 (the machine of this file has no more)");
  check(
      "\"threads\": 4", "\"threads\": 4, \"cores\": 2",
      "/rows/0/threads: 4 threads on 2 hardware threads (2 x 1) (cores and threads_per_core default to what "
      "`threads` fills)");
  check("\"memory_domain\": 1", "\"memory_domain\": 2",
        "/rows/1/memory_domain: is 2, but the machine has 2 NUMA domains, counted from 0");
  check("\"flop\": 65536", "\"flop\": -1", "/rows/2/flop: is -1, must be zero or more, at most 1e+21");
  check("\"flop\": 65536", "\"flops\": 65536", "/rows/2: unknown key \"flops\" (did you mean \"flop\"?)");
  check("\"80 MB\"", "\"80 MBs\"",
        "/rows/0/working_set: unknown unit \"MBs\" in \"80 MBs\" (did you mean \"MB\"?)");
  check("\"cores_per_socket\": 8", "\"cores_per_socket\": 0",
        "/machine: /datasheet/cores_per_socket: wanted a whole number from 1 to 1048576, found 0");
  check("\"source\": \"a paper, table 2\", ", "", "/context: key \"source\" is missing");
}

TEST_CASE("a measurement file that is cut short anywhere is refused, never half believed") {
  for (std::size_t length = 0; length + 1 < kFile.size(); length += 7) {
    INFO(length);
    CHECK(refusal(kFile.substr(0, length)) != "accepted");
  }
}

TEST_CASE("a file without rows says so") {
  const std::string text = to_json_text(parse_measurements_json(kFile, "f.json"));
  const std::size_t at = text.find("\"rows\": [");
  CHECK(refusal(text.substr(0, at) + "\"rows\": []}") ==
        "f.json: /rows: empty, wanted one measurement or more");
}

TEST_CASE("median, spread and best sample") {
  CHECK(median({3.0, 1.0, 2.0}) == 2.0);
  CHECK(median({4.0, 1.0, 2.0, 3.0}) == 2.5);
  // Deviations from the median 2 are 1, 0, 1: MAD 1. 1.2533 * 1.4826 * 1 / (sqrt(3) * 2) = 0.53641.
  CHECK(relative_spread({3.0, 1.0, 2.0}) == doctest::Approx(0.53641).epsilon(1e-4));
  CHECK(relative_spread({5.0}) == 0.0);
  Row row;
  row.samples = {3.0, 1.0, 2.0};
  row.unit = Unit::seconds;
  CHECK(best(row) == 1.0);
  row.unit = Unit::flop_per_second;
  CHECK(best(row) == 3.0);
}

}  // namespace
}  // namespace corecast::calibration
