#include "tests/sim/simgrid/machine.hpp"

#include <algorithm>
#include <cmath>

namespace corecast::test {
namespace {

namespace s4u = simgrid::s4u;

std::string numbered(const char* name, std::size_t number) {
  return name + std::to_string(number);
}

s4u::Host* host(s4u::NetZone& zone, const std::string& name, double speed, int cores = 1) {
  return zone.create_host(name, speed)->set_core_count(cores)->seal();
}

// Of all slots at once at the most.
double threads_at_once(const Scenario& scenario) {
  int threads = 1;
  for (const Task& task : scenario.tasks) threads = std::max(threads, task.threads);
  return threads * static_cast<double>(scenario.slots);
}

}  // namespace

std::vector<std::string> engine_arguments(const Scenario& scenario) {
  // 1e-9 of a resource, 1e-12 s; SimGrid's own values are 1e-5 and 1e-9.
  std::vector<std::string> arguments{
      "simgrid_makespan",           "--log=root.thresh:error",      "--cfg=maxmin/precision:1e-9",
      "--cfg=surf/precision:1e-12", "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0"};
  if (scenario.way == Way::flows) arguments.emplace_back("--cfg=network/model:CM02");
  if (scenario.way == Way::bottleneck) {
    arguments.emplace_back("--cfg=host/model:ptask_L07");
    arguments.emplace_back("--cfg=host/solver:bmf");
    arguments.emplace_back("--cfg=bmf/precision:1e-9");
  }
  return arguments;
}

Machine::Machine(const Scenario& scenario) : scenario_(scenario) {
  s4u::NetZone& zone = *s4u::create_full_zone("all");
  const bool slots = scenario.way == Way::slots;
  const std::size_t count = slots ? std::min(scenario.tasks.size(), static_cast<std::size_t>(scenario.slots))
                                  : scenario.tasks.size();
  for (std::size_t i = 0; i < count; ++i) own_.push_back(host(zone, numbered("own", i), 1.0));

  if (scenario.way == Way::cpus) {
    const bool whole = scenario.cpus == std::floor(scenario.cpus);
    shared_ =
        whole ? host(zone, "cpus", 1.0, static_cast<int>(scenario.cpus)) : host(zone, "cpus", scenario.cpus);
    if (!whole) thread_bound_ = 1.0;
  } else if (scenario.way == Way::bottleneck && scenario.cpus < threads_at_once(scenario)) {
    shared_ = host(zone, "cpus", scenario.cpus);
  }

  std::vector<s4u::Link*> links;
  for (std::size_t j = 0; j < scenario.capacities.size(); ++j) {
    links.push_back(
        zone.create_link(numbered("resource", j), scenario.capacities[j])->set_latency(0.0)->seal());
  }
  const auto route = [&](s4u::Host* from, s4u::Host* to, const std::vector<s4u::LinkInRoute>& over) {
    zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, over, false);
  };
  if (scenario.way == Way::flows) {
    // A flow that draws twice its bytes from a resource passes the link twice.
    for (std::size_t i = 0; i < count; ++i) {
      const Task& task = scenario.tasks[i];
      // Its own link keeps it from going faster than alone.
      const s4u::Link* own = zone.create_link(numbered("flow", i), kFlowRate)->set_latency(0.0)->seal();
      std::vector<s4u::LinkInRoute> over{s4u::LinkInRoute(own)};
      for (const Drawn& draw : task.draws) {
        const auto times = std::lround(draw.amount / (task.parallel_s * kFlowRate));
        over.insert(over.end(), static_cast<std::size_t>(times), s4u::LinkInRoute(links[draw.resource]));
      }
      sinks_.push_back(host(zone, numbered("sink", i), 1.0));
      route(own_[i], sinks_[i], over);
    }
  } else {
    for (std::size_t j = 0; j < links.size(); ++j) {
      sinks_.push_back(host(zone, numbered("sink", j), 1.0));
      for (s4u::Host* from : own_) route(from, sinks_[j], {s4u::LinkInRoute(links[j])});
    }
  }
  zone.seal();
}

void Machine::run(std::size_t task, std::size_t slot) const {
  const Task& t = scenario_.tasks[task];
  if (scenario_.way == Way::bottleneck) {
    for (const double seconds : {t.dispatch_s, t.serial_s}) parallel_task(task, seconds, 1, {});
    parallel_task(task, t.fork_s, t.threads, {});
    parallel_task(task, t.parallel_s, t.threads, t.draws);
    return;
  }
  s4u::Host* const host =
      scenario_.way == Way::cpus ? shared_ : own_[scenario_.way == Way::slots ? slot : task];
  for (const double seconds : {t.dispatch_s, t.serial_s}) compute(host, seconds, 1);
  compute(host, t.fork_s, t.threads);
  if (scenario_.way == Way::flows) {
    flow(task);
  } else {
    compute(host, t.parallel_s, t.threads);
  }
}

void Machine::compute(s4u::Host* host, double seconds, int threads) const {
  if (seconds <= 0.0) return;
  std::vector<s4u::ExecPtr> running;
  for (int thread = 0; thread < threads; ++thread) {
    s4u::ExecPtr exec = s4u::Exec::init()->set_flops_amount(seconds)->set_host(host);
    if (thread_bound_ > 0.0) exec->set_bound(thread_bound_);
    exec->start();
    running.push_back(std::move(exec));
  }
  for (const s4u::ExecPtr& exec : running) exec->wait();
}

void Machine::flow(std::size_t task) const {
  const auto bytes = static_cast<std::uint64_t>(std::llround(scenario_.tasks[task].parallel_s * kFlowRate));
  s4u::CommPtr comm = s4u::Comm::sendto_init(own_[task], sinks_[task]);
  comm->set_payload_size(bytes)->start();
  comm->wait();
}

void Machine::parallel_task(std::size_t task, double seconds, int threads,
                            const std::vector<Drawn>& draws) const {
  if (seconds <= 0.0) return;
  // Its own host keeps it from going faster than alone.
  std::vector<s4u::Host*> hosts{own_[task]};
  std::vector<double> flops{seconds};
  if (shared_ != nullptr) {
    hosts.push_back(shared_);
    flops.push_back(seconds * threads);
  }
  std::vector<double> sent(hosts.size(), 0.0);  // from its own host
  for (const Drawn& draw : draws) {
    hosts.push_back(sinks_[draw.resource]);
    flops.push_back(0.0);
    sent.push_back(draw.amount);
  }
  std::vector<double> bytes(hosts.size() * hosts.size(), 0.0);
  std::copy(sent.begin(), sent.end(), bytes.begin());
  s4u::this_actor::exec_init(hosts, flops, bytes)->wait();
}

}  // namespace corecast::test
