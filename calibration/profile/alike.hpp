// How well a node and an operator agree in what they work on. Internal to match().
#pragma once

#include "calibration/profile/profile.hpp"
#include "graphs/graph.hpp"

namespace corecast::calibration::profile {

enum class Agreement { no, unknown, yes };

// By the output's number of elements (blocked layouts pad channels), else, where only inputs are known, by what must
// follow from them: a convolution's filters, a product's multiplications, the elements of what keeps its shape.
[[nodiscard]] Agreement agreement(const Node& node, const graphs::Operator& op);

}  // namespace corecast::calibration::profile
