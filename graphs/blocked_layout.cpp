#include "graphs/blocked_layout.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace corecast::graphs {
namespace {

class Layouts {
 public:
  Layouts(const Graph& graph, const BlockedLayout& layout)
      : graph_(graph), layout_(layout), blocked_(graph.size(), false) {
    for (const OpIndex i : graph.topological_order()) blocked_[i.value()] = is_blocked(i);
  }

  [[nodiscard]] bool any() const {
    return std::find(blocked_.begin(), blocked_.end(), true) != blocked_.end();
  }
  [[nodiscard]] bool blocked(OpIndex i) const { return blocked_[i.value()]; }
  // Whether it wants its images in blocks.
  [[nodiscard]] bool reads_blocks(OpIndex i) const {
    const Operator& op = graph_.op(i);
    return blocked(i) && (!op.matrix || groups_of(op) > 1 || channels_in(op) >= layout_.channels);
  }

 private:
  static bool holds(const std::vector<std::string>& list, const std::string& type) {
    return std::find(list.begin(), list.end(), type.substr(0, type.find('+'))) != list.end();
  }

  [[nodiscard]] bool is_blocked(OpIndex i) const {
    const Operator& op = graph_.op(i);
    if (holds(layout_.operators, op.type)) return fills_blocks(op);
    if (!holds(layout_.following, op.type) || op.output_shape.size() != 4) return false;
    const std::vector<OpIndex> before = graph_.predecessors(i);
    return !before.empty() &&
           std::all_of(before.begin(), before.end(), [&](OpIndex p) { return blocked(p); });
  }

  static std::int64_t groups_of(const Operator& op) {
    return std::max<std::int64_t>(op.matrix->batch / std::max<std::int64_t>(op.output_shape[0], 1), 1);
  }
  // Of a group.
  static std::int64_t channels_in(const Operator& op) {
    std::int64_t taps = 1;
    for (const std::int64_t side : op.window) taps *= std::max<std::int64_t>(side, 1);
    return op.matrix->k / taps;
  }

  [[nodiscard]] bool fills_blocks(const Operator& op) const {
    if (op.output_shape.size() != 4) return false;
    const auto whole = [&](std::int64_t channels) { return channels % layout_.channels == 0; };
    if (!op.matrix || op.kernel == KernelClass::conv_depthwise) return whole(op.output_shape[1]);
    return groups_of(op) == 1 || (whole(channels_in(op)) && whole(op.matrix->n));
  }

  const Graph& graph_;
  const BlockedLayout& layout_;
  std::vector<bool> blocked_;
};

Operator reorder(const Operator& of, const char* type, const char* suffix, Bytes bytes) {
  Operator op;
  op.name = of.name + suffix;
  op.type = type;
  op.kernel = KernelClass::transpose;
  op.work.compute_type = of.work.compute_type;
  op.work.activations_read = op.work.written = bytes;
  op.output_shape = of.output_shape;
  if (of.output_shape.size() >= 2)
    op.work.units = std::max<std::int64_t>(of.output_shape[0] * of.output_shape[1], 1);
  return op;
}

// The graph anew, operator by operator.
class Rebuilt {
 public:
  Rebuilt(const Graph& graph, const Layouts& layouts)
      : graph_(graph), layouts_(layouts), in_(graph.size()), out_(graph.size()) {
    result_.name = graph.name;
    result_.batch = graph.batch;
    result_.inputs = graph.inputs;
    result_.notes = graph.notes;
    for (std::size_t i = 0; i < graph.size(); ++i) add(OpIndex(i));
    for (const Connection& c : graph.connections()) connect(c);
  }

  Graph take() { return std::move(result_); }

 private:
  // Behind it at once: what reads its result comes later in any order.
  void add(OpIndex i) {
    const Operator& op = graph_.op(i);
    if (graph_.predecessors(i).empty() && layouts_.reads_blocks(i)) {
      const OpIndex before = result_.add(reorder(op, "Reorder", "/reorder", op.work.activations_read));
      index_.push_back(result_.add(op));
      result_.connect(before, index_.back(), op.work.activations_read);
    } else {
      index_.push_back(result_.add(op));
    }
    const std::vector<OpIndex> after = graph_.successors(i);
    const auto wants = [&](bool blocks) {
      return std::any_of(after.begin(), after.end(),
                         [&](OpIndex next) { return layouts_.reads_blocks(next) == blocks; });
    };
    if (layouts_.blocked(i) && (after.empty() || wants(false)))
      out_[i.value()] = follow(i, "Reorder", "/reorder_output");
    if (!layouts_.blocked(i) && wants(true)) in_[i.value()] = follow(i, "Reorder", "/reorder_input");
  }

  OpIndex follow(OpIndex i, const char* type, const char* suffix) {
    const Operator& op = graph_.op(i);
    const OpIndex there = result_.add(reorder(op, type, suffix, op.work.written));
    result_.connect(index_[i.value()], there, op.work.written);
    return there;
  }

  void connect(const Connection& c) {
    const bool blocks = layouts_.reads_blocks(c.to);
    std::optional<OpIndex> from = index_[c.from.value()];
    if (layouts_.blocked(c.from) && !blocks) from = out_[c.from.value()];
    if (!layouts_.blocked(c.from) && blocks) from = in_[c.from.value()];
    result_.connect(*from, index_[c.to.value()], c.bytes);
  }

  const Graph& graph_;
  const Layouts& layouts_;
  Graph result_;
  std::vector<OpIndex> index_;                    // by the old one
  std::vector<std::optional<OpIndex>> in_, out_;  // reorders of an operator's result
};

}  // namespace

Graph with_reorders(Graph graph, const BlockedLayout& layout) {
  if (layout.channels == 0) return graph;
  const Layouts layouts(graph, layout);
  if (!layouts.any()) return graph;
  return Rebuilt(graph, layouts).take();
}

}  // namespace corecast::graphs
