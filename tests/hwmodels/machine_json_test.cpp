#include "hwmodels/machine_json.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "base/error.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::hwmodels {
namespace {

// A full machine, with plain text for most values; tests replace one piece of it.
const std::string kFull = R"({
  "schema": "corecast.machine/1", "name": "m", "origin": "measured",
  "topology": {"sockets": 1, "cores_per_socket": 4, "smt": 2},
  "clock": {"avx2": {"1": "3 GHz", "10": "2 GHz", "2": "2.9 GHz"}, "scalar": {"1": "3.2 GHz"}},
  "peak": {"int8": {"avx2": 43}, "fp32": {"avx2": {"value": 32, "origin": "datasheet", "from": "sheet"}}},
  "smt_gain": {"compute": 1.1, "memory": 1.2},
  "caches": {"l2": {"size": "1 MiB", "bandwidth_per_core": "80 GB/s", "latency": "5 ns"}},
  "memory": {"bandwidth": {"value": "128 GB/s", "std_error": "6.4 GB/s"}, "core_bandwidth": "12 GB/s",
             "saturation_shape": 3.5, "latency": "90 ns", "page_fault": "0.5 us"},
  "threads": {"barrier": "0.1 us", "barrier_per_doubling": "0.1 us", "wake_up": "5 us", "time_slice": "3 ms"}})";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_machine_json(text, "m.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a full machine file is read as it stands") {
  const Machine m = parse_machine_json(kFull, "m.json");
  CHECK(m.logical_cpus() == 8);
  REQUIRE(m.groups[0].clock.size() == 4);
  CHECK(m.groups[0].clock[0].extension == Extension::scalar);
  CHECK(m.groups[0].clock[2].active_cores == 2);  // by number, not by spelling: 1, 2, 10
  CHECK(m.groups[0].clock[3].active_cores == 10);
  CHECK(m.memory.bandwidth.relative_error == doctest::Approx(0.05));
  CHECK(m.memory.bandwidth.origin == Origin::measured);  // the file's
  CHECK(m.groups[0].peaks[0].flop_per_cycle.origin == Origin::datasheet);
  CHECK(m.groups[0].peaks[0].flop_per_cycle.from == "sheet");
  CHECK(m.caches[0].shared_by_cores == 1);
  CHECK_FALSE(m.caches[0].bandwidth_per_instance);
  CHECK_FALSE(m.link);
}

TEST_CASE("a machine file is refused by place, finding and wish") {
  CHECK(refusal("[]") == "m.json: wanted an object, found an array");
  CHECK(refusal(replaced(kFull, "machine/1", "machine/2")) ==
        "m.json: /schema: wanted \"corecast.machine/1\", found \"corecast.machine/2\"");
  CHECK(refusal(replaced(kFull, "\"memory\": {\"band", "\"memori\": {\"band")) ==
        "m.json: key \"memory\" is missing (with \"family\" and \"datasheet\" in the file, what is missing "
        "is taken from the family)");
  CHECK(
      refusal(replaced(kFull, "\"latency\": \"90 ns\"", "\"latencey\": \"90 ns\", \"latency\": \"90 ns\"")) ==
      "m.json: /memory: unknown key \"latencey\" (did you mean \"latency\"?)");
  CHECK(refusal(replaced(kFull, "\"wake_up\": \"5 us\"", "\"wake_up\": \"5 us\", \"wake_up\": \"6 us\"")) ==
        "m.json: /threads/wake_up: key stands here twice");
  CHECK(refusal(replaced(kFull, "\"12 GB/s\"", "\"12 GBs\"")) ==
        "m.json: /memory/core_bandwidth: unknown unit \"GBs\" in \"12 GBs\" (did you mean \"GB/s\"?)");
  CHECK(refusal(replaced(kFull, "\"12 GB/s\"", "12")) ==
        "m.json: /memory/core_bandwidth: wanted text, found 12");
  CHECK(refusal(replaced(kFull, "\"12 GB/s\"", "\"0 GB/s\"")) ==
        "m.json: memory.core_bandwidth: is 0 B/s, must be greater than zero");
  CHECK(refusal(replaced(kFull, "\"avx2\": {\"1\"", "\"axv2\": {\"1\"")) ==
        "m.json: /clock/axv2: unknown vector extension \"axv2\" (did you mean \"avx2\"?)");
  CHECK(refusal(replaced(kFull, "\"10\":", "\"ten\":")) ==
        "m.json: /clock/avx2/ten: \"ten\" is not a count of active cores (a whole number from 1 to 1048576 "
        "is wanted)");
  CHECK(refusal(replaced(kFull, "\"int8\"", "\"int9\"")) ==
        "m.json: /peak/int9: unknown data type \"int9\" (did you mean \"int8\"?)");
  CHECK(refusal(replaced(kFull, "\"sockets\": 1", "\"sockets\": 2")) ==
        "m.json: link: is missing, must be given for 2 sockets");
  CHECK(refusal(replaced(kFull, "\"smt\": 2", "\"smt\": 2.5")) ==
        "m.json: /topology/smt: wanted a whole number from 1 to 8, found 2.5");
  CHECK(refusal(replaced(kFull, "\"measured\"", "\"guess\""))
            .starts_with("m.json: /origin: unknown origin \"guess\""));
  CHECK(refusal(kFull.substr(0, 300)).starts_with("m.json: not valid JSON at byte"));
}

const std::string kShort = R"({
  "schema": "corecast.machine/1", "name": "s", "family": "skylake_sp",
  "datasheet": {"sockets": 2, "cores_per_socket": 28, "smt": 2, "base_clock": "2.5 GHz", "turbo_clock": "3.8 GHz",
                "all_core_clock": {"avx512": "2.3 GHz"}, "l3": "38.5 MiB",
                "memory_channels": 6, "memory_mega_transfers": 2666, "from": "sheet"},
  "memory": {"latency": {"value": "79 ns", "origin": "measured"}}})";

TEST_CASE("a short file takes the rest from its family, marked as prior") {
  const Machine m = parse_machine_json(kShort, "s.json");
  CHECK(m.cores() == 56);
  CHECK(m.link);
  CHECK(m.memory.latency.value.value() == doctest::Approx(79e-9));
  CHECK(m.memory.latency.origin == Origin::measured);
  CHECK(m.memory.bandwidth.origin == Origin::prior);
  CHECK(m.memory.bandwidth.relative_error > 0.0);
  CHECK(m.memory.bandwidth.value.value() == doctest::Approx(0.88 * 6 * 2666e6 * 8));
  CHECK(m.caches[2].size.origin == Origin::datasheet);
  CHECK(m.caches[2].size.from == "sheet");
  CHECK(clock_at(m.groups[0], Extension::avx512, 28).value() == 2.3e9);
  CHECK(m.description == "2 x 28 cores, skylake_sp");
}

TEST_CASE("clock points of a short file replace those of their extension, not the others") {
  const Machine m = parse_machine_json(
      replaced(kShort, "\"memory\"", "\"clock\": {\"avx2\": {\"1\": \"3.3 GHz\"}}, \"memory\""), "s.json");
  CHECK(clock_at(m.groups[0], Extension::avx2, 28).value() == 3.3e9);
  CHECK(clock_at(m.groups[0], Extension::avx512, 28).value() == 2.3e9);
}

TEST_CASE("a short file is refused as strictly as a full one") {
  CHECK(refusal(replaced(kShort, "skylake_sp", "skylake_ps")) ==
        "m.json: /datasheet: s: unknown family \"skylake_ps\" (did you mean \"skylake_sp\"?)");
  CHECK(refusal(replaced(kShort, "\"smt\"", "\"mst\"")) ==
        "m.json: /datasheet: unknown key \"mst\" (did you mean \"smt\"?)");
  CHECK(refusal(replaced(kShort, "\"latency\"", "\"latncy\"")) ==
        "m.json: /memory: unknown key \"latncy\" (did you mean \"latency\"?)");
  CHECK(refusal(replaced(kShort, "\"3.8 GHz\"", "\"-3.8 GHz\"")) ==
        "m.json: /datasheet/turbo_clock: must be greater than zero, found \"-3.8 GHz\"");
  CHECK(refusal(replaced(kShort, "\"memory\"", "\"topology\": {}, \"memory\""))
            .starts_with("m.json: /topology: \"topology\" beside \"datasheet\""));
  CHECK(refusal(replaced(kShort, "\"family\": \"skylake_sp\",", "")) == "m.json: key \"family\" is missing");
}

TEST_CASE("groups of cores keep their order and names") {
  Machine m = test::machine("2 cores 10Gflop/s; smt 2");
  m.groups[0].name = "performance";
  m.groups.push_back(m.groups[0]);
  m.groups[1].name = "efficient";
  m.groups[1].smt = 1;
  CHECK(parse_machine_json(to_json_text(m), "m.json") == m);
}

TEST_CASE("a written machine has one value per line and stable bytes") {
  const std::string text = to_json_text(parse_machine_json(kFull, "m.json"));
  CHECK(text.starts_with("{\n  \"schema\": \"corecast.machine/1\",\n  \"name\": \"m\",\n"));
  CHECK(text.find("\n      \"10\": {\"value\": \"2 GHz\", \"origin\": \"measured\"}\n") != std::string::npos);
  CHECK(text.ends_with("}\n"));
  CHECK(to_json_text(parse_machine_json(text, "again")) == text);
}

// ---- properties

template <typename Q>
Value<Q> any_value(double scale) {
  Value<Q> v;
  v.value = Q(scale * (1.0 + *rc::gen::inRange(0, 1000000) / 999983.0));
  v.relative_error = *rc::gen::inRange(0, 3) / 10.0;
  v.origin = static_cast<Origin>(*rc::gen::inRange(0, 5));
  v.from = *rc::gen::element(std::string{}, std::string("sheet"), std::string("\"quoted\"\n\\ \xC3\xA9"));
  return v;
}

CoreGroup any_group() {
  CoreGroup g;
  g.cores_per_socket = *rc::gen::inRange(1, 200);
  g.smt = *rc::gen::inRange(1, 5);
  for (const Extension e : {Extension::scalar, Extension::avx2, Extension::amx}) {
    int count = 0;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
      count += *rc::gen::inRange(1, 50);
      g.clock.push_back({e, count, any_value<Hertz>(2e9)});
    }
  }
  g.peaks = {{DataType::fp32, Extension::avx2, any_value<double>(32.0)},
             {DataType::int8, Extension::amx, any_value<double>(999.0)}};
  if (g.smt > 1) g.smt_gain_compute = any_value<double>(1.0);
  if (g.smt > 1) g.smt_gain_memory = any_value<double>(0.6);
  return g;
}

Machine any_machine() {
  Machine m;
  m.name = "any";
  m.description = *rc::gen::element(std::string{}, std::string("text \"x\""));
  m.family = "zen3";
  if (*rc::gen::arbitrary<bool>()) m.aliases = {"a", "b.c"};
  m.sockets = *rc::gen::inRange(1, 4);
  m.groups = {any_group()};
  if (*rc::gen::arbitrary<bool>()) {
    m.groups.push_back(any_group());
    m.groups[0].name = "fast";
    m.groups[1].name = "slow";
  }
  for (int level = 1; level < 4; ++level) {
    if (*rc::gen::arbitrary<bool>()) continue;
    CacheLevel c;
    c.level = level;
    c.size = any_value<Bytes>(40000.0);
    c.shared_by_cores = *rc::gen::inRange(0, 5);
    c.bandwidth_per_core = any_value<BytesPerSecond>(7e10);
    if (*rc::gen::arbitrary<bool>()) c.bandwidth_per_instance = any_value<BytesPerSecond>(3e11);
    if (*rc::gen::arbitrary<bool>()) c.peer_bandwidth = any_value<BytesPerSecond>(3e10);
    c.latency = any_value<Seconds>(1e-9);
    m.caches.push_back(c);
  }
  m.memory = {any_value<BytesPerSecond>(1e10),
              any_value<BytesPerSecond>(1e11),
              any_value<double>(3.0),
              any_value<Seconds>(9e-8),
              any_value<Seconds>(5e-7),
              {},
              {}};
  if (*rc::gen::arbitrary<bool>()) m.memory.capacity = any_value<Bytes>(3e11);
  if (*rc::gen::arbitrary<bool>()) m.memory.cluster_bandwidth = any_value<BytesPerSecond>(4e10);
  if (m.sockets > 1) m.link = Link{any_value<BytesPerSecond>(5e10), any_value<Seconds>(1.4e-7)};
  m.threads = {any_value<Seconds>(1e-7), any_value<Seconds>(1e-7), any_value<Seconds>(5e-6),
               any_value<Seconds>(3e-3)};
  return m;
}

TEST_CASE("what is written reads back as the same machine") {
  CHECK(rc::check("parse(write(m)) == m", [] {
    const Machine m = any_machine();
    const std::string text = to_json_text(m);
    RC_ASSERT(parse_machine_json(text, "m.json") == m);
    RC_ASSERT(to_json_text(m) == text);
  }));
}

TEST_CASE("no broken file does more than be refused") {
  CHECK(rc::check("text with one byte changed", [] {
    std::string text = *rc::gen::arbitrary<bool>() ? kFull : kShort;
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = static_cast<char>(*rc::gen::inRange(0, 256));
    try {
      check(parse_machine_json(text, "m.json"), "m.json");
    } catch (const InputError& error) {
      RC_ASSERT(std::string(error.what()).find("m.json") == 0);
    }
  }));
}

TEST_CASE("a bend of the bandwidth curve that no memory has is refused") {
  // B(n) of two equal roofs is 2^(-1/s) of them: at s = 1e-300 nothing is left, and a forecast would divide by it.
  for (const char* shape : {"1e-300", "0.05", "0", "-3"}) {
    INFO(shape);
    CHECK(refusal(replaced(kFull, "\"saturation_shape\": 3.5", std::string("\"saturation_shape\": ") + shape))
              .starts_with("m.json: memory.saturation_shape: is "));
  }
}

TEST_CASE("a library's kernels and the record of a calibration survive the way out and in") {
  const std::string extra =
      R"(, "kernels": {"onednn": {"gemm": {"fp32": {"efficiency": 0.9, "m_half": 2, "n_half": 4, "k_half": 8,
    "memory_efficiency": 0.7, "smoothing": 6}}}},
    "calibration": {"date": "2026-01-02", "source": "s", "rows": 3, "measurements": "fnv1a64:1"}})";
  const std::string text = kFull.substr(0, kFull.size() - 1) + extra;
  const Machine m = parse_machine_json(text, "m.json");
  REQUIRE(m.kernels.size() == 1);
  CHECK(m.kernels[0].k_half.value == 8.0);
  CHECK(m.calibration->rows == 3);
  CHECK(parse_machine_json(to_json_text(m), "again.json") == m);
  CHECK(refusal(replaced(text, "\"efficiency\": 0.9", "\"efficiency\": 9")) ==
        "m.json: kernels.onednn.gemm.fp32.efficiency: is 9, must be from 0 to 1.25");
  CHECK(refusal(replaced(text, "\"gemm\"", "\"gem\"")) ==
        "m.json: /kernels/onednn/gem: unknown kernel class \"gem\" (did you mean \"gemm\"?)");
}

}  // namespace
}  // namespace corecast::hwmodels
