// The suite: small generated models whose time a framework is asked for, and which tell about one kernel each.
//
// A case is a chain of equal or alternating operators (or a fan of them, where a runtime would merge or cancel a
// chain), long enough that the call itself weighs little; it ends in one element, so that no large result is copied to
// the caller. Weights are apart in every link, so the number of links decides whether they come from a private cache,
// the last level or memory. Shapes are generic and span small to large, square and skewed, with row lengths that are a
// multiple of a page and that are not, and both sides of the sizes from which operators are cut.
// None is a layer list of a built-in model: what is evaluated later was never run here (tests/runtime_fit).
// The same suite in the same order at every call; a case is known by its name, which says its shape.
#pragma once

#include <string>
#include <vector>

#include "graphs/written_model.hpp"

namespace corecast::runtime_fit {

struct Case {
  std::string name;  // "gemm_64x512x384": unique
  std::string
      subject;  // ONNX type of the operators it is about, "Add+LayerNormalization"; "": only the call itself
  graphs::WrittenModel model;
  bool costs = false;  // hardly any work: what a call, an operator and a fork cost
};

[[nodiscard]] std::vector<Case> suite();

}  // namespace corecast::runtime_fit
