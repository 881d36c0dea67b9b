#include "hwmodels/machine_json.hpp"

namespace corecast::hwmodels {

const std::vector<MachinePath>& machine_path_table() {
  static const std::vector<MachinePath> table{
      {"topology.sockets", "sockets (short: sockets)", false},
      {"topology.domains_per_socket", "NUMA domains of a socket (short: domains_per_socket)", false},
      {"topology.cores_per_socket", "physical cores of a socket (short: cores_per_socket)", false},
      {"topology.smt", "hardware threads per core: off, on or a count (short: smt)", false},
      {"clock", "all clocks, caches private to a core included", true},
      {"clock.EXTENSION", "all clock points of one vector extension, e.g. clock.avx512", false},
      {"clock.EXTENSION.CORES", "one clock point, e.g. clock.avx512.28", false},
      {"peak", "flop per cycle of every type and extension", true},
      {"peak.TYPE", "flop per cycle of a data type, e.g. peak.fp32", false},
      {"peak.TYPE.EXTENSION", "one peak, e.g. peak.int8.vnni", false},
      {"smt_gain.compute", "throughput of all threads of a core over one alone, dense arithmetic", false},
      {"smt_gain.memory", "the same for streaming", false},
      {"caches.l1.size", "bytes of one instance (short: l1.size; likewise l2, l3)", false},
      {"caches.l2.size", "bytes of one instance", false},
      {"caches.l3.size", "bytes of one instance", false},
      {"caches.lN.shared_by_cores", "cores per instance, 0 = the socket", false},
      {"caches.lN.bandwidth_per_core", "of one core", false},
      {"caches.lN.bandwidth_per_instance", "of all cores that share it", false},
      {"caches.lN.peer_bandwidth", "of one core, from what another has just written there", false},
      {"caches.lN.latency", "of a load", false},
      {"memory.bandwidth", "of a socket, sustained", true},
      {"memory.core_bandwidth", "of one core alone", true},
      {"memory.cluster_bandwidth", "of the cores behind one last-level cache", false},
      {"memory.saturation_shape", "sharpness of the bend between one core and the socket", false},
      {"memory.latency", "local, idle", true},
      {"memory.page_fault", "first touch of a 4 KiB page", true},
      {"memory.capacity", "bytes of a socket", false},
      {"link.bandwidth", "between two sockets, one direction", false},
      {"link.latency", "of a remote access", false},
      {"threads.all", "barrier, barrier_per_doubling and wake_up together", true},
      {"threads.barrier", "of two spinning threads", true},
      {"threads.barrier_per_doubling", "more for each doubling of the threads", true},
      {"threads.wake_up", "of a sleeping thread", true},
      {"threads.time_slice", "of the operating system's scheduler", true},
      {"groups.NAME.KEY",
       "hybrid machines: cores_per_socket, smt, clock, peak, smt_gain of one kind of cores", false}};
  return table;
}

std::vector<std::string> machine_paths() {
  std::vector<std::string> paths;
  for (const MachinePath& row : machine_path_table()) paths.push_back(row.path);
  return paths;
}

}  // namespace corecast::hwmodels
