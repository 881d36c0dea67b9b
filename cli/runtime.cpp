#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/data_directory.hpp"
#include "cli/json_views.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "sim/runtime.hpp"

namespace corecast::cli {

std::string run(const RuntimeListOptions& options) {
  const auto runtimes = sim::read_runtimes(data_directory() / "runtimes");
  if (options.json) {
    Tree tree = report("runtime_list");
    tree["runtimes"] = Tree::array();
    for (const sim::Runtime& runtime : runtimes) tree["runtimes"].push_back(tree_of(runtime));
    return text_of(tree);
  }
  std::vector<Row> rows;
  for (const sim::Runtime& runtime : runtimes) {
    rows.push_back({{runtime.name, runtime.versions, runtime.inter_op_works ? "works" : "no effect"},
                    runtime.description});
  }
  return table({{"name"}, {"versions"}, {"inter-op"}}, rows, terminal_width(), 0);
}

}  // namespace corecast::cli
