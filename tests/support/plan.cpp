#include "tests/support/plan.hpp"

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/quantity_text.hpp"

namespace corecast::test {
namespace {

using sim::OperatorPlan;
using sim::Plan;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  std::istringstream in{std::string(text)};
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

Seconds time_of(const std::string& text) {
  return parse_quantity<Seconds>(text);
}

int count_of(const std::string& text) {
  return static_cast<int>(parse_whole(text, "a count", 0, 1'000'000));
}

sim::Bound bound_named(const std::string& name) {
  using sim::Bound;
  for (const Bound bound : {Bound::compute, Bound::memory, Bound::cache, Bound::overhead, Bound::serial}) {
    if (sim::name_of(bound) == name) return bound;
  }
  throw InputError("plan", fmt::format("no bound {}", quote(name)));
}

sim::Keep keep_named(const std::string& name) {
  if (name == "first") return sim::Keep::first;
  if (name == "last") return sim::Keep::last;
  if (name == "chain") return sim::Keep::chain;
  if (name == "none") return sim::Keep::none;
  throw InputError("plan", fmt::format("no rule {}", quote(name)));
}

ResourceIndex resource_named(const Plan& plan, const std::string& name) {
  for (std::size_t j = 0; j < plan.resources.size(); ++j) {
    if (plan.resources[j].name == name) return ResourceIndex(j);
  }
  throw InputError("plan", fmt::format("no resource {}", quote(name)));
}

OperatorPlan phases(const Plan& plan, const std::string& text) {
  OperatorPlan op;
  bool made_up = false;
  for (const std::string& phase : split(text, ',')) {
    const std::vector<std::string> w = words(phase);
    if (w.empty()) continue;
    if (w.size() == 3 && w[0] == "draw") {
      op.draws.push_back({resource_named(plan, w[1]), parse_quantity<Bytes>(w[2]).value()});
    } else if (w.size() == 2 && w[0] == "bound") {
      op.bound = bound_named(w[1]);
    } else if (w.size() == 2 && w[0] == "dispatch") {
      op.dispatch = time_of(w[1]);
    } else if (w.size() == 2 && w[0] == "serial") {
      op.serial = time_of(w[1]);
    } else if (w.size() == 2 && w[0] == "fork") {
      op.fork_join = time_of(w[1]);
    } else if (w.size() == 2 && (w[0] == "compute" || w[0] == "memory" || w[0] == "imbalance")) {
      (w[0] == "compute" ? op.compute : w[0] == "memory" ? op.memory : op.imbalance) = time_of(w[1]);
      made_up = true;
    } else if (w.size() <= 2) {
      op.parallel = time_of(w[0]);
      if (w.size() == 2) op.threads = count_of(w[1].at(0) == 'x' ? w[1].substr(1) : w[1]);
    } else {
      throw InputError("plan", fmt::format("{} is no phase", quote(phase)));
    }
  }
  if (!made_up) op.compute = op.parallel;
  return op;
}

void read_executor(Plan& plan, const std::vector<std::string>& w, std::optional<double>& cpus) {
  if (w.size() == 3 && w[0] == "resource") {
    plan.resources.push_back({w[1], parse_quantity<BytesPerSecond>(w[2]).value()});
    return;
  }
  if (w.size() != 2) throw InputError("plan", "a clause of the executor has a name and a value");
  if (w[0] == "slots") {
    plan.executor.slots = count_of(w[1]);
    plan.executor.fixed_order = false;
  } else if (w[0] == "workers") {
    plan.executor.shared_workers = count_of(w[1]);
  } else if (w[0] == "hand-over") {
    plan.executor.hand_over = time_of(w[1]);
  } else if (w[0] == "cpus") {
    cpus = parse_number(w[1], "CPUs");
  } else if (w[0] == "spinning") {
    plan.spinning = count_of(w[1]);
  } else if (w[0] == "quota") {
    plan.quota = parse_number(w[1], "CPUs");
  } else if (w[0] == "quota-slice") {
    plan.quota_slice = time_of(w[1]);
  } else if (w[0] == "copies") {
    plan.copies = count_of(w[1]);
  } else if (w[0] == "keep") {
    plan.executor.keep = keep_named(w[1]);
  } else if (w[0] == "slice") {
    plan.time_slice = time_of(w[1]);
  } else {
    throw InputError("plan", fmt::format("no clause {}", quote(w[0])));
  }
}

}  // namespace

Plan plan_of(const graphs::Graph& graph, std::string_view text) {
  Plan plan;
  plan.operators.resize(graph.size());
  plan.order = graph.topological_order();
  std::vector<char> named(graph.size(), 0);
  std::optional<double> cpus;
  for (const std::string& clause : split(text, ';')) {
    const std::size_t colon = clause.find(':');
    if (colon == std::string::npos) {
      if (const auto w = words(clause); !w.empty()) read_executor(plan, w, cpus);
      continue;
    }
    const OperatorPlan op = phases(plan, clause.substr(colon + 1));
    for (const std::string& name : words(clause.substr(0, colon))) {
      for (std::size_t i = 0; i < graph.size(); ++i) {
        const bool meant = name == "*" ? named[i] == 0 : graph.op(OpIndex(i)).name == name;
        if (!meant) continue;
        plan.operators[i] = op;
        named[i] = 1;
      }
      if (name != "*" && !graph.find(name))
        throw InputError("plan", fmt::format("no operator {}", quote(name)));
    }
  }
  plan.cpus = cpus.value_or(static_cast<double>(plan.executor.slots) + plan.executor.shared_workers);
  return plan;
}

}  // namespace corecast::test
