#include "graphs/graph.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "base/error.hpp"
#include "graphs/topology.hpp"

namespace corecast::graphs {
namespace {

// The edge, looked for from the end that has fewer: a wide fan-out or fan-in stays far from quadratic.
std::optional<BoostGraph::edge_descriptor> edge_between(std::size_t from, std::size_t to,
                                                        const BoostGraph& graph) {
  if (boost::out_degree(from, graph) <= boost::in_degree(to, graph)) {
    const auto [begin, end] = boost::out_edges(from, graph);
    const auto found = std::find_if(begin, end, [&](const auto& e) { return boost::target(e, graph) == to; });
    return found == end ? std::nullopt : std::optional(*found);
  }
  const auto [begin, end] = boost::in_edges(to, graph);
  const auto found = std::find_if(begin, end, [&](const auto& e) { return boost::source(e, graph) == from; });
  return found == end ? std::nullopt : std::optional(*found);
}

// `unplaced[v]` counts the predecessors of v that are not placed; all who have some lie on a cycle or behind
// one. Going backwards among them must come round. Returns the cycle in the direction of the edges.
std::vector<std::size_t> cycle_among(const std::vector<std::size_t>& unplaced, const Graph& graph) {
  const auto stuck = [&](std::size_t v) { return unplaced[v] > 0; };
  std::vector<std::size_t> seen_at(graph.size(), graph.size());
  std::vector<std::size_t> path;
  std::size_t v = 0;
  while (!stuck(v)) ++v;
  while (seen_at[v] == graph.size()) {
    seen_at[v] = path.size();
    path.push_back(v);
    for (const OpIndex before : graph.predecessors(OpIndex(v))) {
      if (!stuck(before.value())) continue;
      v = before.value();
      break;
    }
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(seen_at[v]));
  std::reverse(path.begin(), path.end());
  std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
  return path;
}

[[noreturn]] void fail_on_cycle(const std::vector<std::size_t>& cycle, const Graph& graph) {
  constexpr std::size_t kMostNames = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(cycle.size(), kMostNames); ++i) {
    text += quote(graph.op(OpIndex(cycle[i])).name) + " -> ";
  }
  text += cycle.size() > kMostNames ? "..." : quote(graph.op(OpIndex(cycle.front())).name);
  throw InputError(graph.name, fmt::format("the operators form a cycle: {}", text),
                   "a model graph must have none");
}

}  // namespace

Graph::Graph() : topology_(std::make_unique<Topology>()) {}
Graph::~Graph() = default;
Graph::Graph(Graph&& other) noexcept = default;
Graph& Graph::operator=(Graph&& other) noexcept = default;

Graph::Graph(const Graph& other)
    : name(other.name),
      batch(other.batch),
      inputs(other.inputs),
      notes(other.notes),
      operators_(other.operators_),
      topology_(std::make_unique<Topology>(*other.topology_)),
      by_name_(other.by_name_) {}

Graph& Graph::operator=(const Graph& other) {
  if (this != &other) *this = Graph(other);
  return *this;
}

OpIndex Graph::add(Operator op) {
  const auto [place, fresh] = by_name_.emplace(op.name, size());
  if (!fresh) throw InputError(name, fmt::format("two operators are named {}", quote(op.name)));
  operators_.push_back(std::move(op));
  return OpIndex(boost::add_vertex(topology_->graph));
}

void Graph::connect(OpIndex from, OpIndex to, Bytes bytes) {
  CORECAST_CHECK(from.value() < size() && to.value() < size(), "from={} to={} size={}", from.value(),
                 to.value(), size());
  CORECAST_CHECK(std::isfinite(bytes.value()) && bytes >= Bytes(0.0), "bytes={}", bytes.value());
  if (const auto edge = edge_between(from.value(), to.value(), topology_->graph)) {
    topology_->graph[*edge].bytes += bytes;
  } else {
    boost::add_edge(from.value(), to.value(), Edge{bytes}, topology_->graph);
  }
}

std::vector<OpIndex> Graph::predecessors(OpIndex i) const {
  std::vector<OpIndex> out;
  out.reserve(boost::in_degree(i.value(), topology_->graph));
  const auto [begin, end] = boost::in_edges(i.value(), topology_->graph);
  std::for_each(begin, end,
                [&](const auto& edge) { out.emplace_back(boost::source(edge, topology_->graph)); });
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<OpIndex> Graph::successors(OpIndex i) const {
  std::vector<OpIndex> out;
  out.reserve(boost::out_degree(i.value(), topology_->graph));
  const auto [begin, end] = boost::out_edges(i.value(), topology_->graph);
  std::for_each(begin, end,
                [&](const auto& edge) { out.emplace_back(boost::target(edge, topology_->graph)); });
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Connection> Graph::connections() const {
  std::vector<Connection> out;
  out.reserve(boost::num_edges(topology_->graph));
  const auto [begin, end] = boost::edges(topology_->graph);
  std::for_each(begin, end, [&](const auto& edge) {
    out.push_back({OpIndex(boost::source(edge, topology_->graph)),
                   OpIndex(boost::target(edge, topology_->graph)), topology_->graph[edge].bytes});
  });
  std::sort(out.begin(), out.end(), [](const Connection& a, const Connection& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  return out;
}

std::optional<OpIndex> Graph::find(std::string_view op_name) const {
  const auto found = by_name_.find(op_name);
  if (found == by_name_.end()) return std::nullopt;
  return OpIndex(found->second);
}

std::vector<OpIndex> Graph::topological_order() const {
  std::vector<std::size_t> unplaced(size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t v = 0; v < size(); ++v) {
    unplaced[v] = boost::in_degree(v, topology_->graph);
    if (unplaced[v] == 0) ready.push(v);
  }
  std::vector<OpIndex> order;
  order.reserve(size());
  while (!ready.empty()) {
    const std::size_t v = ready.top();
    ready.pop();
    order.emplace_back(v);
    const auto [begin, end] = boost::adjacent_vertices(v, topology_->graph);
    std::for_each(begin, end, [&](std::size_t after) {
      if (--unplaced[after] == 0) ready.push(after);
    });
  }
  if (order.size() < size()) fail_on_cycle(cycle_among(unplaced, *this), *this);
  return order;
}

Flops Graph::total_flops() const {
  Flops sum;
  for (std::size_t v = 0; v < size(); ++v) sum += operators_[v].work.flops;
  return sum;
}

std::int64_t Graph::total_parameters() const {
  std::int64_t sum = 0;
  for (std::size_t v = 0; v < size(); ++v) sum += operators_[v].parameters;
  return sum;
}

Bytes Graph::total_traffic() const {
  Bytes sum;
  for (std::size_t v = 0; v < size(); ++v) sum += operators_[v].work.traffic();
  return sum;
}

bool operator==(const Graph& a, const Graph& b) {
  if (a.name != b.name || a.batch != b.batch || a.inputs != b.inputs || a.notes != b.notes ||
      a.size() != b.size())
    return false;
  for (std::size_t v = 0; v < a.size(); ++v) {
    if (!(a.op(OpIndex(v)) == b.op(OpIndex(v)))) return false;
  }
  return a.connections() == b.connections();
}

}  // namespace corecast::graphs
