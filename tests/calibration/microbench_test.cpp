// The kernels do the work they claim, teams sit where they should, and the sampler stops when it should.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "calibration/microbench/buffer.hpp"
#include "calibration/microbench/circumstances.hpp"
#include "calibration/microbench/kernels.hpp"
#include "calibration/microbench/sampler.hpp"
#include "calibration/microbench/streams.hpp"
#include "calibration/microbench/suite.hpp"
#include "calibration/microbench/team.hpp"
#include "calibration/microbench/working_sets.hpp"
#include "hwmodels/cpu_features.hpp"

namespace corecast::calibration::microbench {
namespace {

using hwmodels::Extension;

KernelsAvailable here() {
  return kernels_available(hwmodels::detect_features().extensions);
}

template <typename T>
T element(const void* memory, std::size_t index) {
  T value{};
  std::memcpy(&value, static_cast<const char*>(memory) + index * sizeof value, sizeof value);
  return value;
}

float bf16_element(const void* memory, std::size_t index) {
  const std::uint32_t bits = std::uint32_t{element<std::uint16_t>(memory, index)} << 16U;
  float value = 0.0F;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// What a sum of fp32 becomes after all rounds, one operation after the other.
float scalar_fp32(const PeakKernel& kernel, const PeakOperands& operands, std::size_t sum, int rounds) {
  const std::size_t lanes = kernel.factor_bytes / 4;
  const std::size_t lane = sum % lanes;
  const float y = element<float>(operands.factors(), 2 * lanes + lane);
  auto value = element<float>(operands.start(), sum);
  for (int step = 0; step < 2 * rounds; ++step) {
    const auto x = element<float>(operands.factors(), static_cast<std::size_t>(step % 2) * lanes + lane);
    value = kernel.fused ? std::fma(x, y, value) : value + x * y;
  }
  return value;
}

// The products that go into one 32-bit sum of a dot product along neighbouring elements.
template <typename Product>
double dot(const PeakKernel& kernel, std::size_t element_bytes, std::size_t sum, std::size_t factor,
           const Product& product) {
  const std::size_t lanes = kernel.factor_bytes / element_bytes;
  const std::size_t per_sum = 4 / element_bytes;
  const std::size_t first = sum * per_sum % lanes;
  double total = 0.0;
  for (std::size_t i = first; i < first + per_sum; ++i) total += product(factor * lanes + i, 2 * lanes + i);
  return total;
}

// A little host: machine, all CPUs numbered as cpus_of does, all granted.
hwmodels::Host host_of(int sockets, int domains, int cores, int smt, int cores_per_cluster) {
  hwmodels::Host host;
  host.machine.sockets = sockets;
  host.machine.domains_per_socket = domains;
  host.machine.groups[0].cores_per_socket = cores;
  host.machine.groups[0].smt = smt;
  const auto cache = [](int level, double bytes, int sharing) {
    hwmodels::CacheLevel result;
    result.level = level, result.size.value = Bytes(bytes), result.shared_by_cores = sharing;
    return result;
  };
  host.machine.caches = {cache(1, 32768.0, 1), cache(2, 1048576.0, 1),
                         cache(3, 33554432.0, cores_per_cluster)};
  const int cpus = sockets * cores * smt;
  for (int cpu = 0; cpu < cpus; ++cpu) host.grant.online.push_back(cpu);
  host.grant.affinity = host.grant.online;
  host.grant.usable_cores = sockets * cores;
  return host;
}

std::vector<int> numbers(const Seats& seats) {
  std::vector<int> result;
  for (const hwmodels::HostCpu& cpu : seats.cpus) result.push_back(cpu.number);
  return result;
}

TEST_CASE("every multiply-add kernel computes what the scalar recurrence computes, bit by bit") {
  for (const PeakChoice& choice : here().peaks) {
    CAPTURE(name_of(choice.extension));
    CAPTURE(name_of(choice.type));
    // Tiles and BFMMLA multiply matrices: their sums take other products.
    if (choice.extension == Extension::amx) continue;
#if defined(__aarch64__)
    if (choice.type == DataType::bf16) continue;
#endif
    const PeakKernel& kernel = *choice.kernel;
    std::set<std::uint64_t> checksums;
    for (const int rounds : {0, 1, 2, 1001}) {
      PeakOperands operands(choice);
      kernel.run(operands.start(), operands.factors(), operands.result(), rounds);
      CHECK(checksums.insert(operands.checksum()).second);  // every round counts
      const std::size_t sums = static_cast<std::size_t>(kernel.accumulators) * kernel.accumulator_bytes / 4;
      for (std::size_t sum = 0; sum < sums; ++sum) {
        if (choice.type == DataType::fp32) {
          REQUIRE(element<float>(operands.result(), sum) == scalar_fp32(kernel, operands, sum, rounds));
        } else if (choice.type == DataType::bf16) {
          // Factors are multiples of 1/64 below 1, sums below 2^12: with 12 bits behind the point all are exact.
          const auto product = [&](std::size_t i, std::size_t j) {
            return static_cast<double>(bf16_element(operands.factors(), i)) *
                   bf16_element(operands.factors(), j);
          };
          const double round = dot(kernel, 2, sum, 0, product) + dot(kernel, 2, sum, 1, product);
          REQUIRE(element<float>(operands.result(), sum) ==
                  element<float>(operands.start(), sum) + rounds * round);
        } else {
          // x unsigned (x86) or signed (AArch64), y signed; sums wrap at 32 bits, which no 1001 rounds reach.
          const auto product = [&](std::size_t i, std::size_t j) {
#if defined(__aarch64__)
            const double x = element<std::int8_t>(operands.factors(), i);
#else
            const double x = element<std::uint8_t>(operands.factors(), i);
#endif
            return x * element<std::int8_t>(operands.factors(), j);
          };
          const double round = dot(kernel, 1, sum, 0, product) + dot(kernel, 1, sum, 1, product);
          REQUIRE(element<std::int32_t>(operands.result(), sum) ==
                  element<std::int32_t>(operands.start(), sum) + rounds * round);
        }
      }
    }
  }
}

TEST_CASE("a multiply-add kernel counts one multiplication and one addition for each product it sums") {
  for (const PeakChoice& choice : here().peaks) {
    CAPTURE(name_of(choice.extension));
    if (choice.extension == Extension::amx) continue;
    const PeakKernel& kernel = *choice.kernel;
    // Products of one instruction: elements of a factor (BFMMLA: 2 x 2 sums of 4).
    double products = static_cast<double>(kernel.factor_bytes) / bytes_per_element(choice.type);
#if defined(__aarch64__)
    if (choice.type == DataType::bf16) products *= 2.0;
#endif
    CHECK(kernel.flop_per_round == 2.0 * kernel.accumulators * 2.0 * products);
  }
}

TEST_CASE("reading sums every word as often as there are passes") {
  // Lengths with and without a rest behind the unrolled part; a different word everywhere.
  const KernelsAvailable kernels = here();
  REQUIRE(kernels.streams.has_value());
  for (const std::size_t n : {std::size_t{16}, std::size_t{128}, std::size_t{4096 + 48}}) {
    const Buffer buffer(n * sizeof(float), Pages::small);
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto word = static_cast<std::uint32_t>(i * 2654435761U + 1U);
      std::memcpy(buffer.data() + i * sizeof word, &word, sizeof word);
      expected += 3U * word;
    }
    CHECK(kernels.streams->kernels->read(reinterpret_cast<const float*>(buffer.data()), n, 3) == expected);
  }
}

std::vector<const StreamKernels*> all_streams() {
  std::vector<const StreamKernels*> streams;
#if defined(__x86_64__)
  const auto extensions = hwmodels::detect_features().extensions;
  const auto has = [&](Extension e) {
    return std::find(extensions.begin(), extensions.end(), e) != extensions.end();
  };
  if (has(Extension::sse)) streams.push_back(&kSseStreams);
  if (has(Extension::avx2)) streams.push_back(&kAvx2Streams);
  if (has(Extension::avx512)) streams.push_back(&kAvx512Streams);
#elif defined(__aarch64__)
  streams.push_back(&kNeonStreams);
#endif
  return streams;
}

TEST_CASE("every stream kernel of every width writes each element of its array and nothing behind it") {
  constexpr std::size_t n = 1024 + 48;  // unrolled part and rest
  constexpr std::size_t guard = 16;
  for (const StreamKernels* kernels : all_streams()) {
    for (const Stream stream : {Stream::write, Stream::write_nt, Stream::copy, Stream::copy_nt, Stream::triad,
                                Stream::triad_nt, Stream::update}) {
      CAPTURE(traits_of(stream).name);
      const std::size_t stride = array_stride(n);
      const Buffer buffer((3 * stride + guard) * sizeof(float), Pages::small);
      float* const memory = reinterpret_cast<float*>(buffer.data());
      for (std::size_t i = 0; i < 3 * stride + guard; ++i) memory[i] = static_cast<float>(i);
      run_stream(*kernels, stream, memory, n, 1);
      for (std::size_t i = 0; i < n; ++i) {
        const auto old = static_cast<float>(i);
        const auto b = static_cast<float>(stride + i);
        const auto c = static_cast<float>(2 * stride + i);
        float expected = 1.0F;  // write
        if (stream == Stream::copy || stream == Stream::copy_nt) expected = b;
        if (stream == Stream::triad || stream == Stream::triad_nt) expected = b + 0.5F * c;
        if (stream == Stream::update) expected = -old;
        REQUIRE(memory[i] == expected);
      }
      for (std::size_t i = n; i < 3 * stride + guard; ++i) REQUIRE(memory[i] == static_cast<float>(i));
    }
  }
}

TEST_CASE("bytes of a stream are those that its statement reads and writes") {
  // a = b + s c: two loads and a store of 4 bytes; a plain store's line fetch is not counted.
  CHECK(traits_of(Stream::read).bytes_per_element == 4.0);
  CHECK(traits_of(Stream::write).bytes_per_element == 4.0);
  CHECK(traits_of(Stream::copy).bytes_per_element == 8.0);
  CHECK(traits_of(Stream::update).bytes_per_element == 8.0);
  CHECK(traits_of(Stream::triad_nt).bytes_per_element == 12.0);
  // 24 KiB in three arrays: 8 KiB each.
  CHECK(elements_of(Stream::triad, 24576.0) == 2048);
  CHECK(elements_of(Stream::read, 1.0) == 128);  // never nothing
}

TEST_CASE("update does its work in every pass") {
  for (const StreamKernels* kernels : all_streams()) {
    const Buffer buffer(4096, Pages::small);
    float* const memory = reinterpret_cast<float*>(buffer.data());
    std::fill(memory, memory + 1024, 1.0F);
    kernels->update(memory, 2.0F, 1024, 10);
    CHECK(std::all_of(memory, memory + 1024, [](float value) { return value == 1024.0F; }));  // 2^10
  }
}

TEST_CASE("the chain of additions adds n times") {
  CHECK(add_chain(5, 3, 640) == 5 + 3 * 640);
  CHECK(add_chain(0, 1, 1) == 64);  // whole chains only
}

TEST_CASE("a pointer chase visits every line once before it returns") {
  constexpr std::size_t lines = 1024;
  const Buffer buffer(lines * 64, Pages::small);
  link_cycle(buffer.data(), lines, 7);
  std::set<const void*> seen;
  const void* at = buffer.data();
  for (std::size_t i = 0; i < lines; ++i) {
    CHECK(seen.insert(at).second);
    at = *static_cast<const void* const*>(at);
  }
  CHECK(at == buffer.data());
  CHECK(seen.size() == lines);
  CHECK(chase(buffer.data(), lines) == buffer.data());  // 1024 is a multiple of the unrolling
  CHECK(chase(buffer.data(), 16) != buffer.data());
}

TEST_CASE(
    "the sampler doubles the operations until a repetition is long enough, and keeps none of those runs") {
  // 1 ms an operation, 5 ms wanted: 1, 2, 4, 8.
  std::vector<std::int64_t> asked;
  const Sampling sampling = sample(
      [&](std::int64_t n) {
        asked.push_back(n);
        return Seconds(1e-3 * static_cast<double>(n));
      },
      {.least = 5, .most = 200, .budget = Seconds(10.0), .repetition = Seconds(5e-3)});
  CHECK(asked == std::vector<std::int64_t>{1, 2, 4, 8, 8, 8, 8, 8, 8});
  CHECK(sampling.operations == 8);
  CHECK(sampling.reached);  // no spread at all
  REQUIRE(sampling.seconds.size() == 5);
  CHECK(sampling.seconds[0] == doctest::Approx(1e-3));
}

TEST_CASE("the sampler goes on while samples are spread, and stops when its budget ends") {
  int calls = 0;
  Seconds spent{};
  const Sampling sampling = sample(
      [&](std::int64_t) {
        const Seconds time(0.01 + 0.001 * (++calls % 7));
        spent += time;
        return time;
      },
      {.target = 1e-6, .least = 5, .most = 1000, .budget = Seconds(0.3), .repetition = Seconds(0.005)});
  CHECK_FALSE(sampling.reached);
  CHECK(spent <= Seconds(0.3 + 0.006));  // the last may be longer than the one before
  CHECK(sampling.seconds.size() >= 15);
}

TEST_CASE("the sampler gives one sample even where the budget has room for none") {
  const Sampling sampling = sample([](std::int64_t) { return Seconds(2.0); },
                                   {.budget = Seconds(0.1), .repetition = Seconds(0.005)});
  CHECK(sampling.seconds == std::vector<double>{2.0});
  CHECK_FALSE(sampling.reached);
}

TEST_CASE("the sampler ends though the clock stands still") {
  const Sampling sampling = sample([](std::int64_t) { return Seconds(0.0); }, {.least = 5, .most = 10});
  CHECK(sampling.seconds.size() <= 10);
}

TEST_CASE("compact seats fill cache, domain and socket in order, one hardware thread per core") {
  // 2 sockets x 8 cores x 2 threads, an L3 for 4 cores: CPUs 0..7 are socket 0, 8..15 socket 1, 16.. second threads.
  const hwmodels::Host host = host_of(2, 1, 8, 2, 4);
  const auto teams = seats(host, Placement::compact, 1, {1, 5, 9, 17});
  REQUIRE(teams.size() == 3);  // there are 16 cores
  CHECK(numbers(teams[1]) == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(teams[1].clusters == 2);
  CHECK(teams[1].sockets == 1);
  CHECK(teams[2].sockets == 2);
  CHECK(teams[2].clusters == 3);
  CHECK(teams[2].cores == 9);
}

TEST_CASE("two threads per core sit on the same core, and odd counts have no such seats") {
  const auto teams = seats(host_of(2, 1, 8, 2, 4), Placement::compact, 2, {2, 3, 32, 34});
  REQUIRE(teams.size() == 2);
  CHECK(numbers(teams[0]) == std::vector<int>{0, 16});
  CHECK(teams[0].cores == 1);
  CHECK(teams[0].threads_per_core == 2);
  CHECK(teams[1].cores == 16);
}

TEST_CASE("scattered seats take sockets, then domains, then caches in turn") {
  // Domains of a socket: cores 0..3 and 4..7; an L3 for two cores.
  const auto teams = seats(host_of(2, 2, 8, 1, 2), Placement::scattered, 1, {8});
  REQUIRE(teams.size() == 1);
  CHECK(numbers(teams[0]) == std::vector<int>{0, 8, 4, 12, 2, 10, 6, 14});
  CHECK(teams[0].clusters == 8);
}

TEST_CASE("seats use granted CPUs only") {
  hwmodels::Host host = host_of(1, 1, 8, 2, 8);
  host.grant.affinity = {2, 3, 11};  // 11 is the second thread of core 3
  const auto teams = seats(host, Placement::compact, 1, {1, 2, 3});
  REQUIRE(teams.size() == 2);
  CHECK(numbers(teams[1]) == std::vector<int>{2, 3});
  const auto both = seats(host, Placement::compact, 2, {2});
  REQUIRE(both.size() == 1);
  CHECK(numbers(both[0]) == std::vector<int>{3, 11});
}

TEST_CASE("seats of a domain are its cores") {
  const hwmodels::Host host = host_of(2, 2, 8, 1, 2);
  CHECK(numbers(seats_of_domain(host, 3, 8)) == std::vector<int>{12, 13, 14, 15});
  CHECK(seats_of_domain(host, 3, 1).cores == 1);
  CHECK(seats_of_domain(host, 4, 8).cpus.empty());
}

TEST_CASE("thread counts have both sides of the borders of caches, domains and sockets") {
  const hwmodels::Machine machine = host_of(2, 2, 20, 1, 10).machine;
  CHECK(thread_counts(machine, 40) ==
        std::vector<int>{1, 2, 3, 4, 6, 8, 10, 11, 12, 16, 20, 21, 24, 30, 31, 32, 40});
  CHECK(thread_counts(machine, 1) == std::vector<int>{1});
  CHECK(thread_counts(machine, 5) == std::vector<int>{1, 2, 3, 4, 5});
}

TEST_CASE("a team runs its body once on every thread, again and again, with more threads than CPUs too") {
  const std::vector<int> usable = hwmodels::read_grant().usable();
  REQUIRE_FALSE(usable.empty());
  const std::size_t size = usable.size() + 2;
  Team team(std::vector<int>(size, usable[0]));
  std::vector<std::atomic<int>> calls(size);
  for (int round = 0; round < 50; ++round) {
    const Seconds time = team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
    CHECK(time >= Seconds(0.0));
  }
  for (const std::atomic<int>& count : calls) CHECK(count == 50);
  CHECK(team.not_pinned().empty());
}

TEST_CASE("a team on a CPU that is not there runs unpinned and says so, and gives the caller its CPUs back") {
  const std::vector<int> before = hwmodels::read_grant().affinity;
  {
    Team team({60000, 60001});
    CHECK(team.not_pinned().find("cannot pin to CPU 6000") == 0);
    int calls = 0;
    team.run([&](int thread) { calls += thread == 0 ? 1 : 0; });
    CHECK(calls == 1);
  }
  { Team team({before.at(0)}); }
  CHECK(hwmodels::read_grant().affinity == before);
}

TEST_CASE("working sets go from half of L1 to four times the caches, and no further than memory allows") {
  const hwmodels::Host host = host_of(1, 1, 8, 1, 8);
  const Seats one = seats(host, Placement::compact, 1, {1}).at(0);
  const WorkingSets all = working_sets(host.machine, one, Effort::normal, 4.0, Bytes(1e12));
  CHECK(all.bytes_per_thread.front() == doctest::Approx(16384.0));
  CHECK(all.bytes_per_thread.back() == doctest::Approx(4.0 * (33554432.0 + 1048576.0)));
  CHECK_FALSE(all.cut.has_value());
  // log2(132 MiB / 16 KiB) = 13.04: 13 steps.
  CHECK(all.bytes_per_thread.size() == 14);
  const WorkingSets little = working_sets(host.machine, one, Effort::normal, 4.0, Bytes(1e6));
  CHECK(little.bytes_per_thread.back() == doctest::Approx(1e6));
  CHECK(little.cut.has_value());
}

TEST_CASE("CPU time is read from the first line of /proc/stat") {
  const auto ticks = parse_cpu_ticks("cpu  10 20 30 1000 5 1 2 7 3 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
  REQUIRE(ticks.has_value());
  CHECK(ticks->busy == 10.0 + 20.0 + 30.0 + 1.0 + 2.0);
  CHECK(ticks->steal == 7.0);
  CHECK_FALSE(parse_cpu_ticks("intr 1 2 3\n").has_value());
}

TEST_CASE("throttled periods are read from both versions of cpu.stat") {
  CHECK(parse_throttled("nr_periods 10\nnr_throttled 4\nthrottled_time 123\n") == 4);
  CHECK(parse_throttled("usage_usec 1\nuser_usec 1\nnr_periods 0\nnr_throttled 0\n") == 0);
  CHECK_FALSE(parse_throttled("usage_usec 1\n").has_value());
}

TEST_CASE("what changed between two moments becomes warnings") {
  const hwmodels::Host host = host_of(1, 1, 2, 1, 2);
  Moment before;
  before.clock = Hertz(3.0e9), before.throttled_periods = 5, before.steal_seconds = 1.0;
  before.busy_cpu_seconds = 100.0, before.own_cpu_seconds = 0.0, before.wall_seconds = 0.0;
  Moment after = before;
  after.wall_seconds = 10.0, after.own_cpu_seconds = 15.0, after.busy_cpu_seconds = 116.0;
  Context calm;
  compare(calm, host, before, after);
  CHECK(calm.warnings.empty());  // 0.1 CPUs by others
  after.clock = Hertz(2.85e9), after.throttled_periods = 7, after.steal_seconds = 2.0;
  after.busy_cpu_seconds = 120.0;
  Context context;
  compare(context, host, before, after);
  REQUIRE(context.warnings.size() == 4);
  CHECK(context.warnings[0].find("the clock moved by -5.0 %") == 0);
  CHECK(context.warnings[1].find("in 2 periods") != std::string::npos);
  CHECK(context.warnings[2].find("1.0 s of CPU time") != std::string::npos);
  CHECK(context.warnings[3].find("used 0.5 CPUs") != std::string::npos);
  CHECK(context.throttled_periods == 2);
}

TEST_CASE("rows of which a tenth and more are spread widely are warned of") {
  Row good;
  good.samples = {1.0, 1.0, 1.0};
  Row bad;
  bad.samples = {1.0, 2.0, 3.0};
  std::vector<Row> rows(9, good);
  rows.push_back(bad);
  Context context;
  judge_spread(context, rows, 0.01);
  CHECK(context.warnings.empty());  // exactly a tenth
  rows.push_back(bad);
  judge_spread(context, rows, 0.01);
  CHECK(context.warnings.size() == 1);
}

TEST_CASE("a recorder shares out what is left of its budget") {
  const hwmodels::Host host = host_of(1, 1, 2, 1, 2);
  const SuiteOptions options;
  const Recorder recorder(host, options, Seconds(100.0));
  CHECK(recorder.budget_for_one_of(10).value() == doctest::Approx(10.0).epsilon(0.01));
  CHECK(Recorder(host, options, Seconds(0.0)).budget_for_one_of(3) == Seconds(0.0));
}

}  // namespace
}  // namespace corecast::calibration::microbench
