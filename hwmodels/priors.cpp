#include "hwmodels/priors.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "hwmodels/family.hpp"

namespace corecast::hwmodels {
namespace {

// Lines that another core has just written: as many bytes at once as for the shared cache, over a longer way. Measured on
// two virtual machines: Zen 5 35 GB/s from L2 and 19 from L1 (its L3 alone gives 89), Granite Rapids 27 and 10 (30).
constexpr BytesPerSecond kMostOfPeer{30e9};
constexpr double kFirstOfPeer = 0.45, kPeerError = 0.4;
constexpr double kSyncError = 0.5;     // barriers and wake-ups: estimates within a factor of about two
constexpr double kPageFault_us = 0.6;  // fault and clearing of 4 KiB, Linux on server cores (estimate)
constexpr double kTimeSlice_ms = 3.0;  // Linux CFS, minimum granularity scaled by CPUs (estimate)

const Family* find_family(std::string_view name) {
  const auto& table = family_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Family& f) { return f.name == name; });
  return found == table.end() ? nullptr : &*found;
}

const Family& family_or_generic(std::string_view name) {
  const Family* family = find_family(name);
  return family != nullptr ? *family : *find_family("generic_x86");
}

bool given(double value) {
  return value > 0.0;
}
template <typename Q>
bool given(const Q& value) {
  return value.value() > 0.0;
}

// Builds one machine: each step takes a fact of the sheet where there is one, else the family's figure.
class Builder {
 public:
  Builder(const Datasheet& sheet, const Family& family) : sheet_(sheet), family_(family) {}

  Machine build(const std::string& name) {
    Machine machine;
    machine.name = name;
    machine.family = family_.name;
    machine.sockets = sheet_.sockets;
    machine.domains_per_socket = sheet_.domains_per_socket;
    machine.groups = {core_group()};
    machine.caches = caches(machine.groups[0]);
    machine.memory = memory();
    if (sheet_.sockets > 1) machine.link = link();
    machine.threads = threads();
    machine.description =
        fmt::format("{} x {} cores, {}", machine.sockets, sheet_.cores_per_socket, machine.family);
    return machine;
  }

  [[nodiscard]] Link link() const {
    const double raw =
        given(sheet_.link_bandwidth) ? sheet_.link_bandwidth.value() : family_.link_gb_per_s * 1e9;
    const std::string basis =
        fmt::format("{} of {} of raw link rate", kLinkSustained, to_short_text(BytesPerSecond(raw)));
    return {prior(BytesPerSecond(raw * kLinkSustained), kLinkError, basis),
            prior(Seconds(family_.memory.remote_ns * 1e-9), family_.memory.latency_error)};
  }

  [[nodiscard]] SmtPrior smt() const {
    return {static_cast<int>(family_.threads.smt_ways), prior(family_.threads.gain_compute, 0.05),
            prior(family_.threads.gain_memory, 0.05)};
  }

 private:
  template <typename Q>
  [[nodiscard]] Value<Q> prior(Q value, double error, const std::string& basis = {}) const {
    std::string from = fmt::format("prior of {}", family_.name);
    if (!basis.empty()) from += ": " + basis;
    return {value, error, Origin::prior, from};
  }
  template <typename Q>
  [[nodiscard]] Value<Q> fact(Q value) const {
    return {value, 0.0, sheet_.origin, sheet_.from};
  }
  template <typename Q>
  [[nodiscard]] Value<Q> fact_or(Q value, Q typical, double error) const {
    return given(value) ? fact(value) : prior(typical, error);
  }

  [[nodiscard]] bool offers(Extension extension) const {
    const auto& list = sheet_.extensions;
    return list.empty() || extension == Extension::scalar ||
           std::find(list.begin(), list.end(), extension) != list.end();
  }

  [[nodiscard]] CoreGroup core_group() const {
    CoreGroup group;
    group.cores_per_socket = sheet_.cores_per_socket;
    group.smt = sheet_.smt;
    group.clock = clock();
    group.peaks = peaks();
    if (sheet_.smt > 1) {
      group.smt_gain_compute = prior(family_.threads.gain_compute, 0.05);
      group.smt_gain_memory = prior(family_.threads.gain_memory, 0.05);
    } else {
      group.smt_gain_compute = group.smt_gain_memory = prior(1.0, 0.0, "one hardware thread per core");
    }
    return group;
  }

  [[nodiscard]] const Value<Hertz>* known_all_core(Extension extension) const {
    for (const AllCoreClock& known : sheet_.all_core_clock) {
      if (known.extension == extension) return &known.clock;
    }
    return nullptr;
  }

  [[nodiscard]] Value<Hertz> turbo() const {
    if (given(sheet_.turbo_clock)) return fact(sheet_.turbo_clock);
    // Without a turbo clock: the family's step above the base clock, else its typical part.
    const double step = family_.turbo_ghz / family_.base_ghz;
    if (given(sheet_.base_clock)) return prior(sheet_.base_clock * step, 0.10, "from the base clock");
    return prior(Hertz(family_.turbo_ghz * 1e9), 0.15);
  }

  // With all cores busy. A known scalar clock corrects the family's drop under wider extensions by the same factor.
  [[nodiscard]] Value<Hertz> all_cores(const FamilyClock& ratio) const {
    if (const auto* known = known_all_core(ratio.extension)) return *known;
    const Value<Hertz> top = turbo();
    double correction = 1.0;
    const auto* scalar = known_all_core(Extension::scalar);
    const FamilyClock& first = family_.clocks.front();
    if (scalar != nullptr && first.extension == Extension::scalar) {
      correction = scalar->value / (first.all_cores * top.value);
    }
    const Hertz clock =
        between_known(ratio.extension, std::min(1.0, ratio.all_cores * correction) * top.value);
    return prior(clock, std::hypot(ratio.error, top.relative_error),
                 fmt::format("{:.3g} of the turbo clock", clock / top.value));
  }

  // A wider extension never runs at a higher clock than a narrower one: known clocks bound the others. The family lists
  // its extensions from narrow to wide.
  [[nodiscard]] Hertz between_known(Extension extension, Hertz clock) const {
    bool narrower = true;
    for (const FamilyClock& other : family_.clocks) {
      const auto* known = known_all_core(other.extension);
      if (other.extension == extension) {
        narrower = false;
      } else if (known != nullptr) {
        clock = narrower ? std::min(clock, known->value) : std::max(clock, known->value);
      }
    }
    return clock;
  }

  // Turbo holds for two busy cores and then falls to the all-core clock; between them: linear, as turbo tables are on
  // the whole.
  [[nodiscard]] std::vector<ClockPoint> clock() const {
    std::vector<ClockPoint> points;
    const Value<Hertz> top = turbo();
    for (const FamilyClock& ratio : family_.clocks) {
      if (!offers(ratio.extension)) continue;
      const Value<Hertz> all = all_cores(ratio);
      Value<Hertz> one = top;
      if (ratio.one_core < 1.0) one = prior(ratio.one_core * top.value, 0.05, "of the turbo clock");
      if (one.value < all.value) one = all;  // a sheet may state an all-core clock above the family's guess
      const int cores = sheet_.cores_per_socket;
      points.push_back({ratio.extension, 1, one});
      if (cores > 2) points.push_back({ratio.extension, 2, one});
      if (cores > 1) points.push_back({ratio.extension, cores, all});
    }
    return points;
  }

  [[nodiscard]] std::vector<Peak> peaks() const {
    std::vector<Peak> list;
    for (const FamilyPeak& peak : family_.peaks) {
      if (!offers(peak.extension)) continue;
      const bool wide = peak.extension == Extension::avx512 || peak.extension == Extension::vnni ||
                        peak.extension == Extension::bf16;
      const double units = wide && sheet_.fma_units_512 == 1 ? 0.5 : 1.0;
      list.push_back(
          {peak.type,
           peak.extension,
           {peak.flop_per_cycle * units, 0.0, Origin::prior, fmt::format("prior of {}", family_.name)}});
    }
    const auto is_fp32 = [](const Peak& peak) { return peak.type == DataType::fp32; };
    if (std::none_of(list.begin(), list.end(),
                     is_fp32)) {  // no vectors at all: two scalar multiply-adds per cycle
      list.push_back({DataType::fp32, Extension::scalar, prior(4.0, 0.3, "without vector extensions")});
    }
    std::sort(list.begin(), list.end(), [](const Peak& a, const Peak& b) {
      return a.type != b.type ? a.type < b.type : a.extension < b.extension;
    });
    return list;
  }

  [[nodiscard]] std::vector<CacheLevel> caches(const CoreGroup& group) const {
    const FamilyCaches& f = family_.caches;
    // Clock that goes with streaming code: vectors of the middle width, all cores busy.
    const double clock =
        clock_at(group, family_.clocks[std::min<std::size_t>(1, family_.clocks.size() - 1)].extension,
                 group.cores_per_socket)
            .value();
    const auto private_level = [&](int level, Bytes size, double kib, double bytes_per_cycle, double cycles) {
      CacheLevel cache;
      cache.level = level;
      cache.size = fact_or(size, Bytes(kib * 1024.0), 0.0);
      cache.bandwidth_per_core =
          prior(BytesPerSecond(bytes_per_cycle * clock), f.error, fmt::format("{} B/cycle", bytes_per_cycle));
      cache.latency = prior(Seconds(cycles / clock), f.error, fmt::format("{} cycles", cycles));
      return cache;
    };
    std::vector<CacheLevel> levels{private_level(1, sheet_.l1, f.l1_kib, f.l1_bytes_per_cycle, f.l1_cycles),
                                   private_level(2, sheet_.l2, f.l2_kib, f.l2_bytes_per_cycle, f.l2_cycles),
                                   last_level(clock)};
    if (sheet_.cores_per_socket > 1) {
      const BytesPerSecond rest = std::min(levels[2].bandwidth_per_core.value, kMostOfPeer);
      levels[0].peer_bandwidth = prior(rest * kFirstOfPeer, kPeerError);
      levels[1].peer_bandwidth = prior(rest, kPeerError);
    }
    return levels;
  }

  [[nodiscard]] CacheLevel last_level(double clock) const {
    const FamilyCaches& f = family_.caches;
    CacheLevel cache;
    cache.level = 3;
    cache.shared_by_cores = sheet_.l3_shared_by_cores > 0 ? sheet_.l3_shared_by_cores : f.l3_shared_by_cores;
    const int sharers = cache.shared_by_cores > 0 ? std::min(cache.shared_by_cores, sheet_.cores_per_socket)
                                                  : sheet_.cores_per_socket;
    const double mib = f.l3_shared_by_cores > 0 ? f.l3_mib : f.l3_mib * sharers;
    cache.size = fact_or(sheet_.l3, Bytes(mib * 1024.0 * 1024.0), 0.3);
    const double one = f.l3_gb_per_s > 0.0 ? f.l3_gb_per_s * 1e9 : f.l3_bytes_per_cycle * clock;
    cache.bandwidth_per_core = prior(BytesPerSecond(one), f.error);
    if (sharers > 1) {
      cache.bandwidth_per_instance =
          prior(BytesPerSecond(one * sharers * f.l3_all_cores), f.error,
                fmt::format("{} cores at {} of one alone", sharers, f.l3_all_cores));
    }
    cache.latency = prior(Seconds(f.l3_ns * 1e-9), f.error);
    return cache;
  }

  [[nodiscard]] Memory memory() const {
    const FamilyMemory& f = family_.memory;
    const int channels = sheet_.memory_channels > 0 ? sheet_.memory_channels : f.channels;
    const double rate = given(sheet_.memory_mega_transfers) ? sheet_.memory_mega_transfers : f.mega_transfers;
    const bool known = sheet_.memory_channels > 0 && given(sheet_.memory_mega_transfers);
    const double socket = channels * rate * 1e6 * 8.0 * f.sustained;
    Memory memory;
    // Where the channels are the family's and not this machine's, the error is that of a guess.
    memory.bandwidth = prior(BytesPerSecond(socket), known ? f.sustained_error : f.sustained_error + 0.15,
                             fmt::format("{} of {} x {} MT/s", f.sustained, channels, rate));
    // One core cannot have more than the socket has (desktop parts with few channels).
    memory.core_bandwidth = prior(BytesPerSecond(std::min(f.core_gb_per_s * 1e9, socket)), f.core_error);
    memory.saturation_shape = prior(f.shape, 0.2);
    memory.latency = prior(Seconds(f.local_ns * 1e-9), f.latency_error);
    memory.page_fault = prior(Seconds(kPageFault_us * 1e-6), 0.4);
    if (given(sheet_.memory_capacity)) memory.capacity = fact(sheet_.memory_capacity);
    if (f.cluster_gb_per_s > 0.0)
      memory.cluster_bandwidth = prior(BytesPerSecond(f.cluster_gb_per_s * 1e9), 0.15);
    return memory;
  }

  [[nodiscard]] Threads threads() const {
    const FamilyThreads& f = family_.threads;
    return {prior(Seconds(f.barrier_ns * 1e-9), kSyncError), prior(Seconds(f.doubling_ns * 1e-9), kSyncError),
            prior(Seconds(f.wake_up_us * 1e-6), kSyncError), prior(Seconds(kTimeSlice_ms * 1e-3), 0.3)};
  }

  const Datasheet& sheet_;
  const Family& family_;
};

}  // namespace

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const Family& family : family_table()) names.emplace_back(family.name);
  return names;
}

Machine machine_from_datasheet(const Datasheet& sheet, const std::string& name) {
  const Family* family = find_family(sheet.family);
  if (family == nullptr) {
    const std::string near = did_you_mean(sheet.family, families());
    throw InputError(name, "unknown family " + quote(sheet.family),
                     near.empty() ? "\"generic_x86\" and \"generic_arm\" stand for any" : near);
  }
  Machine machine = Builder(sheet, *family).build(name);
  check(machine, name);
  return machine;
}

Link prior_link(std::string_view family) {
  return Builder({}, family_or_generic(family)).link();
}

SmtPrior prior_smt(std::string_view family) {
  SmtPrior prior = Builder({}, family_or_generic(family)).smt();
  prior.ways = std::max(prior.ways, 2);  // asked for when SMT is switched on
  return prior;
}

}  // namespace corecast::hwmodels
