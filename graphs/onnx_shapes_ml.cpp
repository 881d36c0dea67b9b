// Operators of ai.onnx.ml that give one element for each of their input's.
#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {
namespace {

Types same_shape(const Inference& in, DataType type) {
  const Shape* shape = in.shape(0);
  return {{type, shape == nullptr ? std::nullopt : std::optional<Shape>(*shape)}};
}

// Binarizer keeps the type; the others give floats whatever they are given.
Types same_type(const Inference& in) {
  return same_shape(in, in.type(0));
}
Types to_float(const Inference& in) {
  return same_shape(in, DataType::fp32);
}

}  // namespace

const ShapeRules& ml_shape_rules() {
  static const ShapeRules rules{
      {"Binarizer", same_type},
      {"Imputer", same_type},
      {"Normalizer", to_float},
      {"Scaler", to_float},
  };
  return rules;
}

}  // namespace corecast::graphs::importing
