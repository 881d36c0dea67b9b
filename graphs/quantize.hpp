// The int8 form of an fp32 model, as onnxruntime's static quantisation gives it in its QOperator format.
//
//   Conv                     QLinearConv, with a BatchNormalization behind it folded into weights and bias
//   Gemm, MatMul by weights  com.microsoft QGemm, QLinearMatMul
//   Add, Concat, AveragePool, GlobalAveragePool       com.microsoft QLinear...
//   MaxPool, Reshape, Flatten, Transpose, Squeeze, Unsqueeze   stay, on uint8, where their input is uint8
//   Relu, Clip               go where they are all that reads one of the first three rows: they are in its output's range
//   Dropout, Identity        go
//   everything else          stays in fp32, behind a DequantizeLinear
//
// A product of two activations (attention) stays in fp32, as with onnxruntime's MatMulConstBOnly.
// A tensor is quantised or dequantised at most once, where it is first needed. Activations are uint8 with one scale for
// the tensor, weights int8 with zero point 0, biases int32. Inputs and outputs of the model keep their type.
//
// An operator keeps its name. `parameters` are those of the operators it stands for, so the sum is that of the fp32 model.
// Only fp32 tensors are quantised: what a bf16 model does in bf16 stays as it is.
// Source: onnxruntime/python/tools/quantization (registry.py, operators/).
#pragma once

#include "graphs/written_model.hpp"

namespace corecast::graphs {

[[nodiscard]] WrittenModel quantized(const WrittenModel& model);

}  // namespace corecast::graphs
