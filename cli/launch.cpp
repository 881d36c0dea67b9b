#include "cli/launch.hpp"

#include <fmt/format.h>

#include "hwmodels/cpu_list.hpp"

namespace corecast::cli {
namespace {

constexpr std::size_t kLinesAtMost = 8;  // more instances: a loop
constexpr const char* kProgram = "python serve.py";

// The CPUs and, where it helps, the memory of one instance, as options of the command.
std::string where(const InstanceCpus& instance, int domains) {
  std::string text = hwmodels::cpu_list_text(instance.cpus);
  if (domains > 1 && instance.domains.size() < static_cast<std::size_t>(domains)) {
    text += " -m " + hwmodels::cpu_list_text(instance.domains);
  }
  return text;
}

}  // namespace

std::string launch_text(const std::vector<InstanceCpus>& cpus, int domains, bool host) {
  if (cpus.empty()) return fmt::format("# More threads than CPUs: there is nothing to pin.\n{}\n", kProgram);
  const char* command = domains > 1 ? "numactl -C" : "taskset -c";
  std::string text;
  if (!host)
    text =
        "# CPU numbers as usual on Linux servers (cores first, then their second\n# threads); check with "
        "lscpu -e.\n";
  if (cpus.size() == 1) return text + fmt::format("{} {} {}\n", command, where(cpus[0], domains), kProgram);
  if (cpus.size() <= kLinesAtMost) {
    for (const InstanceCpus& instance : cpus)
      text += fmt::format("{} {} {} &\n", command, where(instance, domains), kProgram);
    return text + "wait\n";
  }
  text += "for where in";
  std::size_t column = 100;  // the list starts on a line of its own
  for (const InstanceCpus& instance : cpus) {
    const std::string item = fmt::format(" \"{}\"", where(instance, domains));
    if (column + item.size() > 76) {
      text += " \\\n ";
      column = 1;
    }
    text += item;
    column += item.size();
  }
  return text + fmt::format("; do\n  {} $where {} &\ndone\nwait\n", command, kProgram);
}

}  // namespace corecast::cli
