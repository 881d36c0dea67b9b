// Names of operators before and after fusion. Internal to match().
#pragma once

#include <map>
#include <string>

#include "graphs/graph.hpp"

namespace corecast::calibration::profile {

// Operator of the prepared graph by the name of every operator of the imported one that is in it: "relu1" -> that of
// "conv1", of type "Conv+Relu". Operators that preparing removed (shapes) have none.
[[nodiscard]] std::map<std::string, OpIndex, std::less<>> absorbed_names(const graphs::Graph& graph,
                                                                         const graphs::Graph& prepared);

}  // namespace corecast::calibration::profile
