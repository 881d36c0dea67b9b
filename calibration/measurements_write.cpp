// Writes corecast.measurements/1: base units, round-trip digits, one row a line.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/quantity_text.hpp"
#include "calibration/measurements.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::calibration {
namespace {

using Tree = nlohmann::ordered_json;

// Text from a system's files may be broken UTF-8: it is repaired, not refused.
std::string dump(const Tree& tree) {
  return tree.dump(-1, ' ', false, Tree::error_handler_t::replace);
}

void put(Tree& tree, const char* key, const std::string& text) {
  if (!text.empty()) tree[key] = text;
}
template <typename T>
void put(Tree& tree, const char* key, const std::optional<T>& value) {
  if (value) tree[key] = *value;
}
template <typename T>
void put(Tree& tree, const char* key, const std::vector<T>& list) {
  if (!list.empty()) tree[key] = list;
}

Tree tree_of(const Context& context) {
  Tree tree;
  tree["source"] = context.source;
  put(tree, "date", context.date);
  put(tree, "host", context.host);
  put(tree, "cpu", context.cpu);
  put(tree, "kernel", context.kernel);
  put(tree, "compiler", context.compiler);
  put(tree, "corecast_version", context.corecast_version);
  put(tree, "governor", context.governor);
  put(tree, "smt", context.smt);
  put(tree, "huge_pages", context.huge_pages);
  put(tree, "clock_source", context.clock_source);
  if (!context.libraries.empty()) tree["libraries"] = context.libraries;
  put(tree, "granted_cpus", context.granted_cpus);
  put(tree, "quota_cpus", context.quota_cpus);
  tree["virtual_machine"] = context.virtual_machine;
  put(tree, "load_before", context.load_before);
  put(tree, "load_after", context.load_after);
  put(tree, "throttled_periods", context.throttled_periods);
  put(tree, "steal_seconds", context.steal_seconds);
  if (context.clock_before) tree["clock_before"] = to_text(*context.clock_before);
  if (context.clock_after) tree["clock_after"] = to_text(*context.clock_after);
  put(tree, "not_measured", context.not_measured);
  put(tree, "warnings", context.warnings);
  return tree;
}

Tree tree_of(const Row& row) {
  Tree tree;
  tree["group"] = std::string(name_of(row.group));
  tree["kernel"] = row.kernel;
  if (row.type) tree["type"] = std::string(corecast::name_of(*row.type));
  if (row.extension) tree["extension"] = std::string(hwmodels::name_of(*row.extension));
  put(tree, "library", row.library);
  put(tree, "implementation", row.implementation);
  tree["threads"] = row.threads;
  tree["threads_per_core"] = row.threads_per_core;
  tree["cores"] = row.cores;
  tree["sockets"] = row.sockets;
  tree["clusters"] = row.clusters;
  tree["placement"] = std::string(name_of(row.placement));
  put(tree, "cpu_domain", row.cpu_domain);
  put(tree, "memory_domain", row.memory_domain);
  if (row.working_set > Bytes(0.0)) tree["working_set"] = to_text(row.working_set);
  if (row.background) tree["background"] = to_text(*row.background);
  if (!row.shape.empty()) tree["shape"] = row.shape;
  if (row.flop > Flops(0.0)) tree["flop"] = row.flop.value();
  if (row.bytes > Bytes(0.0)) tree["bytes"] = row.bytes.value();
  tree["unit"] = std::string(name_of(row.unit));
  tree["samples"] = row.samples;
  put(tree, "note", row.note);
  return tree;
}

}  // namespace

std::string to_json_text(const Measurements& measurements) {
  check(measurements, "measurements");
  std::string out = fmt::format(
      "{{\n\"schema\": \"corecast.measurements/1\",\n\"context\": {},\n\"machine\": {},\n\"rows\": [",
      dump(tree_of(measurements.context)), hwmodels::to_json_text(measurements.machine));
  std::string_view separator = "\n";
  for (const Row& row : measurements.rows) {
    out += fmt::format("{}{}", separator, dump(tree_of(row)));
    separator = ",\n";
  }
  return out + "\n]\n}\n";
}

}  // namespace corecast::calibration
