#include "calibration/microbench/bandwidth_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calibration/microbench/points.hpp"
#include "calibration/microbench/working_sets.hpp"

namespace corecast::calibration::microbench {
namespace {

constexpr double kTimesLastCache = 4.0;
// Small, so that several repetitions fit where a fault takes tens of microseconds, as in some virtual machines.
constexpr double kFaultBytes = 4.0 * 1024.0 * 1024.0;

using Streams = std::vector<Stream>;

struct Sized {
  RankedSeats team;
  WorkingSets sets;
};

class Points {
 public:
  Points(Recorder& recorder, Bytes allowance) : recorder_(recorder), allowance_(allowance) {
    for (const RankedSeats& team : ranked_teams(recorder.host())) teams_.push_back(sized(team));
    const int cores = recorder.host().grant.cores();
    // Both threads of one core.
    if (recorder.host().machine.max_smt() > 1 && recorder.host().grant.cpus() >= 2 && cores > 1) {
      for (const Seats& pair : seats(recorder.host(), Placement::compact, 2, {2}))
        teams_.push_back(sized({pair, 1}));
    }
  }

  [[nodiscard]] std::vector<BandwidthPoint> take() { return std::move(points_); }

  void outside_of_caches(int rank, const Streams& streams) {
    for (const Sized& team : teams_) {
      if (team.team.rank == rank) outside_of_caches(team, streams);
    }
  }

  // Sizes of the grid but for the last, every `stride`th.
  void through_caches(int least_rank, int most_rank, const Streams& streams, std::size_t stride,
                      bool shared_only) {
    for (const Sized& team : teams_) {
      if (team.team.rank < least_rank || team.team.rank > most_rank) continue;
      const double least = shared_only ? private_bytes(recorder_.host().machine, team.team.seats) : 0.0;
      for (const Stream stream : streams) {
        for (std::size_t i = 0; i + 1 < team.sets.bytes_per_thread.size(); i += stride) {
          const double bytes = team.sets.bytes_per_thread[i];
          if (bytes > least) add(team, stream, bytes);
        }
      }
    }
  }

  // Only where the same number of threads would sit on other CPUs than the compact ones.
  void scattered(const Streams& streams) {
    const int cores = recorder_.host().grant.cores();
    const auto counts = thread_counts(recorder_.host().machine, cores);
    for (const Seats& apart : seats(recorder_.host(), Placement::scattered, 1, counts)) {
      const auto threads = static_cast<int>(apart.cpus.size());
      const std::vector<Seats> near = seats(recorder_.host(), Placement::compact, 1, {threads});
      if (sorted_numbers(apart) != sorted_numbers(near.at(0))) outside_of_caches(sized({apart, 2}), streams);
    }
  }

  void page_faults() {
    for (const Sized& team : teams_) {
      if (team.team.rank != 0) continue;
      const auto threads = static_cast<double>(team.team.seats.cpus.size());
      BandwidthPoint point;
      point.seats = team.team.seats, point.kernel = "first_touch";
      point.bytes_per_thread = std::min(kFaultBytes, allowance_.value() / threads);
      points_.push_back(point);
    }
  }

  // Every pair of domains, by all cores of the one and by a single core.
  void domain_pairs() {
    const hwmodels::Host& host = recorder_.host();
    for (int cpus = 0; cpus < host.machine.domains() && host.machine.domains() > 1; ++cpus) {
      for (int memory = 0; memory < host.machine.domains(); ++memory) {
        domain_pair(cpus, memory, host.grant.cores());
        if (cpus != memory) domain_pair(cpus, memory, 1);
      }
    }
  }

 private:
  static std::vector<int> sorted_numbers(const Seats& seats) {
    std::vector<int> numbers = cpu_numbers(seats);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  Sized sized(const RankedSeats& team) {
    Sized result{team, working_sets(recorder_.host().machine, team.seats, recorder_.effort(), kTimesLastCache,
                                    allowance_)};
    if (result.sets.cut) {
      recorder_.not_measured("bandwidth", *result.sets.cut + ", for want of memory");
    }
    return result;
  }

  void outside_of_caches(const Sized& team, const Streams& streams) {
    for (const Stream stream : streams) add(team, stream, team.sets.bytes_per_thread.back());
  }

  void add(const Sized& team, Stream stream, double bytes) {
    BandwidthPoint point;
    point.seats = team.team.seats, point.stream = stream, point.kernel = traits_of(stream).name;
    point.bytes_per_thread = bytes;
    point.largest = static_cast<std::size_t>(team.sets.bytes_per_thread.back()) + kStrideLoss;
    points_.push_back(point);
  }

  void domain_pair(int cpus, int memory, int most) {
    Seats users = seats_of_domain(recorder_.host(), cpus, most);
    const Seats owners = seats_of_domain(recorder_.host(), memory, most);
    if (users.cpus.empty() || owners.cpus.empty()) {
      recorder_.not_measured(fmt::format("bandwidth from domain {} to memory of domain {}", cpus, memory),
                             "no CPU of one of them is granted");
      return;
    }
    if (cpus != memory) users.placement = Placement::remote;
    const Sized team = sized({users, 1});
    add(team, Stream::read, team.sets.bytes_per_thread.back());
    points_.back().domains = {cpus, memory};
    if (cpus != memory) points_.back().owners = owners;
  }

  Recorder& recorder_;
  Bytes allowance_;
  std::vector<Sized> teams_;
  std::vector<BandwidthPoint> points_;
};

}  // namespace

std::vector<BandwidthPoint> bandwidth_points(Recorder& recorder, Bytes allowance) {
  const bool quick = recorder.effort() == Effort::quick;
  Points points(recorder, allowance);
  points.outside_of_caches(0, {Stream::read, Stream::triad_nt, Stream::triad, Stream::copy});
  points.through_caches(0, 0, {Stream::read}, 1, false);
  points.page_faults();
  points.outside_of_caches(1, {Stream::read, Stream::triad_nt});
  points.domain_pairs();
  points.outside_of_caches(2, {Stream::read, Stream::triad_nt});
  points.scattered({Stream::read, Stream::triad_nt});
  points.outside_of_caches(0, {Stream::copy_nt, Stream::write, Stream::write_nt, Stream::update});
  points.through_caches(0, 0, {Stream::copy, Stream::triad}, 1, false);
  if (quick) return points.take();
  points.outside_of_caches(1, {Stream::triad, Stream::copy});
  points.through_caches(1, 1, {Stream::read}, 2, false);
  points.through_caches(0, 0, {Stream::write, Stream::update}, 1, false);
  points.through_caches(0, 0, {Stream::triad_nt, Stream::copy_nt, Stream::write_nt}, 2, true);
  points.through_caches(2, 2, {Stream::read}, 2, false);
  return points.take();
}

}  // namespace corecast::calibration::microbench
