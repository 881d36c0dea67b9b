#include <fmt/format.h>

#include "hwmodels/machine_json.hpp"
#include "hwmodels/machine_tree.hpp"

namespace corecast::hwmodels {
namespace {

using Tree = nlohmann::ordered_json;

// The keys of one group of cores, without its counts.
void put_core(Tree& tree, const CoreGroup& group) {
  for (const ClockPoint& point : group.clock) {
    tree["clock"][std::string(name_of(point.extension))][std::to_string(point.active_cores)] =
        tree_of(point.clock);
  }
  for (const Peak& peak : group.peaks) {
    tree["peak"][std::string(name_of(peak.type))][std::string(name_of(peak.extension))] =
        tree_of(peak.flop_per_cycle);
  }
  tree["smt_gain"] = {{"compute", tree_of(group.smt_gain_compute)},
                      {"memory", tree_of(group.smt_gain_memory)}};
}

Tree tree_of_cache(const CacheLevel& cache) {
  Tree tree;
  tree["size"] = tree_of(cache.size);
  tree["shared_by_cores"] = cache.shared_by_cores;
  tree["bandwidth_per_core"] = tree_of(cache.bandwidth_per_core);
  if (cache.bandwidth_per_instance) tree["bandwidth_per_instance"] = tree_of(*cache.bandwidth_per_instance);
  if (cache.peer_bandwidth) tree["peer_bandwidth"] = tree_of(*cache.peer_bandwidth);
  tree["latency"] = tree_of(cache.latency);
  return tree;
}

Tree tree_of_memory(const Memory& memory) {
  Tree tree;
  tree["bandwidth"] = tree_of(memory.bandwidth);
  tree["core_bandwidth"] = tree_of(memory.core_bandwidth);
  if (memory.cluster_bandwidth) tree["cluster_bandwidth"] = tree_of(*memory.cluster_bandwidth);
  tree["saturation_shape"] = tree_of(memory.saturation_shape);
  tree["latency"] = tree_of(memory.latency);
  tree["page_fault"] = tree_of(memory.page_fault);
  if (memory.capacity) tree["capacity"] = tree_of(*memory.capacity);
  return tree;
}

Tree tree_of_kernel(const LibraryKernel& kernel) {
  return {{"efficiency", tree_of(kernel.efficiency)},
          {"m_half", tree_of(kernel.m_half)},
          {"n_half", tree_of(kernel.n_half)},
          {"k_half", tree_of(kernel.k_half)},
          {"memory_efficiency", tree_of(kernel.memory_efficiency)},
          {"smoothing", tree_of(kernel.smoothing)}};
}

// Text from a system's files may be broken UTF-8: it is repaired, not refused.
std::string dump(const Tree& tree) {
  return tree.dump(-1, ' ', false, Tree::error_handler_t::replace);
}

// One value or short list per line: a machine file is read by people too.
void print(std::string& out, const Tree& tree, std::size_t indent) {
  if (!tree.is_object() && !(tree.is_array() && !tree.empty() && tree[0].is_object())) {
    out += dump(tree);
    return;
  }
  if (tree.is_object() && tree.contains("value")) {
    std::string_view separator = "{";
    for (const auto& [key, value] : tree.items()) {
      out += fmt::format("{}\"{}\": {}", separator, key, dump(value));
      separator = ", ";
    }
    out += "}";
    return;
  }
  const bool object = tree.is_object();
  std::string_view separator = "";
  out += object ? "{" : "[";
  for (const auto& [key, value] : tree.items()) {
    out += fmt::format("{}\n{:{}}", separator, "", indent + 2);
    if (object) out += dump(key) + ": ";
    print(out, value, indent + 2);
    separator = ",";
  }
  out += fmt::format("\n{:{}}{}", "", indent, object ? "}" : "]");
}

}  // namespace

nlohmann::ordered_json tree_of(const Link& link) {
  return {{"bandwidth", tree_of(link.bandwidth)}, {"latency", tree_of(link.latency)}};
}

nlohmann::ordered_json tree_of(const Machine& machine) {
  Tree tree;
  tree["schema"] = "corecast.machine/1";
  tree["name"] = machine.name;
  tree["description"] = machine.description;
  tree["family"] = machine.family;
  tree["aliases"] = machine.aliases;
  Tree& topology = tree["topology"];
  topology = {{"sockets", machine.sockets}, {"domains_per_socket", machine.domains_per_socket}};
  if (machine.groups.size() == 1 && machine.groups[0].name == CoreGroup{}.name) {
    topology["cores_per_socket"] = machine.groups[0].cores_per_socket;
    topology["smt"] = machine.groups[0].smt;
    put_core(tree, machine.groups[0]);
  } else {
    for (const CoreGroup& group : machine.groups) {
      Tree item = {{"name", group.name}, {"cores_per_socket", group.cores_per_socket}, {"smt", group.smt}};
      put_core(item, group);
      tree["groups"].push_back(std::move(item));
    }
  }
  tree["caches"] = Tree::object();
  for (const CacheLevel& cache : machine.caches) {
    tree["caches"]["l" + std::to_string(cache.level)] = tree_of_cache(cache);
  }
  tree["memory"] = tree_of_memory(machine.memory);
  if (machine.link) tree["link"] = tree_of(*machine.link);
  tree["threads"] = {{"barrier", tree_of(machine.threads.barrier)},
                     {"barrier_per_doubling", tree_of(machine.threads.barrier_per_doubling)},
                     {"wake_up", tree_of(machine.threads.wake_up)},
                     {"time_slice", tree_of(machine.threads.time_slice)}};
  for (const LibraryKernel& kernel : machine.kernels) {
    tree["kernels"][kernel.library][std::string(corecast::name_of(kernel.kernel))]
        [std::string(corecast::name_of(kernel.type))] = tree_of_kernel(kernel);
  }
  if (machine.calibration) {
    const CalibrationRecord& record = *machine.calibration;
    tree["calibration"] = {{"date", record.date},
                           {"source", record.source},
                           {"rows", record.rows},
                           {"measurements", record.measurements}};
    if (!record.warnings.empty()) tree["calibration"]["warnings"] = record.warnings;
  }
  return tree;
}

std::string to_json_text(const Machine& machine) {
  check(machine, machine.name);
  std::string out;
  print(out, tree_of(machine), 0);
  return out + "\n";
}

}  // namespace corecast::hwmodels
