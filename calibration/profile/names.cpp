#include "calibration/profile/names.hpp"

#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/profile/match.hpp"

namespace corecast::calibration::profile {
namespace {

using Names = std::map<std::string, OpIndex, std::less<>>;

std::vector<std::string> parts_of(std::string_view types) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= types.size();) {
    const std::size_t to = std::min(types.find('+', from), types.size());
    parts.emplace_back(types.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

// The operator of that type after `from` that is in no prepared operator yet; removed shape operators are passed through.
std::optional<OpIndex> absorbed_after(const graphs::Graph& graph, const graphs::Graph& prepared,
                                      const Names& names, OpIndex from, const std::string& type) {
  std::vector<OpIndex> waiting = graph.successors(from);
  std::set<OpIndex> seen(waiting.begin(), waiting.end());
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const graphs::Operator& op = graph.op(waiting[i]);
    const bool free = !prepared.find(op.name) && !names.contains(op.name);
    if (free && op.type == type) return waiting[i];
    if (!free || op.kernel != KernelClass::shape) continue;
    for (const OpIndex next : graph.successors(waiting[i]))
      if (seen.insert(next).second) waiting.push_back(next);
  }
  return std::nullopt;
}

void cut_at(std::string& name, std::string_view mark) {
  const std::size_t at = name.find(mark);
  if (at != std::string::npos && at > 0) name.resize(at);
}

}  // namespace

std::string original_name(std::string_view node) {
  std::string name(node);
  if (name.starts_with("fused ")) name.erase(0, 6);
  cut_at(name, "_token_");
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view suffix : {"_nchwc", "_nhwc", "_quant", "_fused", "_fp16", "_bf16"}) {
      if (name.size() <= suffix.size() || !name.ends_with(suffix)) continue;
      name.resize(name.size() - suffix.size());
      again = true;
    }
  }
  // "layer0/MatMul_1/MatMulAddFusion", "layer0/MatMul_3/MatMulScaleFusion/", "conv/ConvActivationFusion/"
  while (name.ends_with('/')) name.pop_back();
  while (name.ends_with("Fusion")) {
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos || slash == 0) break;
    name.resize(slash);
    while (name.ends_with('/')) name.pop_back();
  }
  return name;
}

Names absorbed_names(const graphs::Graph& graph, const graphs::Graph& prepared) {
  Names names;
  for (std::size_t i = 0; i < prepared.size(); ++i) names.emplace(prepared.op(OpIndex(i)).name, OpIndex(i));
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    const graphs::Operator& op = prepared.op(OpIndex(i));
    std::optional<OpIndex> at = graph.find(op.name);
    if (!at) continue;  // made by preparing
    const std::string& own = graph.op(*at).type;
    if (op.type.size() <= own.size() || !op.type.starts_with(own)) continue;
    for (const std::string& type : parts_of(std::string_view(op.type).substr(own.size() + 1))) {
      at = absorbed_after(graph, prepared, names, *at, type);
      if (!at) break;
      names.emplace(graph.op(*at).name, OpIndex(i));
    }
  }
  return names;
}

}  // namespace corecast::calibration::profile
