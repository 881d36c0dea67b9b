// Families: what the profilers' names of operators and those of ONNX have in common.
//
// onnxruntime renames operators that it fuses ("FusedConv", "SkipLayerNormalization", "Gelu"), PyTorch has names of its
// own ("aten::addmm"). Types of one family do the same work in the same kind of kernel. A type that no table names is a
// family by itself, without the prefixes of fused, blocked and quantised forms and in small letters.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace corecast::calibration::profile {

// Of one type, ONNX's, onnxruntime's or PyTorch's: "conv", "product", "layer_norm", "add", ...
[[nodiscard]] std::string family_of(std::string_view type);
// Of a prepared operator's type: those of all its parts, "Conv+Add+Relu" -> conv, add, relu; and of what they make up: a
// root of a mean is a layer normalization, a Tanh of a Pow a Gelu.
[[nodiscard]] std::set<std::string> families_of(const std::string& type);
[[nodiscard]] std::string main_family_of(const std::string& type);  // of the first part

// Moves no data: Reshape, views.
[[nodiscard]] bool is_shape_family(std::string_view family);
// Only moves data, on one thread: what it takes does not shrink with threads.
[[nodiscard]] bool is_move_family(std::string_view family);
// Products and convolutions: each is one operator of the model, whatever is fused around it.
[[nodiscard]] bool is_heavy_family(std::string_view family);

}  // namespace corecast::calibration::profile
