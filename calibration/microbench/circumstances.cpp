#include "calibration/microbench/circumstances.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "base/quantity_text.hpp"
#include "calibration/microbench/kernels.hpp"
#include "calibration/microbench/sampler.hpp"
#include "calibration/microbench/team.hpp"
#include "hwmodels/cgroup_paths.hpp"
#include "hwmodels/cpu_features.hpp"
#include "hwmodels/cpuinfo.hpp"
#include "hwmodels/system_files.hpp"

namespace corecast::calibration::microbench {
namespace {

using hwmodels::read_system_file;
using hwmodels::split;
using hwmodels::trimmed;

std::optional<double> number(std::string_view text) {
  const std::string copy(trimmed(text));
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str()) return std::nullopt;
  return value;
}

std::string line_of(const std::string& path) {
  return std::string(trimmed(read_system_file("/", path).value_or("")));
}

std::optional<std::int64_t> throttled_now() {
  std::optional<std::int64_t> sum;
  for (const char* controller : {"", "cpu"}) {
    for (const std::string& directory : hwmodels::cgroup_place({}, controller).directories) {
      const auto periods = parse_throttled(read_system_file("/", directory + "/cpu.stat").value_or(""));
      if (periods) sum = sum.value_or(0) + *periods;
    }
  }
  return sum;
}

double own_cpu_seconds() {
  struct rusage use {};
  if (::getrusage(RUSAGE_SELF, &use) != 0) return 0.0;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

std::optional<Hertz> clock_of_one_core(const hwmodels::Host& host) {
  const std::vector<Seats> one = seats(host, Placement::compact, 1, {1});
  if (one.empty()) return std::nullopt;
  constexpr std::int64_t kAdditions = 1024 * kChain;
  Team team({one[0].cpus[0].number});
  std::uint64_t sum = 0;
  const Sampling sampling =
      sample([&](std::int64_t n) { return team.run([&](int) { sum = add_chain(sum, 3, kAdditions * n); }); },
             {.target = 0.0, .least = 20, .most = 20, .budget = Seconds(0.15), .repetition = Seconds(0.004)});
  // The fastest: what a core that nobody disturbs does.
  return Hertz(static_cast<double>(kAdditions) /
               *std::min_element(sampling.seconds.begin(), sampling.seconds.end()));
}

}  // namespace

std::optional<CpuTicks> parse_cpu_ticks(std::string_view proc_stat) {
  // cpu  user nice system idle iowait irq softirq steal guest guest_nice; guest time is part of user.
  for (const std::string_view line : split(proc_stat, '\n')) {
    if (line.substr(0, 4) != "cpu ") continue;
    std::vector<double> fields;
    for (const std::string_view word : split(line.substr(4), ' ')) {
      if (const auto value = number(word)) fields.push_back(*value);
    }
    if (fields.size() < 8) return std::nullopt;
    return CpuTicks{fields[0] + fields[1] + fields[2] + fields[5] + fields[6], fields[7]};
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_throttled(std::string_view cpu_stat) {
  constexpr std::string_view kKey = "nr_throttled ";
  for (const std::string_view line : split(cpu_stat, '\n')) {
    if (line.substr(0, kKey.size()) != kKey) continue;
    if (const auto value = number(line.substr(kKey.size()))) return static_cast<std::int64_t>(*value);
  }
  return std::nullopt;
}

Moment observe(const hwmodels::Host& host) {
  Moment moment;
  moment.clock = clock_of_one_core(host);
  moment.load = number(line_of("/proc/loadavg"));
  moment.throttled_periods = throttled_now();
  if (const auto ticks = parse_cpu_ticks(read_system_file("/", "/proc/stat").value_or(""))) {
    const auto per_second = static_cast<double>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
    moment.busy_cpu_seconds = ticks->busy / per_second;
    moment.steal_seconds = ticks->steal / per_second;
  }
  moment.own_cpu_seconds = own_cpu_seconds();
  moment.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return moment;
}

void describe_host(Context& context, const hwmodels::Host& host) {
  struct utsname names {};
  if (::uname(&names) == 0) {
    context.host = names.nodename;
    context.kernel = fmt::format("{} {} {}", names.sysname, names.release, names.machine);
  }
  context.cpu = hwmodels::parse_cpuinfo(read_system_file("/", "/proc/cpuinfo").value_or("")).model_name;
#if defined(__clang__)
  context.compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
  context.compiler = "gcc " __VERSION__;
#endif
  context.governor = line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  context.smt = line_of("/sys/devices/system/cpu/smt/control");
  context.huge_pages = line_of("/sys/kernel/mm/transparent_hugepage/enabled");
  context.clock_source = line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  context.granted_cpus = host.grant.usable();
  context.quota_cpus = host.grant.quota_cpus;
  context.virtual_machine = hwmodels::detect_features().virtual_machine;
}

void compare(Context& context, const hwmodels::Host& host, const Moment& before, const Moment& after) {
  const auto warn = [&](const std::string& text) { context.warnings.push_back(text); };
  context.load_before = before.load, context.load_after = after.load;
  context.clock_before = before.clock, context.clock_after = after.clock;
  if (before.clock && after.clock) {
    const double moved = *after.clock / *before.clock - 1.0;
    if (std::abs(moved) > 0.03) {
      warn(
          fmt::format("the clock moved by {:+.1f} %, from {} to {}: rates of before and after do not compare",
                      100.0 * moved, to_short_text(*before.clock), to_short_text(*after.clock)));
    }
  }
  if (before.throttled_periods && after.throttled_periods) {
    context.throttled_periods =
        std::max<std::int64_t>(0, *after.throttled_periods - *before.throttled_periods);
    if (*context.throttled_periods > 0) {
      warn(fmt::format("the CPU quota throttled this run in {} periods: times are too long",
                       *context.throttled_periods));
    }
  }
  const double wall = after.wall_seconds - before.wall_seconds;
  if (!(wall > 0.0)) return;
  if (before.steal_seconds && after.steal_seconds) {
    context.steal_seconds = std::max(0.0, *after.steal_seconds - *before.steal_seconds);
    if (*context.steal_seconds > 0.01 * wall * std::max(1, host.grant.cpus())) {
      warn(fmt::format("the hypervisor gave {:.1f} s of CPU time to others: times are too long",
                       *context.steal_seconds));
    }
  }
  if (before.busy_cpu_seconds && after.busy_cpu_seconds) {
    const double all = *after.busy_cpu_seconds - *before.busy_cpu_seconds;
    const double others = (all - (after.own_cpu_seconds - before.own_cpu_seconds)) / wall;
    if (others > 0.2) {
      warn(fmt::format("other processes used {:.1f} CPUs meanwhile: rates are too low and spread", others));
    }
  }
}

void judge_spread(Context& context, const std::vector<Row>& rows, double target) {
  constexpr double kTooHigh = 3.0;
  const auto wide = std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
    return !row.samples.empty() && relative_spread(row.samples) > kTooHigh * target;
  });
  if (10 * wide > static_cast<std::ptrdiff_t>(rows.size())) {
    context.warnings.push_back(
        fmt::format("{} of {} rows are known to no better than {:.0f} %: measure again on an "
                    "idle machine, or with --thorough",
                    wide, rows.size(), 100.0 * kTooHigh * target));
  }
}

}  // namespace corecast::calibration::microbench
