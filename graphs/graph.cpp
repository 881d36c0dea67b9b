#include "graphs/graph.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "base/error.hpp"

namespace corecast::graphs {
namespace {

using Boost = Graph::Boost;

// The edge, looked for from the end that has fewer: a wide fan-out or fan-in stays far from quadratic.
std::optional<Boost::edge_descriptor> edge_between(std::size_t from, std::size_t to, const Boost& graph) {
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

OpIndex Graph::add(Operator op) {
  const auto [place, fresh] = by_name_.emplace(op.name, size());
  if (!fresh) throw InputError(name, fmt::format("two operators are named {}", quote(op.name)));
  return OpIndex(boost::add_vertex(std::move(op), graph_));
}

void Graph::connect(OpIndex from, OpIndex to, Bytes bytes) {
  CORECAST_CHECK(from.value() < size() && to.value() < size(), "from={} to={} size={}", from.value(),
                 to.value(), size());
  CORECAST_CHECK(std::isfinite(bytes.value()) && bytes >= Bytes(0.0), "bytes={}", bytes.value());
  if (const auto edge = edge_between(from.value(), to.value(), graph_)) {
    graph_[*edge].bytes += bytes;
  } else {
    boost::add_edge(from.value(), to.value(), Edge{bytes}, graph_);
  }
}

std::vector<OpIndex> Graph::predecessors(OpIndex i) const {
  std::vector<OpIndex> out;
  out.reserve(boost::in_degree(i.value(), graph_));
  const auto [begin, end] = boost::in_edges(i.value(), graph_);
  std::for_each(begin, end, [&](const auto& edge) { out.emplace_back(boost::source(edge, graph_)); });
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<OpIndex> Graph::successors(OpIndex i) const {
  std::vector<OpIndex> out;
  out.reserve(boost::out_degree(i.value(), graph_));
  const auto [begin, end] = boost::out_edges(i.value(), graph_);
  std::for_each(begin, end, [&](const auto& edge) { out.emplace_back(boost::target(edge, graph_)); });
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Connection> Graph::connections() const {
  std::vector<Connection> out;
  out.reserve(boost::num_edges(graph_));
  const auto [begin, end] = boost::edges(graph_);
  std::for_each(begin, end, [&](const auto& edge) {
    out.push_back(
        {OpIndex(boost::source(edge, graph_)), OpIndex(boost::target(edge, graph_)), graph_[edge].bytes});
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
    unplaced[v] = boost::in_degree(v, graph_);
    if (unplaced[v] == 0) ready.push(v);
  }
  std::vector<OpIndex> order;
  order.reserve(size());
  while (!ready.empty()) {
    const std::size_t v = ready.top();
    ready.pop();
    order.emplace_back(v);
    const auto [begin, end] = boost::adjacent_vertices(v, graph_);
    std::for_each(begin, end, [&](std::size_t after) {
      if (--unplaced[after] == 0) ready.push(after);
    });
  }
  if (order.size() < size()) fail_on_cycle(cycle_among(unplaced, *this), *this);
  return order;
}

Flops Graph::total_flops() const {
  Flops sum;
  for (std::size_t v = 0; v < size(); ++v) sum += graph_[v].work.flops;
  return sum;
}

std::int64_t Graph::total_parameters() const {
  std::int64_t sum = 0;
  for (std::size_t v = 0; v < size(); ++v) sum += graph_[v].parameters;
  return sum;
}

Bytes Graph::total_traffic() const {
  Bytes sum;
  for (std::size_t v = 0; v < size(); ++v) sum += graph_[v].work.traffic();
  return sum;
}

bool operator==(const Graph& a, const Graph& b) {
  if (a.name != b.name || a.batch != b.batch || a.notes != b.notes || a.size() != b.size()) return false;
  for (std::size_t v = 0; v < a.size(); ++v) {
    if (!(a.op(OpIndex(v)) == b.op(OpIndex(v)))) return false;
  }
  return a.connections() == b.connections();
}

}  // namespace corecast::graphs
