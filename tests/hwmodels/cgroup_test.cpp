#include "hwmodels/cgroup.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "hwmodels/cgroup_paths.hpp"
#include "tests/hwmodels/recorded_tree.hpp"

namespace corecast::hwmodels {
namespace {

using test::RecordedTree;
using List = std::vector<int>;

const std::string kMountV2 =
    "30 22 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string kMountsV1 =
    "30 22 0:27 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "31 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:5 - cgroup cgroup rw,cpu,cpuacct\n"
    "32 30 0:29 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
    "33 30 0:30 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n";

TEST_CASE("version 2: quota, cpuset and processes are read from the process's group") {
  const RecordedTree tree{{"/proc/self/cgroup", "0::/app\n"},
                          {"/proc/self/mountinfo", kMountV2},
                          {"/sys/fs/cgroup/app/cpu.max", "250000 100000\n"},
                          {"/sys/fs/cgroup/app/cpuset.cpus.effective", "0-3\n"},
                          {"/sys/fs/cgroup/app/pids.max", "512\n"},
                          {"/sys/fs/cgroup/app/pids.current", "31\n"}};
  const CgroupLimits limits = read_cgroup_limits(tree.root());
  CHECK(limits.version == 2);
  CHECK(limits.quota_cpus == 2.5);
  REQUIRE(limits.quota_period.has_value());
  CHECK(limits.quota_period->value() == doctest::Approx(0.1));
  CHECK(limits.quota_file == "/sys/fs/cgroup/app/cpu.max");
  CHECK(limits.cpuset == List{0, 1, 2, 3});
  CHECK(limits.pids_limit == 512);
  CHECK(limits.pids_used == 31);
  CHECK(limits.warnings.empty());
}

TEST_CASE("version 2: the smallest quota over all ancestors wins, and its file is named") {
  // Ratios from the leaf up: 4, 1.5 (a smaller quota than the root's 8, over a shorter period), none, 8.
  const RecordedTree tree{{"/proc/self/cgroup", "0::/a/b/c\n"},
                          {"/proc/self/mountinfo", kMountV2},
                          {"/sys/fs/cgroup/cpu.max", "800000 100000\n"},
                          {"/sys/fs/cgroup/a/cpu.max", "max 100000\n"},
                          {"/sys/fs/cgroup/a/b/cpu.max", "75000 50000\n"},
                          {"/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n"},
                          {"/sys/fs/cgroup/a/pids.max", "40\n"},
                          {"/sys/fs/cgroup/a/pids.current", "12\n"},
                          {"/sys/fs/cgroup/a/b/c/pids.max", "100\n"},
                          {"/sys/fs/cgroup/a/b/c/pids.current", "3\n"},
                          {"/sys/fs/cgroup/a/cpuset.cpus.effective", "2,4\n"}};
  const CgroupLimits limits = read_cgroup_limits(tree.root());
  CHECK(limits.quota_cpus == 1.5);
  CHECK(limits.quota_file == "/sys/fs/cgroup/a/b/cpu.max");
  CHECK(limits.cpuset == List{2, 4});  // of the nearest ancestor that has the file
  CHECK(limits.pids_limit == 40);      // of /a, with what is in use there
  CHECK(limits.pids_used == 12);
}

TEST_CASE("version 2: max is no limit") {
  const RecordedTree tree{{"/proc/self/cgroup", "0::/\n"},
                          {"/proc/self/mountinfo", kMountV2},
                          {"/sys/fs/cgroup/cpu.max", "max 100000\n"},
                          {"/sys/fs/cgroup/pids.max", "max\n"},
                          {"/sys/fs/cgroup/pids.current", "77\n"}};
  const CgroupLimits limits = read_cgroup_limits(tree.root());
  CHECK_FALSE(limits.quota_cpus.has_value());
  CHECK(limits.quota_file.empty());
  CHECK_FALSE(limits.cpuset.has_value());
  CHECK_FALSE(limits.pids_limit.has_value());
  CHECK(limits.pids_used == 77);
}

TEST_CASE("version 2: in a container, a path that is not below the mount means the mount point") {
  // Without a cgroup namespace /proc shows the host's path while only the container's group is mounted; with a namespace
  // and a mount from outside of it, the path climbs.
  for (const char* line : {"0::/kubepods/pod1/1a2b\n", "0::/../other\n", "0::/not/there\n"}) {
    CAPTURE(line);
    const RecordedTree tree{{"/proc/self/cgroup", line},
                            {"/proc/self/mountinfo", kMountV2},
                            {"/sys/fs/cgroup/cpu.max", "200000 100000\n"}};
    CHECK(read_cgroup_limits(tree.root()).quota_cpus == 2.0);
  }
}

TEST_CASE("version 2: the mounted part of the hierarchy is taken off the path") {
  const RecordedTree tree{
      {"/proc/self/cgroup", "0::/docker/1a2b/inner\n"},
      {"/proc/self/mountinfo", "30 22 0:27 /docker/1a2b /sys/fs/cgroup ro - cgroup2 cgroup rw\n"},
      {"/sys/fs/cgroup/cpu.max", "300000 100000\n"},
      {"/sys/fs/cgroup/inner/cpu.max", "100000 100000\n"},
      {"/sys/fs/cgroup/docker/1a2b/inner/cpu.max", "50000 100000\n"}};  // a decoy: the path without that care
  CHECK(read_cgroup_limits(tree.root()).quota_cpus == 1.0);
}

TEST_CASE("version 2: without mountinfo the usual mount point is tried") {
  const RecordedTree tree{{"/proc/self/cgroup", "0::/x\n"}, {"/sys/fs/cgroup/x/cpu.max", "600000 100000\n"}};
  CHECK(read_cgroup_limits(tree.root()).quota_cpus == 6.0);
}

TEST_CASE("version 1: each controller has its own mount and path") {
  const RecordedTree tree{{"/proc/self/cgroup", "4:cpu,cpuacct:/job\n3:cpuset:/set\n2:pids:/\n"},
                          {"/proc/self/mountinfo", kMountsV1},
                          {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "765000\n"},
                          {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"},
                          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
                          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
                          {"/sys/fs/cgroup/cpuset/set/cpuset.cpus", "4-7\n"},
                          {"/sys/fs/cgroup/cpuset/cpuset.cpus", "0-15\n"},
                          {"/sys/fs/cgroup/pids/pids.max", "100\n"},
                          {"/sys/fs/cgroup/pids/pids.current", "9\n"}};
  const CgroupLimits limits = read_cgroup_limits(tree.root());
  CHECK(limits.version == 1);
  CHECK(limits.quota_cpus == doctest::Approx(7.65));
  CHECK(limits.quota_file == "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us");
  CHECK(limits.cpuset == List{4, 5, 6, 7});
  CHECK(limits.pids_limit == 100);
  CHECK(limits.pids_used == 9);
  CHECK(limits.warnings.empty());
}

TEST_CASE("version 1: -1 is no limit, a parent's quota holds, effective CPUs go before configured ones") {
  const RecordedTree tree{{"/proc/self/cgroup", "4:cpu,cpuacct:/a/b\n3:cpuset:/s\n"},
                          {"/proc/self/mountinfo", kMountsV1},
                          {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n"},
                          {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"},
                          {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n"},
                          {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "50000\n"},
                          {"/sys/fs/cgroup/cpuset/s/cpuset.cpus", "0-7\n"},
                          {"/sys/fs/cgroup/cpuset/s/cpuset.effective_cpus", "0-3\n"}};
  const CgroupLimits limits = read_cgroup_limits(tree.root());
  CHECK(limits.quota_cpus == 3.0);
  CHECK(limits.cpuset == List{0, 1, 2, 3});
}

TEST_CASE("version 1: an empty cpuset is inherited from above") {
  const RecordedTree tree{{"/proc/self/cgroup", "3:cpuset:/s\n"},
                          {"/proc/self/mountinfo", kMountsV1},
                          {"/sys/fs/cgroup/cpuset/s/cpuset.cpus", "\n"},
                          {"/sys/fs/cgroup/cpuset/cpuset.cpus", "1\n"}};
  CHECK(read_cgroup_limits(tree.root()).cpuset == List{1});
}

TEST_CASE(
    "version 1: in a container the mount root is taken off, and without mountinfo the usual places are "
    "tried") {
  const RecordedTree mounted{
      {"/proc/self/cgroup", "4:cpu,cpuacct:/docker/1a2b\n"},
      {"/proc/self/mountinfo",
       "31 30 0:28 /docker/1a2b /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}};
  CHECK(read_cgroup_limits(mounted.root()).quota_cpus == 2.0);
  const RecordedTree bare{{"/proc/self/cgroup", "4:cpu,cpuacct:/j\n"},
                          {"/sys/fs/cgroup/cpu/j/cpu.cfs_quota_us", "500000\n"},
                          {"/sys/fs/cgroup/cpu/j/cpu.cfs_period_us", "100000\n"}};
  CHECK(read_cgroup_limits(bare.root()).quota_cpus == 5.0);
}

TEST_CASE("hybrid: both hierarchies limit, and the one with the cpu controller gives the version") {
  const RecordedTree tree{
      {"/proc/self/cgroup", "4:cpu,cpuacct:/j\n1:name=systemd:/user\n0::/user\n"},
      {"/proc/self/mountinfo", kMountsV1 + "40 30 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/j/cpu.cfs_quota_us", "400000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/j/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/unified/user/pids.max", "33\n"},
      {"/sys/fs/cgroup/unified/user/cpuset.cpus.effective", "0-1\n"}};
  const CgroupLimits limits = read_cgroup_limits(tree.root());
  CHECK(limits.version == 1);
  CHECK(limits.quota_cpus == 4.0);
  CHECK(limits.pids_limit == 33);
  CHECK(limits.cpuset == List{0, 1});
}

TEST_CASE("without control groups there is no limit and no warning") {
  const CgroupLimits limits = read_cgroup_limits(RecordedTree{}.root());
  CHECK(limits.version == 0);
  CHECK_FALSE(limits.quota_cpus.has_value());
  CHECK_FALSE(limits.cpuset.has_value());
  CHECK(limits.warnings.empty());
}

TEST_CASE("a malformed file is ignored with a warning that names it, and its ancestors still count") {
  for (const char* text : {"", "abc 100000", "100000 0", "0 100000", "-5 100000", "1 2 3", "100000 max",
                           "99999999999999999999 100000", "1e5 100000", "max x", "100000  100000"}) {
    CAPTURE(text);
    const RecordedTree tree{{"/proc/self/cgroup", "0::/a\n"},
                            {"/proc/self/mountinfo", kMountV2},
                            {"/sys/fs/cgroup/cpu.max", "700000 100000\n"},
                            {"/sys/fs/cgroup/a/cpu.max", text}};
    const CgroupLimits limits = read_cgroup_limits(tree.root());
    CHECK(limits.quota_cpus == 7.0);
    REQUIRE(limits.warnings.size() == 1);
    CHECK(limits.warnings[0].find("/sys/fs/cgroup/a/cpu.max is ignored: ") == 0);
  }
}

TEST_CASE("malformed version 1 files and lists are ignored with a warning") {
  const RecordedTree tree{{"/proc/self/cgroup", "4:cpu,cpuacct:/\n3:cpuset:/\n2:pids:/\n"},
                          {"/proc/self/mountinfo", kMountsV1},
                          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n"},
                          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "zero\n"},
                          {"/sys/fs/cgroup/cpuset/cpuset.cpus", "0-99999999999\n"},
                          {"/sys/fs/cgroup/pids/pids.max", "-3\n"}};
  const CgroupLimits limits = read_cgroup_limits(tree.root());
  CHECK_FALSE(limits.quota_cpus.has_value());
  CHECK_FALSE(limits.cpuset.has_value());
  CHECK_FALSE(limits.pids_limit.has_value());
  CHECK(limits.warnings.size() == 3);
}

TEST_CASE("garbage in /proc is no reason to fail") {
  for (const char* text :
       {"", "\n\n", ":", "::", "0:", "0::", "0::relative", "x:y:z", "\x01\xff", "4:cpu:/a:b/c d\n"}) {
    CAPTURE(text);
    const RecordedTree tree{{"/proc/self/cgroup", text}, {"/proc/self/mountinfo", text}};
    CHECK_NOTHROW((void)read_cgroup_limits(tree.root()));
  }
}

TEST_CASE("a cgroup path may hold colons") {
  const auto memberships = parse_cgroup_memberships("4:cpu,cpuacct:/a:b\n0::/\n");
  REQUIRE(memberships.size() == 2);
  CHECK(memberships[0].controllers == std::vector<std::string>{"cpu", "cpuacct"});
  CHECK(memberships[0].path == "/a:b");
  CHECK(memberships[1].controllers.empty());
}

TEST_CASE("mountinfo is read with optional fields and escapes, other mounts are passed over") {
  const auto mounts = parse_cgroup_mounts(
      "22 1 8:1 / / rw - ext4 /dev/sda rw\n"
      "30 22 0:27 /a\\040b /mnt/c\\134d rw shared:1 master:2 - cgroup2 none rw\n"
      "31 22 0:28 / /cpu rw - cgroup none rw,cpu\n"
      "broken - cgroup2 none rw\n");
  REQUIRE(mounts.size() == 2);
  CHECK(mounts[0].version == 2);
  CHECK(mounts[0].root == "/a b");
  CHECK(mounts[0].point == "/mnt/c\\d");
  CHECK(mounts[1].version == 1);
  CHECK(mounts[1].options == std::vector<std::string>{"rw", "cpu"});
}

TEST_CASE("a directory or a pipe where a file should be is passed over") {
  const RecordedTree tree{{"/proc/self/cgroup", "0::/\n"}, {"/proc/self/mountinfo", kMountV2}};
  std::filesystem::create_directories(tree.path() / "sys/fs/cgroup/cpu.max");
  REQUIRE(::mkfifo((tree.path() / "sys/fs/cgroup/pids.max").c_str(), 0600) == 0);
  const CgroupLimits limits = read_cgroup_limits(tree.root());
  CHECK(limits.version == 2);
  CHECK_FALSE(limits.quota_cpus.has_value());
  CHECK_FALSE(limits.pids_limit.has_value());
}

// --- on the running system, where it is allowed ---

bool write_to(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file);
  return static_cast<bool>((stream << text).flush());
}

// What a process sees that sits in `group`: true when it is the quota of 1.5 CPUs.
bool child_sees_quota(const std::filesystem::path& group) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = write_to(group / "cgroup.procs", "0");
    if (good) {
      const Grant grant = read_grant();
      good = grant.quota_cpus == 1.5 && grant.cpus() == 1 &&
             grant.quota_file.find(group.filename().string()) != std::string::npos;
    }
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void check_real_quota(const CgroupPlace& place,
                      const std::vector<std::pair<std::string, std::string>>& files) {
  if (place.directories.empty()) {
    MESSAGE("skipped: no such hierarchy here");
    return;
  }
  const std::filesystem::path group =
      std::filesystem::path(place.directories.front()) / ("corecast-test-" + std::to_string(::getpid()));
  std::error_code code;
  bool ready = std::filesystem::create_directory(group, code);
  for (const auto& [file, text] : files) {
    // The file must be the kernel's: a plain directory would let us create it.
    ready = ready && std::filesystem::exists(group / file, code) && write_to(group / file, text);
  }
  if (ready) {
    CHECK(child_sees_quota(group));
  } else {
    MESSAGE("skipped: not allowed to set a quota under ", place.directories.front());
  }
  ::rmdir(group.c_str());
}

TEST_CASE("a quota set on a real version 1 group is what a process in it sees") {
  check_real_quota(cgroup_place({}, "cpu"),
                   {{"cpu.cfs_period_us", "100000"}, {"cpu.cfs_quota_us", "150000"}});
}

TEST_CASE("a quota set on a real version 2 group is what a process in it sees") {
  check_real_quota(cgroup_place({}, ""), {{"cpu.max", "150000 100000"}});
}

}  // namespace
}  // namespace corecast::hwmodels
