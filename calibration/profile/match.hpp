// Matching: which node of a profile is which operator of the prepared graph.
//
// 1. By name: onnxruntime keeps the name of the first or the last operator that it fused, with suffixes ("_nchwc",
//    "_token_12", "/MatMulAddFusion"). Name and family must agree; of names made from a type and a number
//    ("Conv_3") the output's shape too, as the number may mean something else.
// 2. By family and shape: of operators alike the first that is free, in the order of both.
// 3. By order: the alignment of what is left that keeps the order and pairs the most of equal family (Needleman and
//    Wunsch, J. Mol. Biol. 48(3), 1970), where no shape contradicts.
// A node without an operator (Reshape, copies, a fusion nobody knows) is carried by the operator of the next node that
// has one, else of the last. An operator without a node ran inside of another's kernel: it shares that of the nearest
// operator after it in the graph, else before it. So no measured time is lost.
//
// Shares count nodes that the graph has no operator for by design (shapes) neither as matched nor as missed.
//
// InputError: less than 30 % of time or operators matched, with a hint; shapes of another batch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "calibration/profile/profile.hpp"
#include "graphs/graph.hpp"

namespace corecast::calibration::profile {

inline constexpr double kLeastMatched = 0.3;
inline constexpr double kWeakMatch = 0.8;

// Operators that are timed together: those whose kernels are one, and the nodes that tell of them.
struct Group {
  std::vector<OpIndex> operators;    // of the prepared graph; the first is the one that was matched
  std::vector<std::size_t> nodes;    // of the profile: the operators' kernel
  std::vector<std::size_t> carried;  // and those without an operator
};

struct Matching {
  std::vector<Group> groups;
  std::vector<OpIndex> alone;  // operators that no group reaches
  std::size_t operators = 0;   // that run a kernel
  std::size_t by_name = 0, by_shape = 0, by_order = 0;
  double time_share = 0.0;      // of the nodes' time, those matched
  double operator_share = 0.0;  // of the operators, those with a node of their own

  [[nodiscard]] bool weak() const { return time_share < kWeakMatch; }
};

// `graph`: as imported; `prepared`: what sim::prepare made of it.
[[nodiscard]] Matching match(const Profile& profile, const graphs::Graph& graph,
                             const graphs::Graph& prepared);

// Name of the operator that a node of onnxruntime was made from, as far as the name tells: "Conv_3_nchwc" -> "Conv_3".
[[nodiscard]] std::string original_name(std::string_view node);

}  // namespace corecast::calibration::profile
