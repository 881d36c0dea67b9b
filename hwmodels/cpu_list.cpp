#include "hwmodels/cpu_list.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "hwmodels/system_files.hpp"

namespace corecast::hwmodels {

std::vector<int> parse_cpu_list(std::string_view text) {
  const auto number = [](std::string_view word) {
    return static_cast<int>(parse_whole(word, "a CPU number", 0, kMostCpuNumber));
  };
  std::vector<int> cpus;
  text = trimmed(text);
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t dash = item.find('-');
    const int first = number(item.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
    if (last < first) {
      throw InputError("", fmt::format("{} is a falling range", quote(item)), "wanted a list such as 0-3,8");
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (item.size() == text.size()) break;
    text.remove_prefix(item.size() + 1);
    if (text.empty()) throw InputError("", "the CPU list ends in a comma", "wanted a list such as 0-3,8");
    // A file that repeats a range must not grow the list without end.
    if (cpus.size() > 4U * static_cast<std::size_t>(kMostCpuNumber)) {
      throw InputError("", "the CPU list names the same CPUs again and again");
    }
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string cpu_list_text(std::span<const int> cpus) {
  if (cpus.empty()) return "none";
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[first]);
    // Two neighbours are as short with a comma, but a range is what the kernel writes.
    if (last > first) text += '-' + std::to_string(cpus[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace corecast::hwmodels
