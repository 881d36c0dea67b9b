// Where threads and memory are: sockets, placement, pages, the allocator, pinning, instances; and what the framework
// does not see of the grant.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "sim/advice_context.hpp"
#include "sim/knobs.hpp"
#include "sim/placement.hpp"

namespace corecast::sim {
namespace {

// Under the objective latency, instances have to serve so much more to be told of: each request takes longer.
constexpr double kServesMore = 0.25;

// NUMA nodes of one socket: "0", "0-3".
std::string nodes_of_socket(const hwmodels::Machine& machine) {
  return machine.domains_per_socket == 1 ? "0" : fmt::format("0-{}", machine.domains_per_socket - 1);
}

std::string on_one_socket(const AdviceContext& c) {
  const std::string nodes = nodes_of_socket(c.target.machine);
  std::string text = fmt::format("numactl -N {0} -m {0}", nodes);
  if (c.runtime.framework == "llama") text += " with --numa numactl";
  return text;
}

std::size_t sockets_used(const AdviceContext& c, const Setting& setting) {
  return place_threads(c.target.machine, setting, c.computing(setting)).sockets.size();
}

void sockets(AdviceContext& c) {
  const auto& machine = c.target.machine;
  if (machine.sockets < 2 || c.now().threads > c.target.cpus()) return;
  if (const std::size_t used = sockets_used(c, c.effective); used > 1) {
    const int slots = operators_at_once(c.runtime, c.effective);
    const int each = c.effective.instances == 1 ? machine.cores_per_socket() : c.computing(c.effective);
    std::vector<Setting> settings;
    for (const int cores : {each, c.effective.smt ? each * machine.max_smt() : each}) {
      Setting one = c.current;
      one.placement = Placement::compact;
      one.intra_op = std::clamp(most_intra_op(c.runtime, cores, slots), 1, c.current.intra_op);
      one.smt = cores > machine.cores_per_socket();
      if (sockets_used(c, sim::effective(c.target, c.runtime, one)) == 1) settings.push_back(one);
    }
    const auto better = c.best_of(settings);
    if (c.pays(better)) {
      c.tell("ONE_SOCKET", "CROSS_SOCKET",
             fmt::format("an instance over {} pays for every byte and every join that crosses",
                         plural(static_cast<std::int64_t>(used), "socket")),
             *better, on_one_socket(c));
      return;
    }
  }
  Setting other = c.current;
  const bool scattered = c.current.placement == Placement::scatter;
  other.placement = scattered ? Placement::compact : Placement::scatter;
  const auto better = c.tried(other);
  if (c.pays(better)) {
    c.tell("PLACEMENT", "",
           scattered ? "threads are spread over the sockets, and would be faster packed on one"
                     : "threads fill one socket first, and would be faster spread over all",
           *better,
           scattered ? std::string_view("numactl -C with CPUs of one socket")
                     : std::string_view("numactl -C with CPUs of all sockets"));
  }
}

void pages(AdviceContext& c) {
  if (c.target.machine.sockets > 1 && c.now().threads <= c.target.cpus()) {
    Setting other = c.current;
    const bool interleaved = c.current.memory == MemoryPolicy::interleave;
    other.memory = interleaved ? MemoryPolicy::first_touch : MemoryPolicy::interleave;
    const auto better = c.tried(other);
    if (c.pays(better))
      c.tell("MEMORY_POLICY", "",
             interleaved ? "interleaved pages lie on the other socket every second time"
                         : "weights lie in the memory of one socket, which the others read across the link",
             *better);
  }
  const Allocator asked = c.effective.allocator;
  if ((asked == Allocator::framework ? c.runtime.allocator : asked) == Allocator::caching) return;
  Setting caching = c.current;
  caching.allocator = Allocator::caching;
  const auto better = c.tried(caching);
  if (c.pays(better))
    c.tell("ALLOCATOR", "",
           fmt::format("page faults of fresh outputs cost {:.0f} % of the time",
                       100.0 * c.gain(*better) / (1.0 + c.gain(*better))),
           *better);
}

void pinning(AdviceContext& c) {
  if (c.current.pinning != Pinning::stacked || c.current.instances < 2) return;
  Setting apart = c.current;
  apart.pinning = Pinning::distinct;
  const auto better = c.tried(apart);
  const std::string what = fmt::format("{} are all bound to the same CPUs, as when every process pins itself",
                                       plural(c.current.instances, "instance"));
  if (better && c.gain(*better) > 0.0) {
    c.tell("AFFINITY_TRAP", "PINNING_STACKS", what, *better);
  } else {
    c.tell_fact("AFFINITY_TRAP", fmt::format("{}: {}", what, remedy(c.runtime, c.current, apart)));
    c.list.back().cause = "PINNING_STACKS";
  }
}

// As many as fill the cores, or all hardware threads, with so many threads each.
void add_full(const AdviceContext& c, int intra_op, std::vector<Setting>& out) {
  Setting setting = c.current;
  setting.intra_op = intra_op;
  setting.pinning = Pinning::distinct;
  const int each = c.computing(sim::effective(c.target, c.runtime, setting));
  for (const int cpus : {c.target.physical_cores(), c.target.cpus()}) {
    setting.instances = cpus / each;
    if (setting.instances > c.current.instances) out.push_back(c.spread(setting));
  }
}

void more_instances(AdviceContext& c) {
  std::vector<Setting> settings;
  for (int n = c.current.intra_op; n >= 1; n = n == 1 ? 0 : (n + 1) / 2) add_full(c, n, settings);
  const auto better = c.best_of(settings);
  const double least = c.options.objective == Objective::latency ? kServesMore : kPays;
  if (!better || c.gain(*better) <= least) return;
  c.tell("MORE_INSTANCES", "INSTANCES_BETTER",
         c.current.instances == 1 ? std::string("one instance cannot use all cores well; several serve more")
                                  : std::string("more and smaller instances serve more"),
         *better);
}

}  // namespace

void advise_memory(AdviceContext& c) {
  sockets(c);
  pages(c);
}

void advise_instances(AdviceContext& c) {
  pinning(c);
  more_instances(c);
}

void advise_grant(AdviceContext& c) {
  const int granted = c.target.machine.logical_cpus();
  if (c.options.online_cpus <= granted) return;
  c.tell_fact("CPUSET",
              fmt::format("{} of {} CPUs are granted (affinity mask or cpuset); a default thread count may "
                          "be that of all: set {}",
                          granted, c.options.online_cpus, set_threads(c.runtime, c.target.physical_cores())));
  if (c.runtime.framework == "pytorch")
    c.tell_fact(
        "VERSION_DEFAULT",
        "PyTorch before 2.14 takes its default thread count from the machine, 2.14 and later from the "
        "affinity mask; none looks at a CPU quota");
}

}  // namespace corecast::sim
