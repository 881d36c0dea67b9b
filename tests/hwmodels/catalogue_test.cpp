// Every file under data/machines is read and held against what such a machine can be.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "hwmodels/machine_json.hpp"
#include "hwmodels/priors.hpp"

namespace corecast::hwmodels {
namespace {

const std::vector<Machine>& catalogue() {
  static const std::vector<Machine> machines = read_catalogue(CORECAST_DATA_DIR "/machines");
  return machines;
}

template <typename Q>
void sourced(const Value<Q>& value) {
  CHECK_FALSE(value.from.empty());
  if (value.origin != Origin::datasheet) CHECK(value.relative_error > 0.0);
}

TEST_CASE("the catalogue holds the machines that users and measurements name") {
  for (const char* name : {"xeon-8175m", "xeon-gold-6142", "xeon-8180", "xeon-8280", "xeon-8380",
                           "xeon-8480plus", "xeon-8592plus", "xeon-6980p", "epyc-7742", "epyc-7763",
                           "epyc-9654", "epyc-9755", "xeon-8275cl", "graviton3"}) {
    CHECK(find_machine(catalogue(), name).name == name);
  }
  CHECK(find_machine(catalogue(), "xeon-gold-6142-2s").name == "xeon-gold-6142-no-turbo");
  CHECK(find_machine(catalogue(), "xeon-8275CL-2x24").name == "xeon-8275cl");
  CHECK(find_machine(catalogue(), "XEON-8480+").name == "xeon-8480plus");
  CHECK(find_machine(catalogue(), "c5.metal").name == "xeon-8275cl");
  CHECK_THROWS_WITH_AS((void)find_machine(catalogue(), "xeon-8180p"),
                       "no machine is called \"xeon-8180p\" (did you mean \"xeon-8180\"?)", InputError);
}

TEST_CASE("machines of the catalogue are plausible") {
  CHECK(std::is_sorted(catalogue().begin(), catalogue().end(),
                       [](const Machine& a, const Machine& b) { return a.name < b.name; }));
  const std::vector<std::string> known = families();
  for (const Machine& m : catalogue()) {
    CAPTURE(m.name);
    CHECK_FALSE(m.description.empty());
    CHECK(std::find(known.begin(), known.end(), m.family) != known.end());
    const CoreGroup& group = m.groups[0];
    const PeakChoice peak = peak_for(group, DataType::fp32);
    const double core_gflops =
        peak.flop_per_cycle * clock_at(group, peak.extension, group.cores_per_socket).value() / 1e9;
    CHECK(core_gflops > 30.0);   // Neoverse N1: 40
    CHECK(core_gflops < 260.0);  // 64 flop per cycle at 4 GHz
    const double memory = m.memory.bandwidth.value.value() / 1e9;
    const bool desktop = m.family.ends_with("_client");  // two channels
    CHECK(memory > (desktop ? 20.0 : 50.0));
    CHECK(memory < 900.0);
    CHECK(m.memory.core_bandwidth.value.value() / 1e9 > 8.0);
    CHECK(m.memory.core_bandwidth.value.value() * m.cores_per_socket() > m.memory.bandwidth.value.value());
    if (m.memory.cluster_bandwidth) CHECK(m.memory.cluster_bandwidth->value > m.memory.core_bandwidth.value);
    // Nearer caches are smaller, faster and sooner.
    REQUIRE(m.caches.size() == 3);
    for (std::size_t i = 0; i + 1 < 3; ++i) {
      CHECK(m.caches[i].size.value < m.caches[i + 1].size.value);
      CHECK(m.caches[i].bandwidth_per_core.value > m.caches[i + 1].bandwidth_per_core.value);
      CHECK(m.caches[i].latency.value < m.caches[i + 1].latency.value);
    }
    CHECK(m.caches[2].bandwidth_per_core.value > m.memory.core_bandwidth.value);
    CHECK(m.caches[2].latency.value < m.memory.latency.value);
    if (m.link) {
      CHECK(m.link->bandwidth.value < m.memory.bandwidth.value);
      CHECK(m.link->latency.value > m.memory.latency.value);
    }
    for (const ClockPoint& point : group.clock) {
      CHECK(point.clock.value > Hertz(1.5e9));
      CHECK(point.clock.value < Hertz(4.5e9));
      CHECK_FALSE(point.clock.from.empty());
    }
    CHECK(clock_at(group, Extension::scalar, 1) >= clock_at(group, Extension::scalar, m.cores_per_socket()));
    CHECK(clock_at(group, Extension::avx2, m.cores_per_socket()) >=
          clock_at(group, Extension::amx, m.cores_per_socket()));
    sourced(m.memory.bandwidth);
    sourced(m.memory.core_bandwidth);
    sourced(m.memory.latency);
  }
}

TEST_CASE("machines of the catalogue survive being written, and every what-if that applies to all") {
  for (const Machine& m : catalogue()) {
    CAPTURE(m.name);
    CHECK(parse_machine_json(to_json_text(m), m.name) == m);
    for (const MachinePath& row : machine_path_table()) {
      if (row.scales) CHECK_NOTHROW((void)changed(m, {{row.path, "+1%"}}));
    }
    CHECK_NOTHROW((void)changed(m, {{"smt", "off"}}));
    CHECK_NOTHROW((void)changed(m, {{"sockets", "2"}}));
  }
}

TEST_CASE("published peaks and bandwidths are met") {
  // 2 x 8180 with AVX-512 on all cores: 56 x 64 x 2.3 GHz = 8243 GFLOP/s.
  const Machine m = find_machine(catalogue(), "xeon-8180");
  const PeakChoice peak = peak_for(m.groups[0], DataType::fp32);
  CHECK(m.cores() * peak.flop_per_cycle * clock_at(m.groups[0], peak.extension, 28).value() ==
        doctest::Approx(8243e9).epsilon(0.001));
  // BLIS on Xeon 8167M: 109.7 GFLOP/s of one core is 0.86 of 64 x 2.0 GHz.
  const CoreGroup oracle = find_machine(catalogue(), "xeon-8167m").groups[0];
  CHECK(109.7e9 / (64.0 * clock_at(oracle, Extension::avx512, 1).value()) ==
        doctest::Approx(0.857).epsilon(0.01));
  // One AVX-512 unit: as much per cycle as AVX2, which then runs at the higher clock.
  CHECK(peak_for(find_machine(catalogue(), "xeon-gold-5218").groups[0], DataType::fp32).extension ==
        Extension::avx2);
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(std::filesystem::temp_directory_path() / "corecast_catalogue_test") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void add(const std::string& file, const std::string& name, const std::string& alias) const {
    std::ofstream(path_ / file)
        << R"({"schema": "corecast.machine/1", "name": ")" << name << R"(", "aliases": [")" << alias
        << R"("], "family": "zen3", "datasheet": {"sockets": 1, "cores_per_socket": 8}})";
  }

 private:
  std::filesystem::path path_;
};

std::string refusal(const std::filesystem::path& directory) {
  try {
    (void)read_catalogue(directory);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("names of a catalogue are unique, whatever their case, and are the files' names") {
  const TemporaryDirectory directory;
  CHECK(read_catalogue(directory.path()).empty());
  directory.add("a.json", "a", "first");
  directory.add("b.json", "b", "second");
  CHECK(read_catalogue(directory.path()).size() == 2);
  directory.add("c.json", "c", "FIRST");
  CHECK(refusal(directory.path()).find("the name \"FIRST\" is taken by ") != std::string::npos);
  directory.add("c.json", "cc", "third");
  CHECK(refusal(directory.path()).find("/name: is \"cc\", must be \"c\", the file's name") !=
        std::string::npos);
  CHECK(refusal(directory.path() / "nowhere").find("cannot be listed") != std::string::npos);
}

}  // namespace
}  // namespace corecast::hwmodels
