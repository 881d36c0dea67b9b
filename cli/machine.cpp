#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/quantity_text.hpp"
#include "cli/commands.hpp"
#include "cli/data_directory.hpp"
#include "cli/inputs.hpp"
#include "cli/json_views.hpp"
#include "cli/paragraphs.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "hwmodels/machine_json.hpp"
#include "hwmodels/machine_text.hpp"

namespace corecast::cli {
namespace {

Tree tree_of(const hwmodels::Grant& grant) {
  Tree tree = {{"online", grant.online}, {"affinity", grant.affinity}};
  if (grant.cpuset) tree["cpuset"] = *grant.cpuset;
  tree["usable"] = grant.usable();
  tree["usable_cores"] = grant.usable_cores;
  if (grant.quota_cpus) tree["quota_cpus"] = number(*grant.quota_cpus);
  if (grant.quota_period) tree["quota_period_ms"] = number(grant.quota_period->value() * 1e3);
  if (!grant.quota_file.empty()) tree["quota_file"] = grant.quota_file;
  if (grant.pids_limit) tree["pids_limit"] = *grant.pids_limit;
  if (grant.pids_used) tree["pids_used"] = *grant.pids_used;
  tree["cgroup_version"] = grant.cgroup_version;
  tree["threads"] = grant.cpus();
  tree["threads_with_a_core_each"] = grant.cores();
  return tree;
}

std::string show_json(const MachineInput& input) {
  Tree tree = report("machine_show");
  tree["origin"] = input.origin;
  tree["machine"] = Tree::parse(hwmodels::to_json_text(input.machine));
  if (input.host) tree["granted"] = tree_of(input.host->grant);
  tree["value_origins"] = cli::tree_of(origins_of(input.machine));
  tree["advice"] = cli::tree_of(input.advice);
  tree["warnings"] = cli::tree_of(input.warnings);
  return text_of(tree);
}

Tree list_json(const std::vector<hwmodels::Machine>& machines) {
  Tree tree = report("machine_list");
  tree["machines"] = Tree::array();
  for (const hwmodels::Machine& machine : machines) {
    tree["machines"].push_back(
        {{"name", machine.name},
         {"aliases", machine.aliases},
         {"description", machine.description},
         {"family", machine.family},
         {"sockets", machine.sockets},
         {"cores", machine.cores()},
         {"logical_cpus", machine.logical_cpus()},
         {"memory_bandwidth_gb_per_s", number(machine.memory.bandwidth.value.value() * 1e-9)}});
  }
  return tree;
}

}  // namespace

std::string run(const MachineShowOptions& options) {
  const bool to_standard_output = options.output == std::filesystem::path("-");
  if (options.output && !to_standard_output) check_output("--output", *options.output);
  const MachineInput input = load_machine_input(options.machine);
  if (to_standard_output) return hwmodels::to_json_text(input.machine);
  if (options.output) write_file(*options.output, hwmodels::to_json_text(input.machine));
  if (options.json) return show_json(input);
  const int width = terminal_width();
  return hwmodels::describe(input.machine, input.host ? &input.host->grant : nullptr, width) +
         messages_text("Advice", input.advice, width) + messages_text("Warnings", input.warnings, width);
}

std::string run(const MachineListOptions& options) {
  const auto machines = hwmodels::read_catalogue(data_directory() / "machines");
  if (options.json) return text_of(list_json(machines));
  std::vector<Row> rows;
  for (const hwmodels::Machine& machine : machines) {
    rows.push_back({{machine.name, std::to_string(machine.cores()), std::to_string(machine.logical_cpus()),
                     to_short_text(machine.memory.bandwidth.value), machine.description},
                    ""});
  }
  return table({{"name"},
                {"cores", Align::right},
                {"CPUs", Align::right},
                {"bandwidth", Align::right},
                {"description", Align::left, true}},
               rows, terminal_width(), 0) +
         "\nBandwidth is that of one socket's memory. `host` is this machine.\n";
}

}  // namespace corecast::cli
