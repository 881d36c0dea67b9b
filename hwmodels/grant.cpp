// What the operating system grants this process: CPUs on line, affinity mask, control groups, limits on processes.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "hwmodels/cgroup.hpp"
#include "hwmodels/cpu_list.hpp"
#include "hwmodels/host.hpp"
#include "hwmodels/system_files.hpp"

namespace corecast::hwmodels {
namespace {

std::vector<int> both(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

// The list in `file`, or nothing, with a warning when it is there and does not read as a list.
std::vector<int> list_in(std::string_view text, const std::string& file, std::vector<std::string>& warnings) {
  try {
    return parse_cpu_list(text);
  } catch (const InputError& error) {
    warnings.push_back(fmt::format("{} is ignored: {}", file, error.what()));
    return {};
  }
}

std::vector<int> online_cpus(const SystemRoot& root, std::vector<std::string>& warnings) {
  const std::string file = "/sys/devices/system/cpu/online";
  const auto text = read_system_file(root.root, file);
  return text ? list_in(*text, file, warnings) : std::vector<int>{};
}

std::vector<int> affinity_of_this_process() {
  // The kernel refuses a mask smaller than its own, whatever CPUs there are.
  for (std::size_t most = 1024; most <= std::size_t{1} << 20U; most *= 2) {
    cpu_set_t* mask = CPU_ALLOC(most);
    if (mask == nullptr) return {};
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    std::vector<int> cpus;
    if (::sched_getaffinity(0, bytes, mask) == 0) {
      for (std::size_t cpu = 0; cpu < most; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, mask)) cpus.push_back(static_cast<int>(cpu));
      }
    }
    CPU_FREE(mask);
    if (!cpus.empty()) return cpus;
  }
  return {};
}

std::vector<int> recorded_affinity(const SystemRoot& root, std::vector<std::string>& warnings) {
  const auto status = read_system_file(root.root, "/proc/self/status");
  if (!status) return {};
  constexpr std::string_view kKey = "Cpus_allowed_list:";
  for (const std::string_view line : split(*status, '\n')) {
    if (line.substr(0, kKey.size()) == kKey)
      return list_in(line.substr(kKey.size()), "/proc/self/status", warnings);
  }
  return {};
}

// The limit of the user's processes binds everybody but root (Linux, kernel/fork.c).
void limit_user_processes(Grant& grant) {
  struct rlimit limit {};
  if (::getuid() == 0 || ::getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const auto most = static_cast<long long>(std::min<rlim_t>(limit.rlim_cur, rlim_t{1} << 62U));
  if (grant.pids_limit && *grant.pids_limit <= most) return;
  grant.pids_limit = most;
  grant.pids_used.reset();  // counted per user, which no file shows
}

// Physical cores that `cpus` are on. A CPU whose siblings are not listed counts as a core of its own.
int count_cores(const SystemRoot& root, const std::vector<int>& cpus) {
  std::set<int> cores;
  std::vector<std::string> unreadable;  // only a count is at stake
  for (const int cpu : cpus) {
    const std::string topology = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", cpu);
    std::vector<int> siblings;
    for (const char* name : {"core_cpus_list", "thread_siblings_list"}) {
      const auto text = read_system_file(root.root, topology + name);
      if (text && siblings.empty()) siblings = list_in(*text, topology + name, unreadable);
    }
    const bool listed = std::binary_search(siblings.begin(), siblings.end(), cpu);
    cores.insert(listed ? siblings.front() : cpu);
  }
  return std::max(1, static_cast<int>(cores.size()));
}

}  // namespace

std::vector<int> Grant::usable() const {
  std::vector<int> cpus = affinity.empty() ? online : affinity;
  // Sources that contradict each other (an emulated /sys, say) leave nothing: then the mask the scheduler keeps stands.
  const auto restrict_to = [&](const std::vector<int>& others) {
    std::vector<int> common = both(cpus, others);
    if (!common.empty()) cpus = std::move(common);
  };
  restrict_to(online);
  if (cpuset) restrict_to(*cpuset);
  if (cpus.empty()) cpus = {0};
  return cpus;
}

int Grant::cpus() const {
  const int most = static_cast<int>(usable().size());
  if (!quota_cpus || *quota_cpus >= most) return most;
  return std::max(1, static_cast<int>(std::floor(*quota_cpus)));
}

int Grant::cores() const {
  return std::min(usable_cores, cpus());
}

Grant read_grant(const SystemRoot& root) {
  Grant grant;
  grant.online = online_cpus(root, grant.warnings);
  grant.affinity = root.live ? affinity_of_this_process() : recorded_affinity(root, grant.warnings);

  CgroupLimits limits = read_cgroup_limits(root);
  grant.cgroup_version = limits.version;
  grant.quota_cpus = limits.quota_cpus;
  grant.quota_period = limits.quota_period;
  grant.quota_file = std::move(limits.quota_file);
  grant.cpuset = std::move(limits.cpuset);
  grant.pids_limit = limits.pids_limit;
  grant.pids_used = limits.pids_used;
  grant.warnings.insert(grant.warnings.end(), limits.warnings.begin(), limits.warnings.end());
  if (root.live) limit_user_processes(grant);

  if (grant.affinity.empty() && grant.online.empty()) {
    grant.warnings.emplace_back(
        "neither the CPUs on line nor the affinity mask could be read: one CPU is assumed");
  } else if (const auto& mask = grant.affinity.empty() ? grant.online : grant.affinity;
             (!grant.online.empty() && both(mask, grant.online).empty()) ||
             (grant.cpuset && both(mask, *grant.cpuset).empty())) {
    grant.warnings.emplace_back(
        "the affinity mask and the lists of CPUs have no CPU in common: the mask is taken");
  }
  grant.usable_cores = count_cores(root, grant.usable());
  return grant;
}

}  // namespace corecast::hwmodels
