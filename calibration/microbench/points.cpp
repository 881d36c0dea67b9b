#include "calibration/microbench/points.hpp"

namespace corecast::calibration::microbench {
namespace {

// One thread and all of them show the most; half of them the bend between; the rest fills in.
int rank_of(std::size_t index, std::size_t count) {
  if (index == 0 || index + 1 == count) return 0;
  return index == count / 2 ? 1 : 2;
}

}  // namespace

std::vector<RankedSeats> ranked_teams(const hwmodels::Host& host) {
  const int cores = host.grant.cores();
  std::vector<RankedSeats> ranked;
  const std::vector<Seats> single = seats(host, Placement::compact, 1, thread_counts(host.machine, cores));
  for (std::size_t i = 0; i < single.size(); ++i) ranked.push_back({single[i], rank_of(i, single.size())});
  if (host.machine.max_smt() > 1 && host.grant.cpus() >= 2 * cores) {
    for (const Seats& both : seats(host, Placement::compact, 2, {2 * cores})) ranked.push_back({both, 1});
  }
  return ranked;
}

std::vector<int> cpu_numbers(const Seats& seats) {
  std::vector<int> numbers;
  for (const hwmodels::HostCpu& cpu : seats.cpus) numbers.push_back(cpu.number);
  return numbers;
}

void put_seats(Row& row, const Seats& seats) {
  row.threads = static_cast<int>(seats.cpus.size());
  row.threads_per_core = seats.threads_per_core;
  row.cores = seats.cores;
  row.sockets = seats.sockets;
  row.clusters = seats.clusters;
  row.placement = seats.placement;
}

void append_note(Row& row, const std::string& text) {
  row.note += row.note.empty() ? text : "; " + text;
}

}  // namespace corecast::calibration::microbench
