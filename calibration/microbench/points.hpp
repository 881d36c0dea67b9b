// What the groups "threads" and "kernels" share: on which teams their points run and which come first, how
// the group's time is spent on them, and what a row says of the team.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "calibration/measurements.hpp"
#include "calibration/microbench/suite.hpp"
#include "calibration/microbench/team.hpp"

namespace corecast::calibration::microbench {

// rank 0: one thread, and all; 1: half of them, and all hardware threads of all cores; 2: the counts between.
struct RankedSeats {
  Seats seats;
  int rank = 0;
};

// Compact, one thread per core, over thread_counts() up to the granted cores; then two per core, all cores.
[[nodiscard]] std::vector<RankedSeats> ranked_teams(const hwmodels::Host& host);

[[nodiscard]] std::vector<int> cpu_numbers(const Seats& seats);

void put_seats(Row& row, const Seats& seats);  // threads, cores, ... placement
void append_note(Row& row, const std::string& text);

// Calls measure(point, its budget) for one point after the other. Time left over by a point goes to those
// behind it; when there is less than `least` for each, the last ones are dropped. Returns the number of
// points measured.
template <typename Point, typename Measure>
std::size_t spend_budget(const Recorder& recorder, const std::vector<Point>& points, Seconds least,
                         Seconds most, Measure measure) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double affordable = recorder.budget_for_one_of(1) / least;
    if (affordable < 1.0) return i;
    const double sharing = std::min(static_cast<double>(points.size() - i), affordable);
    const Seconds share = recorder.budget_for_one_of(static_cast<int>(sharing));
    measure(points[i], std::min(share, most));
  }
  return points.size();
}

}  // namespace corecast::calibration::microbench
