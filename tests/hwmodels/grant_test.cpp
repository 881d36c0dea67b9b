#include <doctest/doctest.h>
#include <sched.h>

#include "hwmodels/host.hpp"
#include "tests/hwmodels/recorded_tree.hpp"

namespace corecast::hwmodels {
namespace {

using test::RecordedTree;
using List = std::vector<int>;

TEST_CASE("a grant gathers CPUs on line, affinity mask and control groups of a recorded system") {
  const RecordedTree tree{{"/sys/devices/system/cpu/online", "0-7\n"},
                          {"/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-5\n"},
                          {"/proc/self/cgroup", "0::/\n"},
                          {"/sys/fs/cgroup/cpu.max", "250000 100000\n"},
                          {"/sys/fs/cgroup/cpuset.cpus.effective", "2-7\n"}};
  const Grant grant = read_grant(tree.root());
  CHECK(grant.online == List{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(grant.affinity == List{0, 1, 2, 3, 4, 5});
  CHECK(grant.usable() == List{2, 3, 4, 5});
  CHECK(grant.cpus() == 2);  // 2.5 CPUs of quota, rounded down
  CHECK(grant.cgroup_version == 2);
  CHECK(grant.warnings.empty());
}

TEST_CASE("a quota below one CPU still leaves one, and one above the mask changes nothing") {
  Grant grant;
  grant.affinity = {0, 1, 2, 3};
  CHECK(grant.cpus() == 4);
  for (const auto& [quota, cpus] :
       {std::pair{0.01, 1}, {0.99, 1}, {1.0, 1}, {3.99, 3}, {4.0, 4}, {1e18, 4}}) {
    grant.quota_cpus = quota;
    CAPTURE(*grant.quota_cpus);
    CHECK(grant.cpus() == cpus);
  }
}

TEST_CASE("threads with a core each are bounded by cores and by the quota") {
  Grant grant;
  grant.affinity = {0, 1, 2, 3};
  grant.usable_cores = 2;  // two siblings each
  CHECK(grant.cpus() == 4);
  CHECK(grant.cores() == 2);
  grant.quota_cpus = 1.0;
  CHECK(grant.cores() == 1);
}

TEST_CASE("siblings in the mask are one core") {
  // CPUs 0 and 4 share a core, 1 and 5 too; 2 has no topology and counts as a core.
  const RecordedTree tree{{"/sys/devices/system/cpu/online", "0-7\n"},
                          {"/proc/self/status", "Cpus_allowed_list:\t0,2,4-5\n"},
                          {"/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0,4\n"},
                          {"/sys/devices/system/cpu/cpu4/topology/core_cpus_list", "0,4\n"},
                          {"/sys/devices/system/cpu/cpu5/topology/thread_siblings_list", "1,5\n"}};
  const Grant grant = read_grant(tree.root());
  CHECK(grant.usable() == List{0, 2, 4, 5});
  CHECK(grant.usable_cores == 3);
}

TEST_CASE("lists that contradict each other leave the affinity mask, with a warning") {
  const RecordedTree tree{{"/sys/devices/system/cpu/online", "0-3\n"},
                          {"/proc/self/status", "Cpus_allowed_list:\t8-9\n"}};
  const Grant grant = read_grant(tree.root());
  CHECK(grant.usable() == List{8, 9});
  CHECK(grant.warnings.size() == 1);
}

TEST_CASE("a system that says nothing grants one CPU, with a warning") {
  const Grant grant = read_grant(RecordedTree{}.root());
  CHECK(grant.usable() == List{0});
  CHECK(grant.cpus() == 1);
  CHECK(grant.cores() == 1);
  CHECK(grant.warnings.size() == 1);
}

TEST_CASE("garbage in the lists is ignored with warnings") {
  const RecordedTree tree{{"/sys/devices/system/cpu/online", "0-99999999999\n"},
                          {"/proc/self/status", "Cpus_allowed_list:\tx\n"}};
  const Grant grant = read_grant(tree.root());
  CHECK(grant.cpus() == 1);
  CHECK(grant.warnings.size() == 3);  // both lists, and that nothing is left
}

TEST_CASE("the running system grants the CPUs of this process's mask") {
  const Grant grant = read_grant();
  CHECK(grant.affinity.size() >= 1);
  CHECK(grant.cpus() >= 1);
  CHECK(grant.cpus() <= static_cast<int>(grant.affinity.size()));
  CHECK(grant.cores() <= grant.cpus());
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof mask, &mask) == 0)
    CHECK(static_cast<int>(grant.affinity.size()) == CPU_COUNT(&mask));
}

}  // namespace
}  // namespace corecast::hwmodels
