#include "graphs/fusion.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

namespace corecast::graphs {
namespace {

constexpr std::size_t kMostExtraEdges = 64;

Bytes difference(Bytes a, Bytes b) {
  return std::max(a - b, Bytes(0.0));
}

double serial_share(const Work& a, const Work& b) {
  const auto mean = [&](double weight_a, double weight_b) {
    return (a.serial_fraction * weight_a + b.serial_fraction * weight_b) / (weight_a + weight_b);
  };
  if (a.flops + b.flops > Flops(0.0)) return mean(a.flops.value(), b.flops.value());
  if (a.traffic() + b.traffic() > Bytes(0.0)) return mean(a.traffic().value(), b.traffic().value());
  return a.serial_fraction;
}

// The equations of the header comment; `between` is T. Takes the producer over: its type text grows with what it absorbs,
// and copying it each time would make a long chain quadratic.
Operator fused(Operator producer, const Operator& consumer, Bytes between, bool folds) {
  Work& p = producer.work;
  const Work& c = consumer.work;
  producer.type += "+" + consumer.type;
  producer.output_shape = consumer.output_shape;
  producer.understood = producer.understood && consumer.understood;
  if (!folds) {
    producer.parameters += consumer.parameters;
    p.serial_fraction = serial_share(p, c);  // before the flop and traffic that weigh it change
    p.flops += c.flops;
    p.weights_read += c.weights_read;
    p.weights_per_step += c.weights_per_step;
    p.steps = std::max(p.steps, c.steps);
  }
  p.activations_read += difference(c.activations_read, between);
  p.written = difference(p.written, between) + c.written;
  p.working_set = std::max(p.working_set, c.working_set - between);
  return producer;
}

// A rule with its lists made searchable.
struct Matcher {
  explicit Matcher(const FusionRule& rule)
      : into(rule.into.begin(), rule.into.end()),
        consumer(rule.consumer.begin(), rule.consumer.end()),
        folds(rule.folds) {}
  [[nodiscard]] bool absorbs(const std::string& type) const {
    return into.contains(type.substr(0, type.find('+')));
  }

  std::unordered_set<std::string> into;
  std::unordered_set<std::string> consumer;
  bool folds;
};

// The graph while it shrinks. Operators are known by their place in the topological order, which stays one: a
// fused operator takes the place of its consumer, after all it reads and before all who read it.
class Workbench {
 public:
  explicit Workbench(const Graph& graph) : graph_(graph), nodes_(graph.size()) {
    const std::vector<OpIndex> order = graph.topological_order();
    std::vector<std::size_t> place(graph.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i].value()] = i;
      nodes_[i].op = graph.op(order[i]);
      nodes_[i].index = order[i].value();
    }
    for (const Connection& c : graph.connections()) join(place[c.from.value()], place[c.to.value()], c.bytes);
  }

  void remove_shape_operators() {
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      const Node& node = nodes_[v];
      if (node.op.kernel != KernelClass::shape || node.op.work.flops > Flops(0.0)) continue;
      if (node.in.size() * node.out.size() > node.in.size() + node.out.size() + kMostExtraEdges) continue;
      if (!node.out.empty()) nodes_[node.out.begin()->first].op.parameters += node.op.parameters;
      bypass(v);
    }
  }

  void apply(const std::vector<Matcher>& rules) {
    std::set<std::size_t> candidates;
    for (std::size_t v = 0; v < nodes_.size(); ++v) candidates.insert(candidates.end(), v);
    // Only what follows a fusion can fuse anew, so each round looks at no more than the one before has
    // changed.
    while (!candidates.empty()) {
      std::set<std::size_t> changed;
      for (const Matcher& rule : rules) {
        std::set<std::size_t> waiting = candidates;
        waiting.insert(changed.begin(), changed.end());
        while (!waiting.empty()) {
          const std::size_t consumer = *waiting.begin();
          waiting.erase(waiting.begin());
          const auto producer = producer_for(consumer, rule);
          if (!producer) continue;
          absorb(*producer, consumer, rule.folds);
          for (const auto& [after, bytes] : nodes_[consumer].out) {
            waiting.insert(after);
            changed.insert(after);
          }
        }
      }
      candidates = std::move(changed);
    }
  }

  // What is left, in the order of the operators that absorbed.
  [[nodiscard]] Graph result() const {
    std::vector<std::size_t> left;
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      if (nodes_[v].alive) left.push_back(v);
    }
    std::sort(left.begin(), left.end(), [&](auto a, auto b) { return nodes_[a].index < nodes_[b].index; });
    Graph out;
    out.name = graph_.name;
    out.batch = graph_.batch;
    out.inputs = graph_.inputs;
    out.notes = graph_.notes;
    std::vector<OpIndex> index(nodes_.size());
    for (const std::size_t v : left) index[v] = out.add(nodes_[v].op);
    for (const std::size_t v : left) {
      for (const auto& [after, bytes] : nodes_[v].out) out.connect(index[v], index[after], bytes);
    }
    return out;
  }

 private:
  struct Node {
    Operator op;
    std::size_t index = 0;  // in the graph given
    bool alive = true;
    bool fused = false;
    std::map<std::size_t, Bytes> in;
    std::map<std::size_t, Bytes> out;
  };

  void join(std::size_t from, std::size_t to, Bytes bytes) {
    nodes_[from].out[to] += bytes;
    nodes_[to].in[from] += bytes;
  }

  void detach(std::size_t v) {
    for (const auto& [before, bytes] : nodes_[v].in) nodes_[before].out.erase(v);
    for (const auto& [after, bytes] : nodes_[v].out) nodes_[after].in.erase(v);
    nodes_[v].in.clear();
    nodes_[v].out.clear();
  }

  void bypass(std::size_t v) {
    const auto in = nodes_[v].in;
    const auto out = nodes_[v].out;
    detach(v);
    nodes_[v].alive = false;
    for (const auto& [before, read] : in) {
      for (const auto& [after, written] : out) join(before, after, std::min(read, written));
    }
  }

  [[nodiscard]] std::optional<std::size_t> producer_for(std::size_t consumer, const Matcher& rule) const {
    const Node& c = nodes_[consumer];
    if (!c.alive || c.fused || !rule.consumer.contains(c.op.type)) return std::nullopt;
    for (auto before = c.in.rbegin(); before != c.in.rend();
         ++before) {  // the last in topological order first
      const Node& p = nodes_[before->first];
      if (p.out.size() == 1 && rule.absorbs(p.op.type)) return before->first;
    }
    return std::nullopt;
  }

  // The result stands in the consumer's place.
  void absorb(std::size_t producer, std::size_t consumer, bool folds) {
    Node& c = nodes_[consumer];
    const Bytes between = nodes_[producer].out.at(consumer);
    c.op = graphs::fused(std::move(nodes_[producer].op), c.op, between, folds);
    c.index = nodes_[producer].index;
    c.fused = true;
    const auto reads = std::move(nodes_[producer].in);
    for (const auto& [before, bytes] : reads) nodes_[before].out.erase(producer);
    nodes_[producer] = Node{};
    nodes_[producer].alive = false;
    c.in.erase(producer);
    for (const auto& [before, bytes] : reads) join(before, consumer, bytes);
  }

  const Graph& graph_;
  std::vector<Node> nodes_;
};

}  // namespace

Graph fuse(const Graph& graph, const std::vector<FusionRule>& rules) {
  Workbench bench(graph);
  bench.remove_shape_operators();
  bench.apply(std::vector<Matcher>(rules.begin(), rules.end()));
  return bench.result();
}

}  // namespace corecast::graphs
