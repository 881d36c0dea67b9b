// A written model as an ONNX file, so that a runtime can be asked how long it really takes.
//
// The file holds IR version 8 and operator set 17, com.microsoft 1 when one of its operators is used, and nothing that
// changes from run to run: the same model gives the same bytes. Sizes of inputs are fixed, the batch too.
//
// Weights have the right shapes and types, but not learned values. Each one is a ConstantOfShape node, of about 100
// bytes whatever its size. A runtime turns it into a stored constant when it loads the model, so that a run costs what
// it costs with real weights, and memory is as large. Only what has one element or whose values matter (whole numbers:
// the shape of a Reshape, axes) is stored as an initializer. Fill values are chosen so that activations stay in the range of
// those of a trained model; see onnx_export.cpp.
//
// bf16: tensors have the type BFLOAT16, weights are filled in fp32 and cast. The form is that of the standard, but
// operator set 17 does not list bf16 for every operator (Conv, pools), and onnxruntime's CPU provider cannot run most
// of such a model.
// int8: uint8 where it is an activation, int8 where it is a weight (quantize.hpp).
#pragma once

#include <string>

#include "graphs/written_model.hpp"

namespace corecast::graphs {

// A serialised ModelProto. InputError when an operator is in neither operator set, naming its node.
[[nodiscard]] std::string to_onnx(const WrittenModel& model);

}  // namespace corecast::graphs
