// Group "threads": what it costs to start, stop and wake threads, and to share tasks among them. Samples are
// seconds per operation:
//   barrier_spin     one barrier of all threads, back to back (waiting.hpp)
//   barrier_sleep    from the arrival of the last thread, when the others sleep, until all have passed
//   fork_join_spin   handing an empty function to all workers, until all have run it; back to back
//   fork_join_sleep  the same when the workers sleep; the dispatcher sleeps until the last is done
//   wake_up          from before the call that wakes a sleeping thread, until that thread reads the clock
//   peer_read        for one core to read the row's working set, which another has just written (peer_read.cpp)
//   thread_create    making a thread with an empty function, and joining it; not pinned
//   task_queue       wall time over number of empty tasks, all threads together; implementation "mutex" (queue)
//                    or "counter" (of a parallel loop)
// Rows of barrier_spin with a note that begins "oversubscription" have 1, 2 and 4 threads per CPU, not pinned one
// to one (oversubscription.hpp). The first of them is a reference, not the barrier of a thread pool.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "calibration/microbench/kernels.hpp"
#include "calibration/microbench/points.hpp"
#include "calibration/microbench/suite.hpp"
#include "calibration/microbench/thread_benchmarks.hpp"
#include "hwmodels/cpu_features.hpp"
#include "hwmodels/size_text.hpp"

namespace corecast::calibration::microbench {
namespace {

constexpr Seconds kLeastPerPoint{0.02};
constexpr Seconds kMostPerPoint{0.6};
struct Point {
  std::string kernel, implementation, note;
  ThreadBenchmark benchmark = nullptr;
  ThreadSetting setting;
  int rank = 0;
};

Point point(const std::string& kernel, ThreadBenchmark benchmark, const RankedSeats& team) {
  Point point;
  point.kernel = kernel;
  point.benchmark = benchmark;
  point.setting.seats = team.seats;
  point.setting.threads = static_cast<int>(team.seats.cpus.size());
  point.rank = team.rank;
  return point;
}

void append_team(std::vector<Point>& points, const RankedSeats& team) {
  points.push_back(point("task_queue", mutex_queue, team));
  points.back().implementation = "mutex";
  points.push_back(point("task_queue", counter_queue, team));
  points.back().implementation = "counter";
  if (team.seats.cpus.size() < 2) return;
  points.push_back(point("barrier_spin", barrier_spin, team));
  points.push_back(point("barrier_sleep", barrier_sleep, team));
  points.push_back(point("fork_join_spin", fork_join_spin, team));
  points.push_back(point("fork_join_sleep", fork_join_sleep, team));
}

// Half of the first private cache, and parts of the last one that lie mostly outside the first.
void append_peer_reads(std::vector<Point>& points, const hwmodels::Host& host, const RankedSeats& team) {
  const auto available = kernels_available(hwmodels::detect_features().extensions);
  std::vector<double> sizes;
  for (const auto& cache : host.machine.caches) {
    if (cache.shared_by_cores != 1) continue;
    const double size = cache.size.value.value();
    if (sizes.empty()) {
      sizes = {size / 2.0};
    } else {
      sizes.insert(sizes.end(), {size / 4.0, size / 2.0});
    }
  }
  for (const double bytes : sizes) {
    points.push_back(point("peer_read", peer_read, team));
    points.back().setting.bytes = Bytes(bytes);
    points.back().setting.streams = available.streams ? available.streams->kernels : nullptr;
    points.back().rank = 0;
  }
}

void append_oversubscription(std::vector<Point>& points, const RankedSeats& all) {
  for (const int per_cpu : {1, 2, 4}) {
    points.push_back(point("barrier_spin", oversubscription, all));
    points.back().rank = 0;
    points.back().setting.threads *= per_cpu;
    points.back().note = fmt::format("oversubscription: {} spinning per CPU, not pinned one to one", per_cpu);
  }
}

std::vector<Point> points_of(const hwmodels::Host& host) {
  const std::vector<RankedSeats> teams = ranked_teams(host);
  std::vector<Point> points;
  if (teams.empty()) return points;
  points.push_back(point("thread_create", thread_create, teams.front()));
  append_oversubscription(points, teams.back());
  for (const RankedSeats& team : teams) {
    // Two threads whose CPUs share as much as can be.
    if (team.seats.cpus.size() == 2) points.push_back(point("wake_up", wake_up, team));
    if (team.seats.cpus.size() == 2 && team.seats.cores == 2) append_peer_reads(points, host, team);
    append_team(points, team);
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.rank < b.rank; });
  return points;
}

std::string text_of(const Point& point) {
  const bool sized = point.setting.bytes > Bytes{};
  return fmt::format("{}{}{}{}{}, {} threads", point.kernel, point.implementation.empty() ? "" : " ",
                     point.implementation, sized ? " " : "",
                     sized ? hwmodels::size_text(point.setting.bytes) : "", point.setting.threads);
}

Row row_of(const Point& point, const ThreadResult& result) {
  Row row;
  row.group = Group::threads;
  row.kernel = point.kernel;
  row.implementation = point.implementation;
  put_seats(row, point.setting.seats);
  row.threads = point.setting.threads;
  row.unit = Unit::seconds;
  row.working_set = point.setting.bytes;
  row.samples = result.sampling.seconds;
  row.note = point.note;
  if (!result.sampling.reached) append_note(row, "stopped by the time budget");
  if (!result.not_pinned.empty()) append_note(row, "not pinned: " + result.not_pinned);
  return row;
}

void measure(Point point, Seconds budget, Recorder& recorder) {
  recorder.begin(text_of(point));
  point.setting.options.budget = budget;
  point.setting.options.target = recorder.target_spread();
  try {
    recorder.add(row_of(point, point.benchmark(point.setting)));
  } catch (const std::exception& failure) {  // the system gives no more threads
    recorder.not_measured(text_of(point), failure.what());
  }
}

}  // namespace

void measure_threads(Recorder& recorder) {
  if (recorder.host().grant.cpus() < 2) {
    recorder.not_measured("barriers, fork/join and wake-up", "one CPU is granted");
  }
  const std::vector<Point> points = points_of(recorder.host());
  const std::size_t done =
      spend_budget(recorder, points, kLeastPerPoint, kMostPerPoint,
                   [&](const Point& point, Seconds budget) { measure(point, budget, recorder); });
  for (std::size_t i = done; i < points.size(); ++i) {
    recorder.not_measured(text_of(points[i]), "the time budget was gone");
  }
}

}  // namespace corecast::calibration::microbench
