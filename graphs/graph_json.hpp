// The project's own form of a graph, schema corecast.graph/1, and the one entry that loads either form.
//
//   {"schema": "corecast.graph/1",
//    "name": "two_branches",                     default: none
//    "batch": 1,                                 default: 1; the works below are for this batch
//    "operators": [
//      {"name": "conv1",                         unique
//       "type": "Conv",                          ONNX operator type; "Conv+Relu" after fusion
//       "class": "conv",                         a kernel class, base/kernel_class.hpp
//       "flop": "236 Mflop",                     1 multiply-add = 2 flop
//       "compute_type": "fp32",                  default: fp32
//       "activations_read": "602 kB", "weights_read": "37.6 kB", "written": "3.2 MB",
//       "working_set": "60 kB",                  what must stay in cache for each byte to move once
//       "units": 448,                            default: 1; equal pieces it can be cut into
//       "serial_fraction": 0.01,                 default: 0
//       "steps": 1,                              default: 1; parts that must follow one another
//       "weights_per_step": "0 B",               of weights_read, what each step after the first reads again
//       "parameters": 9408,
//       "matrix": {"batch": 1, "m": 12544, "n": 64, "k": 147},         batch by default 1
//       "window": [7, 7], "output_shape": [1, 64, 112, 112],
//       "understood": true}],                    default: true; false where no work rule knew the operator
//    "edges": [{"from": "conv1", "to": "relu1", "bytes": "3.2 MB"}],
//    "notes": [{"code": "dynamic-shape", "text": "..."}]}
//
// Required: schema, operators with name, type and class, and both ends of an edge.
// Quantities are text with a unit, counts bare numbers; what is left out is zero, one or empty.
// Refused, with the place: keys not listed, repeated keys, names and edges; edges to nobody; cycles; negative
// values; no operator at all; counts above 1e15, quantities above kMostPerOperator, and parameters above
// kMostParameters in sum, so that no sum over a graph can overflow.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "graphs/graph.hpp"
#include "graphs/onnx_import.hpp"

namespace corecast::graphs {

inline constexpr double kMostPerOperator = 1e24;  // flop or bytes
inline constexpr std::int64_t kMostParameters = 1'000'000'000'000'000'000;

[[nodiscard]] Graph parse_graph_json(std::string_view text, const std::string& file);

// parse_graph_json(to_json_text(g)) == g, and equal graphs give equal bytes. One line for each operator and
// edge; what has its default is left out. InputError for names that are not UTF-8, which JSON cannot hold.
[[nodiscard]] std::string to_json_text(const Graph& graph);

// By content: what begins with "{" is ours, anything else is taken as ONNX.
// A JSON graph has its batch and shapes written in: asking for others is an InputError.
[[nodiscard]] Graph load_model(const std::filesystem::path& path, const ImportOptions& options = {});

}  // namespace corecast::graphs
