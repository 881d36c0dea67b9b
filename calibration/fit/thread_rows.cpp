// Rows of group threads: barrier_spin, wake_up and peer_read. The forms stand in closed_forms.hpp. The others
// (fork_join, thread_create, task_queue, sleeping barriers) are a runtime's, not the machine's.
#include <algorithm>

#include "calibration/fit/closed_forms.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/row_model.hpp"

namespace corecast::calibration {

namespace {

std::optional<RowModel> peer_row_model(const hwmodels::Machine& machine, const Row& row) {
  if (row.cores < 2 || !(row.working_set > Bytes{})) return std::nullopt;
  std::vector<const hwmodels::CacheLevel*> stated;
  for (const auto& cache : machine.caches) {
    if (cache.shared_by_cores == 1 && cache.peer_bandwidth) stated.push_back(&cache);
  }
  if (stated.empty() || row.working_set > stated.back()->size.value) return std::nullopt;
  const double bytes = row.working_set.value();
  const double first = std::min(bytes, stated.front()->size.value.value());
  std::vector<std::string> paths{cache_path(stated.front()->level, "peer_bandwidth")};
  if (bytes > first) paths.push_back(cache_path(stated.back()->level, "peer_bandwidth"));
  return make_row_model("threads peer_read", std::move(paths), [=]<typename T>(std::span<const T> p) {
    return bytes > first ? peer_read_time(first, bytes - first, p[0], p[1]) : T(bytes) / p[0];
  });
}

}  // namespace

std::optional<RowModel> thread_row_model(const hwmodels::Machine& machine, const Row& row) {
  if (row.unit != Unit::seconds) return std::nullopt;
  if (row.kernel == "wake_up") {
    return make_row_model("threads wake_up", {"threads.wake_up"},
                          []<typename T>(std::span<const T> p) { return p[0]; });
  }
  if (row.kernel == "peer_read") return peer_row_model(machine, row);
  if (row.kernel != "barrier_spin" || row.threads < 2) return std::nullopt;
  // As many threads as CPUs, but free to wander: the reference of the oversubscribed rows.
  if (row.threads <= row.cores * row.threads_per_core && row.note.find("not pinned") != std::string::npos) {
    return std::nullopt;
  }
  const int cpus = row.cores * row.threads_per_core;
  const int threads = row.threads;
  if (threads > cpus) {
    return make_row_model("threads barrier_spin oversubscribed",
                          {"threads.barrier", "threads.barrier_per_doubling", "threads.time_slice"},
                          [=]<typename T>(std::span<const T> p) {
                            return oversubscribed_barrier(threads, cpus, p[0], p[1], p[2]);
                          });
  }
  // Siblings of a core meet in its own cache; a barrier of cores is what the machine's values mean.
  if (row.threads_per_core > 1 && machine.cores() > 1) return std::nullopt;
  std::vector<std::string> paths{"threads.barrier"};
  if (threads > 2) paths.emplace_back("threads.barrier_per_doubling");
  return make_row_model("threads barrier_spin", std::move(paths), [=]<typename T>(std::span<const T> p) {
    return threads > 2 ? barrier_time(threads, p[0], p[1]) : p[0];
  });
}

}  // namespace corecast::calibration
