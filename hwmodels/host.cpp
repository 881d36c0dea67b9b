#include "hwmodels/host.hpp"

#include <charconv>
#include <set>

#include "base/error.hpp"
#include "hwmodels/host_machine.hpp"
#include "hwmodels/system_files.hpp"

namespace corecast::hwmodels {
namespace {

// A clock that the frequency driver states, in kHz.
std::optional<ClockFact> driver_clock(const std::string& name) {
  const std::string file = "/sys/devices/system/cpu/cpu0/cpufreq/" + name;
  const auto text = read_system_file("/", file);
  if (!text) return std::nullopt;
  const std::string_view number = trimmed(*text);
  double kilo_hertz = 0.0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), kilo_hertz);
  if (code != std::errc{} || !(kilo_hertz >= 2e5 && kilo_hertz <= 1e7)) return std::nullopt;
  return ClockFact{Hertz(kilo_hertz * 1e3), file};
}

}  // namespace

HostFacts read_host_facts() {
  HostFacts facts;
  facts.topology = detect_topology();
  facts.cpu = parse_cpuinfo(read_system_file("/", "/proc/cpuinfo").value_or(""));
  facts.features = detect_features();
  facts.driver_base_clock = driver_clock("base_frequency");
  facts.driver_top_clock = driver_clock("cpuinfo_max_freq");
  return facts;
}

Host detect_host() {
  Host host = host_from_facts(read_host_facts());
  host.grant = read_grant();
  // hwloc knows the cores better than sysfs, which containers hide.
  std::set<int> cores;
  const std::vector<int> usable = host.grant.usable();
  const std::set<int> mask(usable.begin(), usable.end());
  for (const HostCpu& cpu : host.cpus) {
    if (mask.contains(cpu.number)) cores.insert(cpu.place.core);
  }
  if (!cores.empty()) host.grant.usable_cores = static_cast<int>(cores.size());
  host.warnings.insert(host.warnings.end(), host.grant.warnings.begin(), host.grant.warnings.end());
  return host;
}

}  // namespace corecast::hwmodels
