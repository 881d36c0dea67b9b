// Measurements: what microbenchmarks saw on one host, every repetition of it, and under which circumstances.
// Schema corecast.measurements/1 (README.md). The fit reads this alone, so a file from another host, or one made from
// published figures, is fitted the same way. Value types only; check() holds the invariants, and every reader calls it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_type.hpp"
#include "base/kernel_class.hpp"
#include "base/quantity.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::calibration {

// What `calibrate --only` names.
enum class Group { peak, bandwidth, latency, threads, kernels };
inline constexpr std::array<std::string_view, 5> kGroupNames{"peak", "bandwidth", "latency", "threads",
                                                             "kernels"};
[[nodiscard]] std::string_view name_of(Group group);
[[nodiscard]] std::optional<Group> group_named(std::string_view name);

// What a sample counts. Rates are of all threads together, and a sample is one repetition.
enum class Unit { seconds, flop_per_second, bytes_per_second, hertz };
[[nodiscard]] std::string_view name_of(Unit unit);  // "s", "flop/s", "B/s", "Hz"
[[nodiscard]] std::optional<Unit> unit_named(std::string_view name);

// compact: one last-level cache, one domain, one socket is filled before the next is begun.
// scattered: sockets, then domains, then last-level caches take turns. remote: CPUs of one domain, memory of another.
enum class Placement { compact, scattered, remote };
[[nodiscard]] std::string_view name_of(Placement placement);
[[nodiscard]] std::optional<Placement> placement_named(std::string_view name);

// One benchmark at one point. What `kernel` may be, and what its samples are:
//   peak       multiply_add (flop/s), clock (Hz: a chain of dependent additions, one per cycle)
//   bandwidth  read, write, write_nt, copy, copy_nt, triad, triad_nt, update, daxpy, ... (B/s): bytes the program asks to
//              read and write, without the line fetches that a plain store causes; first_touch (s per 4 KiB page)
//   latency    chase (s per dependent load), loaded (the same while the other threads read: `background`)
//   threads    barrier_spin, barrier_sleep, fork_join_spin, fork_join_sleep, wake_up, thread_create, task_queue (s per
//              operation); peer_read (s for one core to read working_set, which another core has just written);
//              oversubscription: `threads` above the granted CPUs
//   kernels    a kernel class (base/kernel_class.hpp) in a library (s per call; flop/s from published curves)
struct Row {
  Group group = Group::peak;
  std::string kernel;
  std::optional<DataType> type;
  std::optional<hwmodels::Extension> extension;
  std::string library;         // kernels: "oneDNN 2.6.3"
  std::string implementation;  // kernels: what the library dispatched, e.g. "jit:avx512_core"
  int threads = 1;
  int threads_per_core = 1;  // hardware threads used of each core
  int cores = 1;             // distinct physical cores
  int sockets = 1;           // with a thread on them
  int clusters = 1;          // instances of the last-level cache with a thread on them
  Placement placement = Placement::compact;
  std::optional<int> cpu_domain;  // of remote and per-domain rows
  std::optional<int> memory_domain;
  Bytes working_set{};                        // of all threads together; 0: does not matter
  std::optional<BytesPerSecond> background;   // loaded latency: what the other threads drew meanwhile
  std::map<std::string, std::int64_t> shape;  // kernels: m, n, k, or channels, height, ...
  Flops flop{};                               // of one sample in seconds; 0 where samples are rates
  Bytes bytes{};                              // compulsory, of one sample in seconds
  Unit unit = Unit::seconds;
  std::vector<double> samples;
  std::string note;  // e.g. "stopped by the time budget at 4 % spread"
  friend bool operator==(const Row&, const Row&) = default;
};

// Circumstances. Text that a system or library gave is kept as it was; empty = not known.
struct Context {
  std::string source;  // "corecast calibrate", or where published figures come from (a citation)
  std::string date;    // given by the caller, ISO 8601; never read from a clock here
  std::string host, cpu, kernel, compiler, corecast_version;
  std::string governor, smt, huge_pages, clock_source;
  std::map<std::string, std::string> libraries;  // name -> version and what it dispatches
  std::vector<int> granted_cpus;                 // the system's numbers
  std::optional<double> quota_cpus;
  bool virtual_machine = false;
  std::optional<double> load_before, load_after;   // load average over one minute
  std::optional<std::int64_t> throttled_periods;   // of the cgroup's quota while it ran
  std::optional<double> steal_seconds;             // CPU time the hypervisor gave to others while it ran
  std::optional<Hertz> clock_before, clock_after;  // by the chain of additions, one core
  std::vector<std::string> not_measured;           // groups and kernels left out, and why
  std::vector<std::string> warnings;
  friend bool operator==(const Context&, const Context&) = default;
};

struct Measurements {
  Context context;
  hwmodels::Machine machine;  // what was known before: topology, datasheet or detection, priors for the rest
  std::vector<Row> rows;
  friend bool operator==(const Measurements&, const Measurements&) = default;
};

// InputError naming the row and the field: not finite or not positive samples, counts out of range, a unit that does not
// belong to the kernel, more cores than the machine has.
void check(const Measurements& measurements, const std::string& place);

// In base units; samples must not be empty.
[[nodiscard]] double median(std::vector<double> samples);
// Standard error of the median over the median: 1.2533 * 1.4826 MAD / (sqrt(N) median); 0 for one sample.
[[nodiscard]] double relative_spread(const std::vector<double>& samples);
// The best sample: the largest rate or the smallest time.
[[nodiscard]] double best(const Row& row);

[[nodiscard]] Measurements parse_measurements_json(std::string_view text, const std::string& file);
[[nodiscard]] Measurements read_measurements(const std::filesystem::path& path);
[[nodiscard]] std::string to_json_text(const Measurements& measurements);  // stable bytes, round trips

}  // namespace corecast::calibration
