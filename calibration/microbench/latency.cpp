// Group "latency": dependent loads through caches and memory, of other domains, and while other threads read.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "calibration/microbench/points.hpp"
#include "calibration/microbench/record.hpp"
#include "calibration/microbench/streams.hpp"
#include "calibration/microbench/working_sets.hpp"
#include "hwmodels/cpu_features.hpp"
#include "hwmodels/size_text.hpp"

namespace corecast::calibration::microbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Seconds kLeast{0.03};
constexpr Seconds kMost{0.8};
// Of a random walk in c times the last cache, 1 / c of the loads still hit it; but linking 8 times the cache takes long.
double times_last_cache(Effort effort) {
  return effort == Effort::quick ? 4.0 : 8.0;
}
// Linking takes a miss a line: beyond this it would eat the time of all other points. Twice the last cache at least.
constexpr Bytes kEnough{1024.0 * 1024.0 * 1024.0};
Bytes most_bytes(const hwmodels::Machine& machine) {
  const Bytes last = machine.caches.empty() ? Bytes{} : machine.caches.back().size.value;
  return std::min(memory_allowance(), std::max(kEnough, last * 2.0));
}
constexpr std::size_t kLine = 64;
constexpr std::uint64_t kSeed = 20;
constexpr std::int64_t kLoads = 1024;                    // of one operation
constexpr std::size_t kBlockElements = 4096;             // what a reader reads between two pauses: 16 KiB
constexpr double kReaderBytes = 16.0 * 1024.0 * 1024.0;  // at least, of each reader

struct Point {
  std::size_t bytes = 0;
  Seats seats;                                 // the first chases, the others read
  int pause = 0;                               // turns of an empty loop between two blocks
  std::optional<std::pair<int, int>> domains;  // of the CPU and of the memory
  Seats owners;                                // the first touches the memory; none: the chaser
};

std::string describe(const Point& point) {
  const std::string size = hwmodels::size_text(Bytes(static_cast<double>(point.bytes)));
  if (point.domains) {
    return fmt::format("chase {}, domain {} to {}", size, point.domains->first, point.domains->second);
  }
  if (point.seats.cpus.size() == 1) return fmt::format("chase {}", size);
  return fmt::format("loaded chase {}, {} readers, pause {}", size, point.seats.cpus.size() - 1, point.pause);
}

// One cycle through a buffer; linked by its owner, so that the memory is there.
class Cycle {
 public:
  Cycle(std::size_t bytes, const std::vector<int>& owner) : buffer_(bytes, Pages::huge), at_(buffer_.data()) {
    Team(owner).run([&](int) { link_cycle(buffer_.data(), bytes / kLine, kSeed); });
  }
  void follow(std::int64_t loads) { at_ = chase(at_, loads); }

 private:
  Buffer buffer_;
  const void* at_;
};

Row row_for(const Point& point, const std::string& kernel) {
  Row row;
  row.group = Group::latency, row.kernel = kernel, row.unit = Unit::seconds;
  put_seats(row, point.seats);
  row.working_set = Bytes(static_cast<double>(point.bytes));
  if (point.domains) row.cpu_domain = point.domains->first, row.memory_domain = point.domains->second;
  return row;
}

void measure_chase(Recorder& recorder, const Point& point, Cycle& cycle, Seconds budget) {
  Team team(cpu_numbers(point.seats));
  const auto run = [&](std::int64_t operations) {
    return team.run([&](int) { cycle.follow(kLoads * operations); });
  };
  add_times(recorder, row_for(point, "chase"), sample(run, sampling_options(recorder, budget)), kLoads);
}

struct alignas(128) Reader {
  double bytes = 0.0;
  std::uint32_t checksum = 0;
  std::size_t position = 0;
};

// Reads blocks of its memory in turn, pausing between them, until told to stop.
void read_until(const std::atomic<bool>& stop, const StreamKernels& kernels, const float* memory,
                std::size_t elements, int pause, Reader& reader) {
  while (!stop.load(std::memory_order_relaxed)) {
    reader.checksum += kernels.read(memory + reader.position, kBlockElements, 1);
    reader.bytes += static_cast<double>(kBlockElements * sizeof(float));
    reader.position = reader.position + 2 * kBlockElements <= elements ? reader.position + kBlockElements : 0;
    for (int i = 0; i < pause; ++i) __asm__ volatile("");
  }
}

// The chaser's own time counts; what the readers drew meanwhile is an average over all repetitions.
void measure_loaded(Recorder& recorder, const Point& point, const StreamKernels& kernels, Rig& rig,
                    Cycle& cycle, Seconds budget) {
  std::vector<Reader> readers(point.seats.cpus.size());
  const std::size_t elements = rig.bytes_per_thread() / sizeof(float);
  Seconds chasing{};
  const auto run = [&](std::int64_t operations) {
    std::atomic<bool> stop{false};
    Seconds own{};
    rig.team().run([&](int thread) {
      if (thread != 0) {
        read_until(stop, kernels, rig.memory(thread), elements, point.pause,
                   readers[static_cast<std::size_t>(thread)]);
        return;
      }
      const auto begin = Clock::now();
      cycle.follow(kLoads * operations);
      own = Seconds(std::chrono::duration<double>(Clock::now() - begin).count());
      stop.store(true, std::memory_order_relaxed);
    });
    chasing += own;
    return own;
  };
  Row row = row_for(point, "loaded");
  const Sampling sampling = sample(run, sampling_options(recorder, budget));
  double drawn = 0.0;
  for (const Reader& reader : readers) drawn += reader.bytes;
  row.background = BytesPerSecond(drawn / chasing.value());
  add_times(recorder, std::move(row), sampling, kLoads);
}

// Idle: memory first, then from the first cache to the last, for the larger a set, the longer its linking; then other
// domains. Loaded: all cores of a socket, and half of them.
class Points {
 public:
  explicit Points(Recorder& recorder) : recorder_(recorder) {
    const hwmodels::Host& host = recorder.host();
    for (const Seats& one : seats(host, Placement::compact, 1, {1})) {
      const WorkingSets sets = working_sets(host.machine, one, recorder.effort(),
                                            times_last_cache(recorder.effort()), most_bytes(host.machine));
      if (sets.cut) recorder.not_measured("latency", *sets.cut + ", for want of memory or time");
      for (const double bytes : sets.bytes_per_thread) {
        idle_.push_back({.bytes = whole_lines(bytes), .seats = one, .pause = 0, .domains = {}, .owners = {}});
      }
    }
    if (idle_.empty()) return;
    std::rotate(idle_.begin(), idle_.end() - 1, idle_.end());
    domain_pairs();
  }

  [[nodiscard]] const std::vector<Point>& idle() const { return idle_; }

  [[nodiscard]] std::vector<Point> loaded() const {
    const hwmodels::Host& host = recorder_.host();
    // The readers share the chaser's socket: what they do to another socket's memory does not slow its loads.
    const int most = std::min(host.grant.cores(), host.machine.cores_per_socket());
    if (most < 2 || idle_.empty()) return {};
    std::vector<Point> points;
    for (const Seats& team : seats(host, Placement::compact, 1, {most, most / 2})) {
      if (team.cpus.size() < 2) continue;
      for (const int pause : pauses()) {
        points.push_back(
            {.bytes = idle_[0].bytes, .seats = team, .pause = pause, .domains = {}, .owners = {}});
      }
      if (recorder_.effort() == Effort::quick) break;
    }
    return points;
  }

 private:
  static std::size_t whole_lines(double bytes) { return static_cast<std::size_t>(bytes) / kLine * kLine; }

  [[nodiscard]] std::vector<int> pauses() const {
    if (recorder_.effort() == Effort::quick) return {0, 4000};
    return {0, 1000, 4000, 16000, 64000};
  }

  void domain_pairs() {
    const hwmodels::Host& host = recorder_.host();
    for (int cpu = 0; cpu < host.machine.domains() && host.machine.domains() > 1; ++cpu) {
      for (int memory = 0; memory < host.machine.domains(); ++memory) {
        Point point = idle_[0];
        point.seats = seats_of_domain(host, cpu, 1);
        point.owners = seats_of_domain(host, memory, 1);
        if (point.seats.cpus.empty() || point.owners.cpus.empty()) continue;
        point.domains = {cpu, memory};
        if (cpu != memory) point.seats.placement = Placement::remote;
        idle_.push_back(point);
      }
    }
  }

  Recorder& recorder_;
  std::vector<Point> idle_;
};

template <typename Measure>
void measure_points(Recorder& recorder, const std::vector<Point>& points, Measure measure) {
  const std::size_t done =
      spend_budget(recorder, points, kLeast, kMost, [&](const Point& point, Seconds budget) {
        recorder.begin(describe(point));
        try {
          measure(point, budget);
        } catch (const std::bad_alloc&) {
          recorder.not_measured(describe(point), "the system gave no memory");
        }
      });
  for (std::size_t i = done; i < points.size(); ++i) {
    recorder.not_measured(describe(points[i]), "the time budget ended");
  }
}

// What consecutive points share, for linking a cycle and touching memory take longer than measuring.
class LatencyGroup {
 public:
  LatencyGroup(Recorder& recorder, const StreamKernels* kernels) : recorder_(recorder), kernels_(kernels) {}

  void measure(const Point& point, Seconds budget) {
    const std::vector<int> cpus = cpu_numbers(point.seats);
    const int owner = point.owners.cpus.empty() ? cpus.at(0) : cpu_numbers(point.owners).at(0);
    if (!cycle_ || linked_ != std::pair{point.bytes, owner}) {
      rig_.reset();
      cycle_.reset();  // its memory is free before more is taken
      cycle_ = std::make_unique<Cycle>(point.bytes, std::vector<int>{owner});
      linked_ = {point.bytes, owner};
    }
    if (cpus.size() == 1) {
      measure_chase(recorder_, point, *cycle_, budget);
      return;
    }
    if (!rig_ || rig_->cpus() != cpus) {
      rig_.reset();
      rig_ = std::make_unique<Rig>(cpus, reader_bytes(point));
    }
    measure_loaded(recorder_, point, *kernels_, *rig_, *cycle_, budget);
  }

 private:
  // Together the readers' memory is outside of the caches, as the chaser's is.
  static std::size_t reader_bytes(const Point& point) {
    const auto threads = static_cast<double>(point.seats.cpus.size());
    const double wanted = std::max(kReaderBytes, static_cast<double>(point.bytes) / (threads - 1.0));
    const double granted = std::min(wanted, memory_allowance().value() / threads);
    return static_cast<std::size_t>(std::max(granted, 2.0 * kBlockElements * sizeof(float)));
  }

  Recorder& recorder_;
  const StreamKernels* kernels_;
  std::unique_ptr<Cycle> cycle_;
  std::pair<std::size_t, int> linked_;  // bytes and owner of the cycle
  std::unique_ptr<Rig> rig_;
};

}  // namespace

void measure_latency(Recorder& recorder) {
  const KernelsAvailable kernels = kernels_available(hwmodels::detect_features().extensions);
  const StreamKernels* const readers = kernels.streams ? kernels.streams->kernels : nullptr;
  Points all(recorder);
  // Memory alone, then under load, then the caches and the other domains.
  std::vector<Point> points = all.idle();
  const std::vector<Point> loaded = readers == nullptr ? std::vector<Point>{} : all.loaded();
  if (loaded.empty()) recorder.not_measured("loaded latency", "no second core to read meanwhile");
  if (!points.empty()) points.insert(points.begin() + 1, loaded.begin(), loaded.end());
  LatencyGroup group(recorder, readers);
  measure_points(recorder, points, [&](const Point& point, Seconds budget) { group.measure(point, budget); });
}

}  // namespace corecast::calibration::microbench
