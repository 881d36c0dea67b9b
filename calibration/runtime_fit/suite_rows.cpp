#include <fmt/format.h>

#include "calibration/runtime_fit/suite_parts.hpp"

namespace corecast::runtime_fit {
namespace {

struct Rows {
  std::int64_t rows, columns;
};

Shape shape_of(const Rows& r) {
  return {r.rows, r.columns};
}

std::string name_of(const std::string& type, const Rows& r) {
  return fmt::format("{}_{}x{}", type, r.rows, r.columns);
}

int links_of(const Rows& r, double flop) {
  const auto elements = static_cast<double>(r.rows * r.columns);
  return SuiteWriter::links(2.0 * elements * flop, 8.0 * elements);
}

void layer_norm(SuiteWriter& suite, const Rows& r) {
  suite.chain(name_of("LayerNormalization", r), "LayerNormalization", shape_of(r), links_of(r, 10),
              [](Builder& b, Tensor x, int /*i*/) { return b.layer_norm(x); });
}

// With what goes round the block added first: runtimes have one operator for both.
void skip_layer_norm(SuiteWriter& suite, const Rows& r) {
  const std::string name = name_of("SkipLayerNormalization", r);
  Builder b(1);
  const Tensor other = b.relu(b.input(shape_of(r)));
  Tensor x = b.relu(b.input(shape_of(r)));
  for (int i = links_of(r, 40); i > 0; --i) x = b.layer_norm(b.add(x, other));
  (void)first_element(b, x);
  suite.add(name, "Add+LayerNormalization", b.finish(name));
}

void softmax(SuiteWriter& suite, const Rows& r) {
  suite.chain(name_of("Softmax", r), "Softmax", shape_of(r), links_of(r, 14),
              [](Builder& b, Tensor x, int /*i*/) { return b.softmax(x); });
}

void reduce(SuiteWriter& suite, const char* type, const Rows& r, std::int64_t axis) {
  suite.fan(fmt::format("{}_axis{}", name_of(type, r), axis), type, shape_of(r), 4,
            [&](Builder& b, Tensor x, int /*i*/) {
              Shape out = shape_of(r);
              out[static_cast<std::size_t>(axis)] = 1;
              return b.node(type, {x}, out, {{"axes", Shape{axis + 1}}, {"keepdims", std::int64_t{1}}});
            });
}

}  // namespace

void add_rows(SuiteWriter& suite) {
  for (const Rows& r :
       {Rows{8, 640}, Rows{88, 640}, Rows{40, 1240}, Rows{520, 312}, Rows{900, 1000}, Rows{20, 3000}}) {
    layer_norm(suite, r);
    skip_layer_norm(suite, r);
  }
  for (const Rows& r : {Rows{1160, 88}, Rows{760, 152}, Rows{96, 120}, Rows{160, 152}, Rows{96, 632},
                        Rows{1, 4000}, Rows{2000, 520}})
    softmax(suite, r);
  for (const Rows& r : {Rows{184, 640}, Rows{1000, 1000}, Rows{48, 312}}) reduce(suite, "ReduceMean", r, 1);
  for (const Rows& r : {Rows{184, 640}, Rows{1000, 600}}) reduce(suite, "ReduceMean", r, 0);
}

}  // namespace corecast::runtime_fit
