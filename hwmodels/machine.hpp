// Machine: topology and capacities of a host, each value with its uncertainty and origin. Value types only; invariants
// are checked by `check(machine)`, which every reader and changer calls.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/data_type.hpp"
#include "base/kernel_class.hpp"
#include "base/quantity.hpp"

namespace corecast::hwmodels {

enum class Origin { measured, fitted, datasheet, detected, prior };
[[nodiscard]] std::string_view name_of(Origin origin);
[[nodiscard]] std::optional<Origin> origin_named(std::string_view name);

template <typename Q>
struct Value {
  Q value{};
  double relative_error = 0.0;  // standard error over value; 0 = exact or not stated
  Origin origin = Origin::prior;
  std::string from;  // where it was read, e.g. "Intel ARK, Xeon Platinum 8180"
  friend bool operator==(const Value&, const Value&) = default;
};

// Vector extension under whose clock and width a kernel runs.
enum class Extension { scalar, sse, neon, avx2, avx512, vnni, sve, bf16, amx };
inline constexpr std::array<std::string_view, 9> kExtensionNames{"scalar", "sse", "neon", "avx2", "avx512",
                                                                 "vnni",   "sve", "bf16", "amx"};
[[nodiscard]] std::string_view name_of(Extension extension);
[[nodiscard]] std::optional<Extension> extension_named(std::string_view name);

// Clock of a core when `active_cores` of its socket work under `extension`. Between two points: linear; below the first
// and beyond the last: constant.
struct ClockPoint {
  Extension extension = Extension::scalar;
  int active_cores = 1;
  Value<Hertz> clock;
  friend bool operator==(const ClockPoint&, const ClockPoint&) = default;
};

// Peak of one core: flop per cycle, 1 multiply-add = 2 flop.
struct Peak {
  DataType type = DataType::fp32;
  Extension extension = Extension::scalar;
  Value<double> flop_per_cycle;
  friend bool operator==(const Peak&, const Peak&) = default;
};

// Cores of one kind. Servers have one group; hybrid parts have two (P, E), the fast one first.
struct CoreGroup {
  std::string name = "core";
  int cores_per_socket = 1;
  int smt = 1;  // hardware threads per core
  std::vector<ClockPoint> clock;
  std::vector<Peak> peaks;
  // Throughput of all hardware threads of a core together over one alone, 0.5..smt; below 1 where threads of dense
  // kernels evict each other's cache blocks. 1 without SMT.
  Value<double> smt_gain_compute{1.0, 0.0, Origin::prior, ""};
  Value<double> smt_gain_memory{1.0, 0.0, Origin::prior, ""};
  friend bool operator==(const CoreGroup&, const CoreGroup&) = default;
};

struct CacheLevel {
  int level = 1;                             // 1, 2, 3, ascending
  Value<Bytes> size;                         // of one instance of this cache
  int shared_by_cores = 1;                   // cores per instance; 0 = all cores of the socket
  Value<BytesPerSecond> bandwidth_per_core;  // sustained, one core, read mostly
  std::optional<Value<BytesPerSecond>>
      bandwidth_per_instance;  // when it saturates below the sum of its cores
  // Private levels: what one core reads of lines that another core has just written and still holds in this level of its
  // own (cache to cache, modified). Not stated: as fast as from the level that the cores share.
  std::optional<Value<BytesPerSecond>> peer_bandwidth;
  Value<Seconds> latency;
  friend bool operator==(const CacheLevel&, const CacheLevel&) = default;
};

// Memory of one socket, shared evenly by its NUMA domains. B(n): saturating_bandwidth of kernel_time.hpp.
struct Memory {
  Value<BytesPerSecond> core_bandwidth;  // b1: one core alone
  Value<BytesPerSecond>
      bandwidth;  // B_sat: the whole socket (all its domains together), sustained, read mostly
  Value<double> saturation_shape{3.0, 0.0, Origin::prior, ""};  // s of B(n)
  Value<Seconds> latency;                                       // local, idle
  Value<Seconds> page_fault;                                    // first touch of one 4 KiB page
  std::optional<Value<Bytes>> capacity;                         // per socket
  // Most that the cores behind one instance of the last cache draw together, where their link to memory saturates before
  // the memory does (AMD: one core complex die).
  std::optional<Value<BytesPerSecond>> cluster_bandwidth;
  friend bool operator==(const Memory&, const Memory&) = default;
};

// Between two sockets, one direction.
struct Link {
  Value<BytesPerSecond> bandwidth;
  Value<Seconds> latency;  // of a remote access, idle
  friend bool operator==(const Link&, const Link&) = default;
};

// What it costs to run threads on this machine (the framework's own share is in sim/runtime.hpp).
struct Threads {
  Value<Seconds> barrier;               // all threads spin; two of them
  Value<Seconds> barrier_per_doubling;  // more for each doubling of the thread count
  Value<Seconds> wake_up;               // a sleeping thread, until it runs
  Value<Seconds> time_slice;            // of the operating system, when more threads are runnable than CPUs
  friend bool operator==(const Threads&, const Threads&) = default;
};

// Which part of the roofline the kernels of a library reach on this machine: parameters of kernel_time.hpp, fitted by
// calibration. m, n, k as in graphs/work.hpp; the caller's thread count and cutting are not part of it.
struct LibraryKernel {
  std::string library;  // "onednn"
  KernelClass kernel = KernelClass::gemm;
  DataType type = DataType::fp32;
  Value<double> efficiency{1.0, 0.0, Origin::prior, ""};         // eta_inf, in (0, 1]
  Value<double> m_half, n_half, k_half;                          // zero: no loss along that dimension
  Value<double> memory_efficiency{1.0, 0.0, Origin::prior, ""};  // of the machine's bandwidth, in (0, 2]
  Value<double> smoothing{8.0, 0.0, Origin::prior, ""};          // p, at least 1
  friend bool operator==(const LibraryKernel&, const LibraryKernel&) = default;
};

// The order of Machine::kernels.
[[nodiscard]] inline bool comes_before(const LibraryKernel& a, const LibraryKernel& b) {
  return std::tie(a.library, a.kernel, a.type) < std::tie(b.library, b.kernel, b.type);
}

// That a calibration made this machine, and of what.
struct CalibrationRecord {
  std::string date;                   // as the measurements state it, ISO 8601
  std::string source;                 // of the measurements
  int rows = 0;                       // that the fit used
  std::string measurements;           // checksum of the measurement file
  std::vector<std::string> warnings;  // why measurements or fit are doubtful, where they are
  friend bool operator==(const CalibrationRecord&, const CalibrationRecord&) = default;
};

struct Machine {
  std::string name;         // "xeon-8180"
  std::string description;  // "2 x Intel Xeon Platinum 8180, 28 cores, 2.5 GHz, 6 x DDR4-2666"
  std::string family;       // microarchitecture: "skylake_sp"
  std::vector<std::string> aliases;
  int sockets = 1;
  int domains_per_socket = 1;  // NUMA domains
  std::vector<CoreGroup> groups{CoreGroup{}};
  std::vector<CacheLevel> caches;
  Memory memory;
  std::optional<Link> link;  // required when sockets > 1
  Threads threads;
  std::vector<LibraryKernel> kernels;  // by library, class, type
  std::optional<CalibrationRecord> calibration;
  friend bool operator==(const Machine&, const Machine&) = default;

  [[nodiscard]] int cores_per_socket() const;  // of all groups
  [[nodiscard]] int cores() const;             // physical, all sockets
  [[nodiscard]] int logical_cpus() const;
  [[nodiscard]] int domains() const { return sockets * domains_per_socket; }
  [[nodiscard]] int max_smt() const;
};

// Throws InputError naming the field, its value and the relation it breaks. `place` stands before the field.
void check(const Machine& machine, const std::string& place);

// Clock of a core of `group` when `active_cores` of the socket run under `extension`; an extension without points
// takes the next narrower one that has some (else the next wider).
[[nodiscard]] Hertz clock_at(const CoreGroup& group, Extension extension, double active_cores);

// The best peak for arithmetic in `type` on this group, by flop per cycle times the clock with all cores active;
// of equals the wider extension. A type without its own entry runs as fp32 (fp16 and bf16 by conversion, integers at
// fp32's rate; fp64 and int64 at half of it: half as many in a vector).
struct PeakChoice {
  Extension extension;
  double flop_per_cycle;
};
[[nodiscard]] PeakChoice peak_for(const CoreGroup& group, DataType type);

// Logical CPUs in the simulator's own numbering: sorted by (smt way, socket, domain, group, core): the first `cores()`
// of them are one per physical core, and `core` counts 0, 1, 2 ... along them. Each group's cores of a socket are spread
// over its domains as evenly as whole cores allow, earlier domains taking one more.
struct Cpu {
  int socket = 0;
  int domain = 0;  // global number
  int group = 0;   // index into machine.groups
  int core = 0;    // global number
  int way = 0;     // 0 = first hardware thread of its core
  friend bool operator==(const Cpu&, const Cpu&) = default;
};
[[nodiscard]] std::vector<Cpu> cpus_of(const Machine& machine);

}  // namespace corecast::hwmodels
