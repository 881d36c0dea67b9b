// The suite itself: the same every time, writable as ONNX, and no copy of what is evaluated.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>
#include <string>

#include "calibration/runtime_fit/suite.hpp"
#include "calibration/runtime_fit/suite_run.hpp"
#include "graphs/builtin.hpp"
#include "graphs/onnx_export.hpp"

namespace corecast::runtime_fit {
namespace {

// What one operator is asked to do: type, product and result.
std::string shape_text(const graphs::Operator& op) {
  std::string text = op.type;
  if (op.matrix)
    text += fmt::format(" {}x{}x{}x{}", op.matrix->batch, op.matrix->m, op.matrix->n, op.matrix->k);
  for (const std::int64_t d : op.output_shape) text += fmt::format(",{}", d);
  for (const std::int64_t w : op.window) text += fmt::format("/{}", w);
  return text;
}

TEST_CASE("the suite is the same at every call, byte by byte") {
  const auto one = suite(), two = suite();
  REQUIRE(one.size() == two.size());
  std::set<std::string> names;
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].name == two[i].name);
    CHECK(graphs::to_onnx(one[i].model) == graphs::to_onnx(two[i].model));
    CHECK(names.insert(one[i].name).second);
  }
  CHECK(one.size() > 150);
}

TEST_CASE("every case ends in few elements: no large result is copied to the caller") {
  for (const Case& one : suite()) {
    CAPTURE(one.name);
    REQUIRE(one.model.outputs.size() == 1);
    CHECK(one.model.outputs.front().elements() <= 256.0);
  }
}

TEST_CASE("no model of the suite shares more than a shape or two with a built-in model") {
  std::set<std::string> known;
  for (const graphs::BuiltinModel& model : graphs::builtin_models()) {
    const graphs::Graph graph = graphs::build_model(std::string(model.name));
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const graphs::Operator& op = graph.op(OpIndex(i));
      if (op.matrix) known.insert(shape_text(op));
    }
  }
  REQUIRE(known.size() > 100);
  for (const Case& one : suite()) {
    for (std::size_t i = 0; i < one.model.graph.size(); ++i) {
      const graphs::Operator& op = one.model.graph.op(OpIndex(i));
      if (!op.matrix) continue;
      CAPTURE(one.name);
      CHECK_FALSE(known.contains(shape_text(op)));
    }
  }
}

TEST_CASE("threads go up in doublings to the physical cores") {
  CHECK(thread_grid(1) == std::vector<int>{1});
  CHECK(thread_grid(2) == std::vector<int>{1, 2});
  CHECK(thread_grid(24) == std::vector<int>{1, 2, 4, 8, 16, 24});
}

}  // namespace
}  // namespace corecast::runtime_fit
