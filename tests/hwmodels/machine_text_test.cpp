#include "hwmodels/machine_text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <sstream>

#include "hwmodels/size_text.hpp"
#include "hwmodels/text_columns.hpp"

namespace corecast::hwmodels {
namespace {

constexpr double kMi = 1024.0 * 1024.0;

CacheLevel cache(int level, double mib, int sharing) {
  CacheLevel result;
  result.level = level;
  result.size = {Bytes(mib * kMi), 0.0, Origin::datasheet, "a sheet"};
  result.shared_by_cores = sharing;
  result.bandwidth_per_core = {BytesPerSecond(1e11 / level), 0.2, Origin::prior, "prior of zen9: 32 B/cycle"};
  result.latency = {Seconds(1e-9 * level), 0.2, Origin::prior, "prior of zen9"};
  return result;
}

Machine two_by_sixteen() {
  Machine machine;
  machine.name = "toy";
  machine.description = "2 x toy";
  machine.family = "zen9";
  machine.sockets = 2;
  machine.domains_per_socket = 2;
  CoreGroup& group = machine.groups[0];
  group.cores_per_socket = 16;
  group.smt = 2;
  group.clock = {{Extension::avx2, 1, {Hertz(3.5e9), 0.0, Origin::datasheet, "a sheet"}},
                 {Extension::avx2, 8, {Hertz(3.2e9), 0.0, Origin::datasheet, "a sheet"}},
                 {Extension::avx2, 16, {Hertz(3e9), 0.004, Origin::measured, "a table"}}};
  group.peaks = {{DataType::fp32, Extension::avx2, {32.0, 0.0, Origin::prior, "prior of zen9"}}};
  group.smt_gain_compute = {1.05, 0.05, Origin::fitted, "runs"};
  group.smt_gain_memory = {1.25, 0.05, Origin::fitted, "runs"};
  machine.caches = {cache(1, 1.0 / 32, 1), cache(2, 1, 1), cache(3, 32, 4)};
  machine.memory.core_bandwidth = {BytesPerSecond(2e10), 0.1, Origin::measured, "triad"};
  machine.memory.bandwidth = {BytesPerSecond(2e11), 0.05, Origin::measured,
                              "triad over all cores, non-temporal stores"};
  machine.memory.latency = {Seconds(9e-8), 0.0, Origin::measured, "chase"};
  machine.memory.page_fault = {Seconds(6e-7), 0.4, Origin::prior, ""};
  machine.memory.capacity = Value<Bytes>{Bytes(384 * 1024 * kMi), 0.0, Origin::detected, "hwloc"};
  machine.link =
      Link{{BytesPerSecond(6e10), 0.1, Origin::prior, ""}, {Seconds(1.4e-7), 0.1, Origin::prior, ""}};
  machine.threads = {{Seconds(1e-7), 0.5, Origin::prior, ""},
                     {Seconds(1e-7), 0.5, Origin::prior, ""},
                     {Seconds(6e-6), 0.5, Origin::prior, ""},
                     {Seconds(3e-3), 0.3, Origin::prior, ""}};
  return machine;
}

Grant some_grant() {
  Grant grant;
  grant.online = {0, 1, 2, 3, 4, 5, 6, 7};
  grant.affinity = {0, 1, 2, 3};
  grant.cpuset = std::vector<int>{0, 1, 2, 3};
  grant.quota_cpus = 2.5;
  grant.quota_period = Seconds(0.1);
  grant.quota_file = "/sys/fs/cgroup/app/cpu.max";
  grant.pids_limit = 512;
  grant.pids_used = 31;
  grant.usable_cores = 2;
  return grant;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The first `count` lines.
std::string head(const std::string& text, std::size_t count) {
  std::string out;
  for (const std::string& line : lines_of(text)) {
    if (count-- == 0) break;
    out += line + "\n";
  }
  return out;
}

TEST_CASE("the drawing nests sockets, NUMA domains, shared caches and cores, each kind once") {
  CHECK(head(describe(two_by_sixteen(), nullptr, 64), 13) ==
        "toy: 2 x toy\n"
        "family zen9, 2 sockets, 32 cores, 64 logical CPUs\n"
        "\n"
        "+- 2 sockets, each --------------------------------------------+\n"
        "| memory 200 GB/s, 384 GiB, link to another socket 60.0 GB/s   |\n"
        "| +- 2 NUMA domains, each -----------------------------------+ |\n"
        "| | +- 2 x L3 32 MiB, shared by 4 cores each --------------+ | |\n"
        "| | | 4 cores x 2 threads, each: L1 32 KiB, L2 1 MiB       | | |\n"
        "| | +------------------------------------------------------+ | |\n"
        "| +----------------------------------------------------------+ |\n"
        "+--------------------------------------------------------------+\n"
        "\n"
        "what                    value          error    origin     from\n");
}

TEST_CASE("a plain machine is one box") {
  Machine machine = two_by_sixteen();
  machine.sockets = 1;
  machine.domains_per_socket = 1;
  machine.link.reset();
  machine.memory.capacity.reset();
  machine.groups[0].cores_per_socket = 1;
  machine.groups[0].smt = 1;
  machine.caches = {cache(1, 1, 1)};
  CHECK(head(describe(machine, nullptr, 48), 7) ==
        "toy: 2 x toy\n"
        "family zen9, 1 socket, 1 core, 1 logical CPU\n"
        "\n"
        "+- socket -------------------------------------+\n"
        "| memory 200 GB/s                              |\n"
        "| 1 core: L1 1 MiB                             |\n"
        "+----------------------------------------------+\n");
}

TEST_CASE("two kinds of cores are two lines") {
  Machine machine = two_by_sixteen();
  machine.groups[0].name = "P";
  machine.groups.push_back(machine.groups[0]);
  machine.groups[1].name = "E";
  machine.groups[1].smt = 1;
  const std::string text = describe(machine, nullptr, 80);
  CHECK(text.find("| | P 16 cores x 2 threads ") != std::string::npos);
  CHECK(text.find("| | E 16 cores ") != std::string::npos);
  CHECK(text.find("caches: L1 32 KiB, L2 1 MiB, L3 32 MiB per 4 cores") != std::string::npos);
  CHECK(text.find("E clock avx2, 1 core") != std::string::npos);
}

TEST_CASE("the table says value, error, origin and source") {
  const std::string text = describe(two_by_sixteen(), nullptr, 80);
  const auto has_line = [&](const std::string& wanted) {
    for (const std::string& line : lines_of(text)) {
      if (line == wanted) return true;
    }
    MESSAGE(text);
    return false;
  };
  CHECK(has_line("clock avx2, 1 core      3.50 GHz       -        datasheet  a sheet"));
  CHECK(has_line("clock avx2, 16 cores    3.00 GHz       +-0.4 %  measured   a table"));
  CHECK(has_line("fp32 avx2               32 flop/cycle  -        prior      zen9"));
  CHECK(has_line("L1 bandwidth, core      100 GB/s       +-20 %   prior      32 B/cycle"));
  CHECK(has_line("memory bandwidth        200 GB/s       +-5 %    measured   triad over all cor..."));
}

TEST_CASE("the grant names masks, quota with its file, and what follows") {
  const Grant grant = some_grant();
  const std::string text = describe(two_by_sixteen(), &grant, 80);
  CHECK(text.substr(text.find("granted")) ==
        "granted by the operating system\n"
        "  CPUs on line   0-7\n"
        "  affinity mask  0-3\n"
        "  cpuset         0-3\n"
        "  CPU quota      2.5 CPUs, in periods of 100 ms\n"
        "  quota set by   /sys/fs/cgroup/app/cpu.max\n"
        "  processes      512 at most, 31 in use\n"
        "  usable         4 CPUs on 2 cores: 0-3\n"
        "  threads        2 at most, 2 with a core each\n");
}

TEST_CASE("no line is wider than asked, whatever the texts hold") {
  CHECK(rc::check("columns <= width, no control characters", [] {
    Machine machine = two_by_sixteen();
    machine.description = *rc::gen::arbitrary<std::string>();
    machine.memory.bandwidth.from = *rc::gen::arbitrary<std::string>();
    machine.groups[0].cores_per_socket = *rc::gen::inRange(1, 200);
    machine.domains_per_socket = *rc::gen::inRange(1, 9);
    machine.caches[2].shared_by_cores = *rc::gen::inRange(0, 20);
    Grant grant = some_grant();
    grant.quota_file = "/sys/fs/cgroup/" + *rc::gen::arbitrary<std::string>() + "/cpu.max";
    const int width = *rc::gen::inRange(-5, 200);
    const std::string text = describe(machine, &grant, width);
    RC_ASSERT(!text.empty() && text.back() == '\n');
    for (const std::string& line : lines_of(text)) {
      RC_ASSERT(columns_of(line) <= std::max(width, 40));
      for (const char c : line) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    }
  }));
}

TEST_CASE("many cores are still a few lines") {
  Machine machine = two_by_sixteen();
  machine.groups[0].cores_per_socket = 128;
  CHECK(lines_of(describe(machine, nullptr, 80)).size() < 40);
}

TEST_CASE("cutting counts code points and keeps them whole") {
  CHECK(clipped("abc", 3) == "abc");
  CHECK(clipped("abcdef", 5) == "ab...");
  CHECK(clipped("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 4) == "\xC3\xA9...");
  CHECK(clipped("abcdef", 2) == "..");
  CHECK(clipped("abcdef", 0).empty());
  CHECK(columns_of("\xC3\xA9t\xC3\xA9") == 3);
  CHECK(printable("a\tb\x1b[0m\xff\xC2\x9B") == "a?b?[0m???");
}

TEST_CASE("sizes are written in powers of 1024 with three digits") {
  CHECK(size_text(Bytes(0)) == "0 B");
  CHECK(size_text(Bytes(32768)) == "32 KiB");
  CHECK(size_text(Bytes(1.375 * kMi)) == "1.38 MiB");
  CHECK(size_text(Bytes(1023 * 1024.0)) == "1023 KiB");
  CHECK(size_text(Bytes(1023.9 * kMi)) == "1 GiB");
  CHECK(size_text(Bytes(384 * 1024 * kMi)) == "384 GiB");
}

}  // namespace
}  // namespace corecast::hwmodels
