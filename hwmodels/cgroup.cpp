#include "hwmodels/cgroup.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "hwmodels/cgroup_paths.hpp"
#include "hwmodels/cpu_list.hpp"
#include "hwmodels/system_files.hpp"

namespace corecast::hwmodels {
namespace {

constexpr long long kMost = std::numeric_limits<long long>::max();

class Reader {
 public:
  explicit Reader(const SystemRoot& root) : root_(root.root) {}

  // What the limits become when all is read.
  [[nodiscard]] CgroupLimits take() { return std::move(limits_); }

  void version(int version) {
    if (limits_.version == 0) limits_.version = version;
  }

  void quota_v2(const std::string& directory) {
    const std::string file = directory + "/cpu.max";
    parse(file, [&](std::string_view text) {
      const std::vector<std::string_view> words = split(text, ' ');
      if (words.empty() || words.size() > 2) throw InputError("", quote(text) + " is not \"quota period\"");
      // The kernel leaves the period out nowhere, but documents 100 ms as its default.
      const long long period =
          words.size() == 2 ? parse_whole(words[1], "a period in us", 1, kMost) : 100'000;
      if (words[0] == "max") return;
      limit_time(parse_whole(words[0], "a quota in us", 1, kMost), period, file);
    });
  }

  void quota_v1(const std::string& directory) {
    const std::string file = directory + "/cpu.cfs_quota_us";
    parse(file, [&](std::string_view text) {
      if (text == "-1") return;
      const long long quota = parse_whole(text, "a quota in us", 1, kMost);
      parse(directory + "/cpu.cfs_period_us", [&](std::string_view period) {
        limit_time(quota, parse_whole(period, "a period in us", 1, kMost), file);
      });
    });
  }

  // True when the file says which CPUs there are: an empty list is inherited from above.
  bool cpuset(const std::string& file) {
    bool found = false;
    parse(file, [&](std::string_view text) {
      std::vector<int> cpus = parse_cpu_list(text);
      if (cpus.empty()) return;
      found = true;
      if (!limits_.cpuset) {
        limits_.cpuset = std::move(cpus);
        return;
      }
      std::vector<int> both;  // hybrid: each hierarchy restricts
      std::set_intersection(cpus.begin(), cpus.end(), limits_.cpuset->begin(), limits_.cpuset->end(),
                            std::back_inserter(both));
      limits_.cpuset = std::move(both);
    });
    return found;
  }

  void pids(const std::vector<std::string>& directories) {
    for (const std::string& directory : directories) {
      std::optional<long long> limit;
      parse(directory + "/pids.max", [&](std::string_view text) {
        if (text != "max") limit = parse_whole(text, "a number of processes", 0, kMost);
      });
      const bool smaller = limit && (!limits_.pids_limit || *limit < *limits_.pids_limit);
      if (smaller) limits_.pids_limit = limit;
      if (!smaller && limits_.pids_used) continue;
      std::optional<long long> used;
      parse(directory + "/pids.current",
            [&](std::string_view text) { used = parse_whole(text, "a number of processes", 0, kMost); });
      if (smaller || used) limits_.pids_used = used;
    }
  }

 private:
  template <typename Use>
  void parse(const std::string& file, Use use) {
    const auto text = read_system_file(root_, file);
    if (!text) return;
    try {
      use(trimmed(*text));
    } catch (const InputError& error) {
      limits_.warnings.push_back(fmt::format("{} is ignored: {}", file, error.what()));
    }
  }

  void limit_time(long long quota_us, long long period_us, const std::string& file) {
    const double cpus = static_cast<double>(quota_us) / static_cast<double>(period_us);
    if (limits_.quota_cpus && *limits_.quota_cpus <= cpus) return;
    limits_.quota_cpus = cpus;
    limits_.quota_period = Seconds(static_cast<double>(period_us) * 1e-6);
    limits_.quota_file = file;
  }

  std::filesystem::path root_;
  CgroupLimits limits_;
};

}  // namespace

CgroupLimits read_cgroup_limits(const SystemRoot& root) {
  Reader reader(root);
  const CgroupPlace cpu = cgroup_place(root, "cpu");
  const CgroupPlace cpuset = cgroup_place(root, "cpuset");
  const CgroupPlace pids = cgroup_place(root, "pids");
  const CgroupPlace unified = cgroup_place(root, "");

  for (const std::string& directory : cpu.directories) reader.quota_v1(directory);
  for (const std::string& directory : unified.directories) reader.quota_v2(directory);

  for (const std::string& directory : cpuset.directories) {
    if (reader.cpuset(directory + "/cpuset.effective_cpus") || reader.cpuset(directory + "/cpuset.cpus"))
      break;
  }
  for (const std::string& directory : unified.directories) {
    if (reader.cpuset(directory + "/cpuset.cpus.effective")) break;
  }
  reader.pids(pids.directories);
  reader.pids(unified.directories);

  if (!cpu.directories.empty()) reader.version(1);
  if (!unified.directories.empty()) reader.version(2);
  if (!cpuset.directories.empty() || !pids.directories.empty()) reader.version(1);
  return reader.take();
}

}  // namespace corecast::hwmodels
