// Matrix products.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {

std::optional<Shape> matmul_shape(const Inference& in, std::size_t a, std::size_t b) {
  if (in.shape(a) == nullptr || in.shape(b) == nullptr) return std::nullopt;
  Shape left = *in.shape(a);
  Shape right = *in.shape(b);
  if (left.empty() || right.empty()) in.fail("a matrix product of a scalar");
  const bool row = left.size() == 1;
  const bool column = right.size() == 1;
  if (row) left.insert(left.begin(), 1);
  if (column) right.push_back(1);
  if (in.node.whole("transA", 0) != 0 && !row) std::swap(left.back(), left[left.size() - 2]);
  if (in.node.whole("transB", 0) != 0 && !column) std::swap(right.back(), right[right.size() - 2]);
  if (left.back() != right[right.size() - 2]) {
    in.fail(fmt::format("inputs of shapes {} and {} do not fit: {} columns meet {} rows",
                        to_text(*in.shape(a)), to_text(*in.shape(b)), left.back(), right[right.size() - 2]));
  }
  const std::int64_t m = left[left.size() - 2];
  const std::int64_t n = right.back();
  // The leading dimensions broadcast.
  Shape out(std::max(left.size(), right.size()) - 2, 1);
  for (const Shape* shape : {&left, &right}) {
    const std::size_t offset = out.size() + 2 - shape->size();
    for (std::size_t d = 0; d + 2 < shape->size(); ++d) {
      std::int64_t& all = out[offset + d];
      const std::int64_t one = (*shape)[d];
      if (all != 1 && one != 1 && all != one) {
        in.fail(fmt::format("stacks of matrices {} and {} do not fit", to_text(*in.shape(a)),
                            to_text(*in.shape(b))));
      }
      if (all == 1) all = one;
    }
  }
  if (!row) out.push_back(m);
  if (!column) out.push_back(n);
  return out;
}

namespace {

Types matmul(const Inference& in) {
  return {{in.type(0), matmul_shape(in, 0, 1)}};
}
Types matmul_integer(const Inference& in) {
  return {{DataType::int32, matmul_shape(in, 0, 1)}};
}
Types matmul_to_float(const Inference& in) {
  return {{DataType::fp32, matmul_shape(in, 0, 1)}};
}
// QLinearMatMul(a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero)
Types quantized_matmul(const Inference& in) {
  return {{in.has(7) ? in.type(7) : in.type(0), matmul_shape(in, 0, 3)}};
}

Types gemm_of(const Inference& in, std::size_t a, std::size_t b, DataType type) {
  in.need_rank(a, 2, 2);
  in.need_rank(b, 2, 2);
  return {{type, matmul_shape(in, a, b)}};
}
Types gemm(const Inference& in) {
  return gemm_of(in, 0, 1, in.type(0));
}
// QGemm(A, a_scale, a_zero, B, b_scale, b_zero, C, y_scale, y_zero): float without y_scale
Types quantized_gemm(const Inference& in) {
  return gemm_of(in, 0, 3, in.has(7) ? in.type(0) : DataType::fp32);
}

// Weights packed by blocks: the logical sizes are attributes.
Types matmul_packed(const Inference& in) {
  const Shape* a = in.shape(0);
  const std::int64_t k = in.node.whole("K", 0);
  const std::int64_t n = in.node.whole("N", 0);
  if (a == nullptr || n <= 0) return {{in.type(0), std::nullopt}};
  if (a->empty() || a->back() != k) {
    in.fail(fmt::format("input of shape {} meets weights of {} rows", to_text(*a), k));
  }
  Shape out = *a;
  out.back() = n;
  return {{in.type(0), out}};
}

Types determinant(const Inference& in) {
  const Shape* shape = in.shape(0);
  if (shape == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 2, 16);
  return {{in.type(0), Shape(shape->begin(), shape->end() - 2)}};
}

struct Term {
  std::string before, after;  // labels around the ellipsis
  bool ellipsis = false;
};

Term term_of(const Inference& in, std::string_view text) {
  Term term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i, 3) == "...") {
      if (term.ellipsis) in.fail("its equation has two ellipses in one term");
      term.ellipsis = true;
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      (term.ellipsis ? term.after : term.before) += c;
    } else {
      in.fail("its equation holds something that is no label");
    }
  }
  return term;
}

// "bhid,bhjd->bhij": each label is a size, the ellipsis a stack of broadcast ones.
Types einsum(const Inference& in) {
  std::string equation = in.node.text("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const std::size_t arrow = equation.find("->");
  std::string_view left = std::string_view(equation).substr(0, arrow);
  std::map<char, std::int64_t> sizes;
  std::map<char, int> uses;
  Shape stack;
  for (std::size_t i = 0; i < in.inputs.size(); ++i) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const Term term = term_of(in, left.substr(0, comma));
    left.remove_prefix(std::min(comma + 1, left.size()));
    const Shape* shape = in.shape(i);
    if (shape == nullptr) return {{in.type(0), std::nullopt}};
    const std::size_t labels = term.before.size() + term.after.size();
    if (shape->size() < labels || (!term.ellipsis && shape->size() != labels)) {
      in.fail(fmt::format("input {} has shape {}, its equation {} names {} dimensions", i, to_text(*shape),
                          quote(equation), labels));
    }
    const auto see = [&](char label, std::int64_t size) {
      ++uses[label];
      std::int64_t& known = sizes.try_emplace(label, size).first->second;
      if (known == 1) known = size;
      if (size != 1 && size != known) {
        in.fail(fmt::format("label {} of its equation {} stands for {} and {}", label, quote(equation), known,
                            size));
      }
    };
    for (std::size_t d = 0; d < term.before.size(); ++d) see(term.before[d], (*shape)[d]);
    const std::size_t tail = shape->size() - term.after.size();
    for (std::size_t d = 0; d < term.after.size(); ++d) see(term.after[d], (*shape)[tail + d]);
    if (term.ellipsis) {
      const Shape mine(shape->begin() + static_cast<std::ptrdiff_t>(term.before.size()),
                       shape->begin() + static_cast<std::ptrdiff_t>(tail));
      if (mine.size() > stack.size()) stack.insert(stack.begin(), mine.size() - stack.size(), 1);
      for (std::size_t d = 0; d < mine.size(); ++d) {
        std::int64_t& all = stack[stack.size() - mine.size() + d];
        all = std::max(all, mine[d]);
      }
    }
  }
  Term out;
  if (arrow != std::string::npos) {
    out = term_of(in, std::string_view(equation).substr(arrow + 2));
  } else {  // implicit: the ellipsis, then the labels used once, sorted
    out.ellipsis = true;
    for (const auto& [label, count] : uses) {
      if (count == 1) out.after += label;
    }
  }
  Shape shape;
  const auto add = [&](char label) {
    const auto found = sizes.find(label);
    if (found == sizes.end()) in.fail(fmt::format("label {} of the result is in no input", label));
    shape.push_back(found->second);
  };
  for (const char label : out.before) add(label);
  if (out.ellipsis) shape.insert(shape.end(), stack.begin(), stack.end());
  for (const char label : out.after) add(label);
  return {{in.type(0), shape}};
}

}  // namespace

const ShapeRules& matrix_shape_rules() {
  static const ShapeRules rules{
      {"Det", determinant},
      {"DynamicQuantizeMatMul", matmul_to_float},
      {"Einsum", einsum},
      {"FusedGemm", gemm},
      {"FusedMatMul", matmul},
      {"Gemm", gemm},
      {"GemmFastGelu", matmul},
      {"MatMul", matmul},
      {"MatMulBnb4", matmul_packed},
      {"MatMulFpQ4", matmul_packed},
      {"MatMulInteger", matmul_integer},
      {"MatMulInteger16", matmul_integer},
      {"MatMulIntegerToFloat", matmul_to_float},
      {"MatMulNBits", matmul_packed},
      {"QGemm", quantized_gemm},
      {"QLinearMatMul", quantized_matmul},
      {"TransposeMatMul", matmul},
  };
  return rules;
}

}  // namespace corecast::graphs::importing
