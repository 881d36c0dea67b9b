#include "calibration/profile/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "calibration/profile/alignment.hpp"
#include "calibration/profile/alike.hpp"
#include "calibration/profile/families.hpp"
#include "calibration/profile/names.hpp"

namespace corecast::calibration::profile {
namespace {

using Families = std::vector<std::set<std::string>>;

class Matcher {
 public:
  Matcher(const Profile& profile, const graphs::Graph& graph, const graphs::Graph& prepared)
      : profile_(profile),
        graph_(graph),
        prepared_(prepared),
        of_node_(profile.nodes.size()),
        nodes_(prepared.size()) {
    for (std::size_t i = 0; i < prepared.size(); ++i)
      families_.push_back(families_of(prepared.op(OpIndex(i)).type));
  }

  Matching run() {
    if (profile_.source == Source::onnxruntime) by_name();
    by_shape();
    by_order();
    return result();
  }

 private:
  [[nodiscard]] const graphs::Operator& op(std::size_t i) const { return prepared_.op(OpIndex(i)); }
  [[nodiscard]] bool runs(std::size_t i) const { return op(i).kernel != KernelClass::shape; }
  [[nodiscard]] bool related(const Node& node, std::size_t i) const {
    return families_[i].contains(node.family);
  }

  void pair(std::size_t node, std::size_t i) {
    of_node_[node] = i;
    nodes_[i].push_back(node);
  }

  void by_name() {
    const auto names = absorbed_names(graph_, prepared_);
    std::size_t checked = 0;
    std::vector<std::size_t> unlike;
    for (std::size_t k = 0; k < profile_.nodes.size(); ++k) {
      const Node& node = profile_.nodes[k];
      const auto found = names.find(original_name(node.name));
      if (found == names.end()) continue;
      const std::size_t i = found->second.value();
      if (!runs(i) || !nodes_[i].empty() || !related(node, i)) continue;
      const Agreement agree = agreement(node, op(i));
      if (made_up(node) && agree != Agreement::yes) continue;
      if (agree != Agreement::unknown) ++checked;
      if (agree == Agreement::no) {
        unlike.push_back(k);
        continue;
      }
      pair(k, i);
      ++matching_.by_name;
    }
    if (checked >= 3 && unlike.size() * 2 > checked) fail_shapes(unlike, names);
  }

  // "Conv_3": named by the framework, after its own count.
  [[nodiscard]] static bool made_up(const Node& node) {
    const std::string name = original_name(node.name);
    const std::size_t at = name.rfind('_');
    return at != std::string::npos && name.substr(0, at) == node.type &&
           name.find_first_not_of("0123456789", at + 1) == std::string::npos;
  }

  template <typename Names>
  [[noreturn]] void fail_shapes(const std::vector<std::size_t>& unlike, const Names& names) const {
    const Node& node = profile_.nodes[unlike.front()];
    const graphs::Operator& model = prepared_.op(names.at(original_name(node.name)));
    std::string hint = "profile the model as it is given here, or give its shapes with --batch and --shape";
    if (!node.output->empty() && !model.output_shape.empty() &&
        node.output->front() != model.output_shape.front())
      hint = fmt::format("the profile looks like one of --batch {}", node.output->front());
    throw InputError(profile_.file,
                     fmt::format("node {} is {}, but {} in the model", quote(node.name),
                                 fmt::join(*node.output, "x"), fmt::join(model.output_shape, "x")),
                     hint);
  }

  void by_shape() {
    std::map<std::string, std::vector<std::size_t>> free;
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
      if (!runs(i) || !nodes_[i].empty()) continue;
      for (const std::string& family : families_[i]) free[family].push_back(i);
    }
    // Operators that begin with the node's family before those that have it somewhere inside.
    for (const bool first : {true, false}) {
      for (std::size_t k = 0; k < profile_.nodes.size(); ++k) {
        const Node& node = profile_.nodes[k];
        const auto found = free.find(node.family);
        if (of_node_[k] || found == free.end()) continue;
        for (const std::size_t i : found->second) {
          if (!nodes_[i].empty() || (first && main_family_of(op(i).type) != node.family)) continue;
          if (agreement(node, op(i)) != Agreement::yes) continue;
          pair(k, i);
          ++matching_.by_shape;
          break;
        }
      }
    }
  }

  void by_order() {
    std::vector<std::size_t> nodes, operators;
    for (std::size_t k = 0; k < profile_.nodes.size(); ++k)
      if (!of_node_[k] && !is_shape_family(profile_.nodes[k].family)) nodes.push_back(k);
    for (const OpIndex i : prepared_.topological_order())
      if (runs(i.value()) && nodes_[i.value()].empty()) operators.push_back(i.value());
    const auto score = [&](std::size_t a, std::size_t b) {
      const Node& node = profile_.nodes[nodes[a]];
      if (!related(node, operators[b]) || agreement(node, op(operators[b])) == Agreement::no) return 0;
      return main_family_of(op(operators[b]).type) == node.family ? 2 : 1;
    };
    for (const auto& [a, b] : align(nodes.size(), operators.size(), score)) {
      pair(nodes[a], operators[b]);
      ++matching_.by_order;
    }
  }

  Matching result() {
    Seconds all{}, matched{};
    std::vector<std::size_t> group_of(prepared_.size(), kNone);
    std::size_t with_node = 0;
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
      if (!runs(i)) continue;
      ++matching_.operators;
      if (nodes_[i].empty()) continue;
      ++with_node;
      group_of[i] = matching_.groups.size();
      matching_.groups.push_back({{OpIndex(i)}, nodes_[i], {}});
    }
    for (std::size_t k = 0; k < profile_.nodes.size(); ++k) {
      if (!of_node_[k] && is_shape_family(profile_.nodes[k].family)) continue;
      all += profile_.nodes[k].time;
      if (of_node_[k]) matched += profile_.nodes[k].time;
    }
    matching_.time_share = all > Seconds{} ? matched / all : 0.0;
    matching_.operator_share =
        matching_.operators == 0 ? 0.0
                                 : static_cast<double>(with_node) / static_cast<double>(matching_.operators);
    if (matching_.groups.empty() || matching_.time_share < kLeastMatched ||
        matching_.operator_share < kLeastMatched)
      fail_match();
    carry(group_of);
    adopt(group_of);
    return std::move(matching_);
  }

  [[noreturn]] void fail_match() const {
    throw InputError(
        profile_.file,
        fmt::format(
            "only {:.0f} % of the profile's time and {:.0f} % of the model's operators belong together",
            100.0 * matching_.time_share, 100.0 * matching_.operator_share),
        "the profile looks like another model");
  }

  void carry(const std::vector<std::size_t>& group_of) {
    std::size_t group = kNone;
    std::vector<std::size_t> waiting;
    for (std::size_t k = 0; k < profile_.nodes.size(); ++k) {
      if (!of_node_[k]) {
        waiting.push_back(k);
        continue;
      }
      group = group_of[*of_node_[k]];
      auto& carried = matching_.groups[group].carried;
      carried.insert(carried.end(), waiting.begin(), waiting.end());
      waiting.clear();
    }
    auto& carried = matching_.groups[group].carried;
    carried.insert(carried.end(), waiting.begin(), waiting.end());
  }

  // Operators without a node, into the group nearest to them.
  void adopt(const std::vector<std::size_t>& group_of) {
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
      if (!runs(i) || group_of[i] != kNone) continue;
      const std::size_t group = nearest(i, group_of);
      if (group == kNone) {
        matching_.alone.push_back(OpIndex(i));
      } else {
        matching_.groups[group].operators.push_back(OpIndex(i));
      }
    }
  }

  [[nodiscard]] std::size_t nearest(std::size_t i, const std::vector<std::size_t>& group_of) const {
    for (const bool forward : {true, false}) {
      std::vector<OpIndex> waiting{OpIndex(i)};
      std::set<OpIndex> seen{OpIndex(i)};
      for (std::size_t at = 0; at < waiting.size(); ++at) {
        if (group_of[waiting[at].value()] != kNone) return group_of[waiting[at].value()];
        for (const OpIndex next :
             forward ? prepared_.successors(waiting[at]) : prepared_.predecessors(waiting[at]))
          if (seen.insert(next).second) waiting.push_back(next);
      }
    }
    return kNone;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  const Profile& profile_;
  const graphs::Graph& graph_;
  const graphs::Graph& prepared_;
  Families families_;
  std::vector<std::optional<std::size_t>> of_node_;
  std::vector<std::vector<std::size_t>> nodes_;  // by operator
  Matching matching_;
};

}  // namespace

Matching match(const Profile& profile, const graphs::Graph& graph, const graphs::Graph& prepared) {
  return Matcher(profile, graph, prepared).run();
}

}  // namespace corecast::calibration::profile
