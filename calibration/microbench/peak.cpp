// Group "peak": clock and multiply-add of every vector extension and type, over threads.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "calibration/microbench/kernels.hpp"
#include "calibration/microbench/points.hpp"
#include "calibration/microbench/record.hpp"
#include "hwmodels/cpu_features.hpp"

namespace corecast::calibration::microbench {
namespace {

constexpr Seconds kLeast{0.02};
constexpr Seconds kMost{0.6};

struct Point {
  RankedSeats where;
  int order =
      0;  // 0: clock; 1: multiply-add of fp32, widest first; 2: of other types; 3: of narrower vectors
  PeakChoice choice;  // no kernel: clock
};

std::string describe(const Point& point) {
  const std::size_t threads = point.where.seats.cpus.size();
  if (point.choice.kernel == nullptr) return fmt::format("clock, {} threads", threads);
  return fmt::format("multiply-add {} {}, {} threads", name_of(point.choice.extension),
                     name_of(point.choice.type), threads);
}

// Clock of the slowest thread: all do the same number of additions. Its result goes into memory, or it would not be
// computed.
void measure_clock(Recorder& recorder, const Point& point, Team& team, Seconds budget) {
  constexpr std::int64_t kAdditions = 16 * kChain;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(team.size()) * 16);
  const auto run = [&](std::int64_t operations) {
    return team.run([&](int thread) {
      std::uint64_t& sum = sums[static_cast<std::size_t>(thread) * 16];
      sum = add_chain(sum, 3, kAdditions * operations);
    });
  };
  Row row;
  row.group = Group::peak, row.kernel = "clock", row.unit = Unit::hertz;
  row.extension = hwmodels::Extension::scalar;
  put_seats(row, point.where.seats);
  add_rates(recorder, row, sample(run, sampling_options(recorder, budget)), static_cast<double>(kAdditions));
}

void measure_multiply_add(Recorder& recorder, const Point& point, Team& team, Seconds budget) {
  constexpr std::int64_t kRounds = 64;
  const PeakKernel& kernel = *point.choice.kernel;
  std::vector<PeakOperands> operands(static_cast<std::size_t>(team.size()), PeakOperands(point.choice));
  const auto run = [&](std::int64_t operations) {
    return team.run([&](int thread) {
      PeakOperands& mine = operands[static_cast<std::size_t>(thread)];
      kernel.run(mine.start(), mine.factors(), mine.result(), kRounds * operations);
    });
  };
  Row row;
  row.group = Group::peak, row.kernel = "multiply_add", row.unit = Unit::flop_per_second;
  row.extension = point.choice.extension, row.type = point.choice.type;
  put_seats(row, point.where.seats);
  const Sampling sampling = sample(run, sampling_options(recorder, budget));
  // All threads computed the same: one that did not is a broken CPU or a broken kernel.
  for (const PeakOperands& other : operands) {
    if (other.checksum() != operands[0].checksum()) recorder.warn(describe(point) + ": results differ");
  }
  add_rates(recorder, row, sampling, kernel.flop_per_round * static_cast<double>(kRounds * team.size()));
}

// What the fit needs most comes first: clocks, then 1 and all threads of each kernel, then counts between.
std::vector<Point> points(const std::vector<RankedSeats>& teams, const std::vector<PeakChoice>& peaks) {
  std::vector<Point> result;
  const auto widest = std::find_if(peaks.rbegin(), peaks.rend(),
                                   [](const PeakChoice& peak) { return peak.type == DataType::fp32; });
  for (const RankedSeats& team : teams) {
    result.push_back({team, 0, {}});
    for (const PeakChoice& peak : peaks) {
      const bool is_widest = widest != peaks.rend() && peak.kernel == widest->kernel;
      result.push_back({team, is_widest ? 1 : peak.type == DataType::fp32 ? 3 : 2, peak});
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Point& a, const Point& b) {
    if ((a.order == 0) != (b.order == 0)) return a.order == 0;
    return a.where.rank != b.where.rank ? a.where.rank < b.where.rank : a.order < b.order;
  });
  return result;
}

}  // namespace

void measure_peak(Recorder& recorder) {
  const KernelsAvailable kernels = kernels_available(hwmodels::detect_features().extensions);
  for (const std::string& text : kernels.left_out) recorder.not_measured("peak", text);
  const std::vector<Point> all = points(ranked_teams(recorder.host()), kernels.peaks);
  const std::size_t done =
      spend_budget(recorder, all, kLeast, kMost, [&](const Point& point, Seconds budget) {
        recorder.begin(describe(point));
        Team team(cpu_numbers(point.where.seats));
        if (!team.not_pinned().empty()) recorder.warn(team.not_pinned());
        if (point.choice.kernel == nullptr) {
          measure_clock(recorder, point, team, budget);
        } else {
          measure_multiply_add(recorder, point, team, budget);
        }
      });
  for (std::size_t i = done; i < all.size(); ++i)
    recorder.not_measured(describe(all[i]), "the time budget ended");
}

}  // namespace corecast::calibration::microbench
