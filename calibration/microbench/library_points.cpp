#include "calibration/microbench/library_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "calibration/microbench/points.hpp"

namespace corecast::calibration::microbench {

std::string name_of(Library library) {
  return library == Library::onednn ? "onednn" : "openblas";
}

const std::string& Libraries::missing(Library library) const {
  return library == Library::onednn ? onednn.missing() : openblas.missing();
}

std::string Libraries::version(Library library) const {
  if (library == Library::onednn) return onednn.version();
  return fmt::format("{}, kernels {}", openblas.version(), openblas.core());
}

std::string Libraries::use(Library library, const std::vector<int>& cpus) {
  return library == Library::onednn ? onednn.use(cpus) : openblas.use(cpus);
}

bool Libraries::not_pinned(Library library) const {
  return library == Library::onednn ? onednn.not_pinned() : openblas.not_pinned();
}

LibraryCall Libraries::prepare(Library library, const Problem& problem) const {
  return library == Library::onednn ? onednn.prepare(problem) : openblas.prepare(problem);
}

std::string text_of(const LibraryPoint& point) {
  const std::size_t threads = point.seats.cpus.size();
  return fmt::format("{}, {}, {} thread{}", name_of(point.library), text_of(point.problem), threads,
                     threads == 1 ? "" : "s");
}

std::vector<LibraryPoint> library_points(const hwmodels::Host& host, Effort effort,
                                         const Libraries& libraries) {
  std::vector<LibraryPoint> points;
  const std::vector<RankedSeats> teams = ranked_teams(host);
  for (const Library library : kLibraries) {
    if (!libraries.missing(library).empty()) continue;
    std::map<std::tuple<KernelClass, DataType, int>, int> turns;
    for (const Problem& problem : library == Library::onednn ? onednn_problems() : openblas_problems()) {
      const int turn = turns[{kernel_of(problem), problem.type, problem.rank}]++;
      for (const RankedSeats& team : teams) {
        const int rank = problem.rank + team.rank;
        if (effort != Effort::quick || rank == 0) {
          points.push_back({library, problem, team.seats, rank, turn});
        }
      }
    }
  }
  std::stable_sort(points.begin(), points.end(), [](const LibraryPoint& a, const LibraryPoint& b) {
    return std::tie(a.rank, a.turn) < std::tie(b.rank, b.turn);
  });
  return points;
}

}  // namespace corecast::calibration::microbench
