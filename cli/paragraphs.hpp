// Parts that text reports share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/inputs.hpp"
#include "sim/forecast.hpp"

namespace corecast::cli {

[[nodiscard]] std::string heading_of(const ModelInput& model,
                                     int width);  // "m.onnx: batch 1, 126 operators, ..."
[[nodiscard]] std::string header_lines(const MachineInput& machine, const sim::Runtime& runtime, int width);

// "\nTITLE\n  CODE  sentence", one a message; nothing when there are none.
[[nodiscard]] std::string messages_text(std::string_view title, const std::vector<sim::Message>& messages,
                                        int width);

// What the import could not do exactly, as messages.
[[nodiscard]] std::vector<sim::Message> notes_of(const graphs::Graph& graph);

// Without repetitions, in the order of their first.
[[nodiscard]] std::vector<sim::Message> distinct(std::vector<sim::Message> messages);

}  // namespace corecast::cli
