#include <fmt/format.h>

#include "calibration/runtime_fit/suite_parts.hpp"

namespace corecast::runtime_fit {
namespace {

// Elements, as rows of 240: in L1, around the size from which passes are cut, in L2, in the last level, in memory.
constexpr std::int64_t kRow = 240;
constexpr std::int64_t kRowCounts[] = {16, 80, 232, 400, 2000, 9000};

Shape shape_of(std::int64_t rows) {
  return {rows, kRow};
}

std::string name_of(const std::string& type, std::int64_t rows) {
  return fmt::format("{}_{}x{}", type, rows, kRow);
}

int links_of(std::int64_t rows, double flop) {
  const auto elements = static_cast<double>(rows * kRow);
  return SuiteWriter::links(4.0 * elements * flop, 8.0 * elements);
}

void unary(SuiteWriter& suite, const std::string& type, std::int64_t rows, double flop) {
  suite.chain(name_of(type, rows), type, shape_of(rows), links_of(rows, flop),
              [&](Builder& b, Tensor x, int /*i*/) { return b.activation(type, x); });
}

// With a second input of the same shape.
void binary(SuiteWriter& suite, const std::string& type, std::int64_t rows) {
  const std::string name = name_of(type, rows);
  Builder b(1);
  const Tensor other = b.relu(b.input(shape_of(rows)));
  Tensor x = b.relu(b.input(shape_of(rows)));
  for (int i = links_of(rows, 1.5); i > 0; --i) x = b.node(type, {x, other}, b.shape(x));
  (void)first_element(b, x);
  suite.add(name, type, b.finish(name));
}

// With a learned vector on the last dimension, or one number.
void broadcast(SuiteWriter& suite, const std::string& type, std::int64_t rows, bool one_number) {
  suite.chain(name_of(type + (one_number ? "_number" : "_row"), rows), type, shape_of(rows),
              links_of(rows, 1), [&](Builder& b, Tensor x, int /*i*/) {
                return b.node(type, {x, Builder::Weight{{one_number ? 1 : kRow}, !one_number}}, b.shape(x));
              });
}

// x / 2 (1 + erf(x / sqrt 2)), as exporters write it.
void gelu(SuiteWriter& suite, std::int64_t rows, bool bias) {
  suite.chain(name_of(bias ? "Erf_gelu_bias" : "Erf_gelu", rows), "Erf", shape_of(rows),
              std::max(2, links_of(rows, 20) / 2), [&](Builder& b, Tensor x, int /*i*/) {
                const Builder::Weight number{{1}, false};
                if (bias) x = b.add_bias(x);
                const Tensor inner = b.activation("Erf", b.node("Div", {x, number}, b.shape(x)));
                const Tensor gate = b.node("Add", {inner, number}, b.shape(x));
                return b.node("Mul", {b.mul(x, gate), number}, b.shape(x));
              });
}

// x sigmoid(x)
void swish(SuiteWriter& suite, std::int64_t rows) {
  suite.chain(name_of("Sigmoid_swish", rows), "Sigmoid", shape_of(rows), links_of(rows, 16),
              [](Builder& b, Tensor x, int /*i*/) {
                const Tensor gate = b.activation("Sigmoid", x);
                return b.mul(x, gate);
              });
}

void clip(SuiteWriter& suite, std::int64_t rows) {
  suite.chain(name_of("Clip", rows), "Clip", shape_of(rows), links_of(rows, 2),
              [](Builder& b, Tensor x, int /*i*/) {
                const Builder::Weight bound{{}, false};
                return b.node("Clip", {x, bound, bound}, b.shape(x));
              });
}

}  // namespace

void add_elements(SuiteWriter& suite) {
  for (const std::int64_t rows : kRowCounts) {
    unary(suite, "Relu", rows, 1);
    binary(suite, "Add", rows);
  }
  for (const std::int64_t rows : {80, 400, 2000}) {
    unary(suite, "Sigmoid", rows, 15);
    unary(suite, "Tanh", rows, 15);
    binary(suite, "Mul", rows);
    broadcast(suite, "Add", rows, false);
    broadcast(suite, "Mul", rows, true);
  }
  for (const std::int64_t rows : {80, 2000}) {
    unary(suite, "Erf", rows, 15);
    unary(suite, "LeakyRelu", rows, 2);
    gelu(suite, rows, false);
    swish(suite, rows);
    clip(suite, rows);
    broadcast(suite, "Div", rows, true);
  }
  gelu(suite, 320, true);
}

}  // namespace corecast::runtime_fit
