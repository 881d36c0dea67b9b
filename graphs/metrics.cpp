#include "graphs/metrics.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "graphs/antichain.hpp"
#include "graphs/topology.hpp"

namespace corecast::graphs {
namespace {

constexpr std::uint32_t kLight = std::numeric_limits<std::uint32_t>::max();

// depth[v] of the header comment, for the operators that `counts` accepts.
template <typename Counts>
std::vector<std::int64_t> depths(const Graph& graph, const std::vector<OpIndex>& order, Counts counts) {
  std::vector<std::int64_t> depth(graph.size(), 0);
  for (const OpIndex v : order) {
    std::int64_t deepest = 0;
    for (const OpIndex before : graph.predecessors(v)) deepest = std::max(deepest, depth[before.value()]);
    depth[v.value()] = deepest + (counts(graph.op(v)) ? 1 : 0);
  }
  return depth;
}

std::int64_t largest(const std::vector<std::int64_t>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

bool has_type(const Operator& op, std::string_view ending) {
  const std::string_view type = std::string_view(op.type).substr(0, op.type.find('+'));
  return type.ends_with(ending);
}

bool is_update(const Operator& op) {
  return has_type(op, "MomentumUpdate");
}

// By class alone, gradients and updates too.
bool has_heavy_kernel(const Operator& op) {
  switch (op.kernel) {
    case KernelClass::gemm:
    case KernelClass::conv:
    case KernelClass::conv_1x1:
    case KernelClass::conv_depthwise:
    case KernelClass::conv_transposed:
    case KernelClass::recurrent:
      return true;
    case KernelClass::gather:
      return op.work.weights_read > op.work.activations_read;
    default:
      return false;
  }
}

bool counts_for_width(const Operator& op) {
  return has_heavy_kernel(op) && !is_update(op);
}

// Operators of one depth: none of them waits for another, or it would be deeper.
std::int64_t largest_level(const Graph& graph, const std::vector<std::int64_t>& depth) {
  std::vector<std::int64_t> count(static_cast<std::size_t>(largest(depth)) + 1, 0);
  for (std::size_t v = 0; v < graph.size(); ++v) {
    if (counts_for_width(graph.op(OpIndex(v)))) ++count[static_cast<std::size_t>(depth[v])];
  }
  return largest(count);
}

// For each operator that counts, in topological order, those after it.
std::vector<std::vector<std::uint32_t>> wide_after(const Graph& graph, const std::vector<OpIndex>& order) {
  std::vector<std::uint32_t> rank(graph.size(), kLight);
  std::uint32_t wide = 0;
  for (const OpIndex v : order) {
    if (counts_for_width(graph.op(v))) rank[v.value()] = wide++;
  }
  // One row of bits for each operator: those that count before it and itself.
  const std::size_t words = (wide + 63U) / 64U;
  std::vector<std::uint64_t> before(graph.size() * words, 0);
  std::vector<std::vector<std::uint32_t>> after(wide);
  for (const OpIndex v : order) {
    std::uint64_t* row = before.data() + v.value() * words;
    for (const OpIndex p : graph.predecessors(v)) {
      const std::uint64_t* other = before.data() + p.value() * words;
      for (std::size_t w = 0; w < words; ++w) row[w] |= other[w];
    }
    const std::uint32_t mine = rank[v.value()];
    if (mine == kLight) continue;
    for (std::uint32_t r = 0; r < mine; ++r) {
      if ((row[r / 64U] >> (r % 64U) & 1U) != 0) after[r].push_back(mine);
    }
    row[mine / 64U] |= std::uint64_t{1} << (mine % 64U);
  }
  return after;
}

std::vector<OpIndex> critical_path(const Graph& graph, const std::vector<OpIndex>& order) {
  using Length = std::pair<double, double>;  // flop, bytes
  std::vector<Length> length(graph.size());
  std::vector<std::optional<OpIndex>> via(graph.size());
  std::optional<OpIndex> last;
  for (const OpIndex v : order) {
    Length longest{0.0, 0.0};
    for (const OpIndex before : graph.predecessors(v)) {
      if (via[v.value()] && !(longest < length[before.value()])) continue;
      longest = length[before.value()];
      via[v.value()] = before;
    }
    const Work& work = graph.op(v).work;
    length[v.value()] = {longest.first + work.flops.value(), longest.second + work.traffic().value()};
    const bool ends = boost::out_degree(v.value(), graph.topology().graph) == 0;
    if (ends && (!last || length[last->value()] < length[v.value()])) last = v;
  }
  std::vector<OpIndex> path;
  for (std::optional<OpIndex> v = last; v; v = via[v->value()]) {
    if (graph.op(*v).kernel != KernelClass::shape) path.push_back(*v);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

bool is_gradient(const Operator& op) {
  return has_type(op, "Grad") || has_type(op, "GradData") || has_type(op, "GradWeights");
}

bool is_heavy(const Operator& op) {
  return has_heavy_kernel(op) && !is_gradient(op) && !is_update(op);
}

Metrics measure(const Graph& graph) {
  Metrics m;
  std::int64_t wide = 0;
  const std::vector<OpIndex> order = graph.topological_order();
  for (const OpIndex v : order) {
    const Operator& op = graph.op(v);
    m.operators += op.kernel == KernelClass::shape ? 0 : 1;
    m.heavy += is_heavy(op) ? 1 : 0;
    wide += counts_for_width(op) ? 1 : 0;
    Metrics::ByClass& row = m.by_class[op.kernel];
    ++row.count;
    row.flops += op.work.flops;
    row.traffic += op.work.traffic();
    row.parameters += op.parameters;
  }
  m.levels =
      largest(depths(graph, order, [](const Operator& op) { return op.kernel != KernelClass::shape; }));
  m.heavy_levels = largest(depths(graph, order, is_heavy));
  if (m.heavy > 0) m.average_width = static_cast<double>(m.heavy) / static_cast<double>(m.heavy_levels);
  if (wide > 0) {
    m.max_width_exact = wide <= kMostForExactWidth;
    m.max_width = m.max_width_exact ? largest_antichain(wide_after(graph, order))
                                    : largest_level(graph, depths(graph, order, counts_for_width));
  }
  m.critical_path = critical_path(graph, order);
  Flops along;
  for (const OpIndex v : m.critical_path) along += graph.op(v).work.flops;
  if (graph.total_flops() > Flops(0.0)) m.critical_path_share = along / graph.total_flops();
  return m;
}

}  // namespace corecast::graphs
