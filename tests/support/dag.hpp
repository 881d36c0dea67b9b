// Graphs from one line of text, so that a test reads like the picture.
//
//   dag("a:1Gflop -> b; a -> c; b,c -> d:2Gflop,10MB,units=4,gemm")
//
//   graph      = statement { ";" statement }    empty statements are allowed
//   statement  = nodes { arrow nodes }           each node on the left is connected to each on the right
//   arrow      = "->" | "-[" bytes "]->"         bytes that flow along each edge, 0 when left out
//   nodes      = node { "," node }
//   node       = name [ ":" attribute { "," attribute } ]
//   name       = letters, digits, _ . / +
//
//   attribute          example          sets
//   flop               1Gflop           work.flops
//   bytes              10MB             work.activations_read
//   class              gemm             kernel class by its field name; also a usual type where none is given
//   data type          int8             work.compute_type
//   weights, written   weights=10MB     work.weights_read, work.written
//   again              again=5MB        work.weights_per_step
//   set                set=60kB         work.working_set
//   units, steps       units=4          work.units, work.steps
//   serial             serial=0.1       work.serial_fraction
//   type               type=Conv        ONNX operator type
//   parameters         parameters=100
//   matrix             matrix=2x3x4x5   [batch x] m x n x k
//   window, shape      shape=1x64x7x7   window, output_shape
//
// A node is made where its name first stands (indices follow the text) and may be given attributes once, anywhere.
// After a node with ":" each item without ":" belongs to it, so bare names come first: "b, c, d:1flop,gemm".
// What is not said keeps the default of graphs::Operator and graphs::Work: class other, one unit, no bytes.
// Wrong text throws InputError with the piece at fault; cycles are not looked for.
#pragma once

#include <string_view>

#include "graphs/graph.hpp"

namespace corecast::test {

[[nodiscard]] graphs::Graph dag(std::string_view text);

}  // namespace corecast::test
