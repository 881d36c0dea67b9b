#include "calibration/fit/layout.hpp"

#include <algorithm>

namespace corecast::calibration {
namespace {

using hwmodels::Machine;

std::vector<int> evenly(int cores, int parts) {
  parts = std::clamp(parts, 1, std::max(cores, 1));
  std::vector<int> counts(static_cast<std::size_t>(parts), cores / parts);
  for (int i = 0; i < cores % parts; ++i) ++counts[static_cast<std::size_t>(i)];
  return counts;
}

std::vector<int> filled(int cores, int parts, int capacity) {
  if (cores > parts * capacity) return evenly(cores, parts);
  std::vector<int> counts;
  for (int left = cores; left > 0; left -= capacity) counts.push_back(std::min(left, capacity));
  return counts;
}

std::vector<int> spread(int cores, int parts, int capacity, bool fill) {
  return fill ? filled(cores, parts, capacity) : evenly(cores, parts);
}

int clusters_per_domain(const Machine& machine) {
  if (machine.caches.empty()) return 1;
  const int cores = machine.cores_per_socket();
  const int per_cluster = sharers(machine, machine.caches.back());
  const int clusters = (cores + per_cluster - 1) / per_cluster;
  return std::max(1, clusters / machine.domains_per_socket);
}

int ceil_over(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace

int Layout::most_of_a_socket() const {
  return *std::max_element(sockets.begin(), sockets.end());
}

int sharers(const Machine& machine, const hwmodels::CacheLevel& cache) {
  const int socket = machine.cores_per_socket();
  return cache.shared_by_cores == 0 ? socket : std::min(cache.shared_by_cores, socket);
}

Layout layout_of(const Machine& machine, const Row& row) {
  const bool fill = row.placement != Placement::scattered;
  const int socket_cores = machine.cores_per_socket();
  Layout layout;
  layout.cores = std::max(1, row.cores);
  layout.domains_per_socket = machine.domains_per_socket;
  layout.sockets = spread(layout.cores, machine.sockets, socket_cores, fill);
  const int stated = std::min(row.sockets, machine.sockets);
  if (static_cast<int>(layout.sockets.size()) != stated && layout.cores <= stated * socket_cores) {
    layout.sockets = evenly(layout.cores, stated);
  }
  const int domain_cores = ceil_over(socket_cores, machine.domains_per_socket);
  const int clusters = clusters_per_domain(machine);
  const int cluster_cores = ceil_over(domain_cores, clusters);
  // Clusters of each domain, when the row states another number than the placement gives.
  int used_domains = 0;
  int by_placement = 0;
  const auto domains_of = [&](int cores) {
    return spread(cores, machine.domains_per_socket, domain_cores, fill);
  };
  for (const int of_socket : layout.sockets) {
    for (const int of_domain : domains_of(of_socket)) {
      ++used_domains;
      by_placement += static_cast<int>(spread(of_domain, clusters, cluster_cores, fill).size());
    }
  }
  const bool other = clusters > 1 && row.clusters != by_placement &&
                     row.clusters <= clusters * used_domains && layout.cores <= row.clusters * cluster_cores;
  const int stated_clusters = ceil_over(std::max(1, row.clusters), std::max(1, used_domains));
  for (const int of_socket : layout.sockets) {
    for (const int of_domain : domains_of(of_socket)) {
      layout.domains.push_back(other ? evenly(of_domain, stated_clusters)
                                     : spread(of_domain, clusters, cluster_cores, fill));
      const auto& added = layout.domains.back();
      layout.clusters.insert(layout.clusters.end(), added.begin(), added.end());
    }
  }
  return layout;
}

std::vector<int> cores_per_instance(const Machine& machine, const Layout& layout,
                                    const hwmodels::CacheLevel& cache) {
  const int per_instance = sharers(machine, cache);
  if (per_instance == machine.cores_per_socket()) return layout.sockets;
  if (&cache == &machine.caches.back()) return layout.clusters;
  std::vector<int> instances;
  for (const int of_cluster : layout.clusters) {
    const auto parts = filled(of_cluster, ceil_over(of_cluster, per_instance), per_instance);
    instances.insert(instances.end(), parts.begin(), parts.end());
  }
  return instances;
}

}  // namespace corecast::calibration
