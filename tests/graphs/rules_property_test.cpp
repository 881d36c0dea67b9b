// Properties of all rules: proportional to the batch, and sound or refused whatever they are given.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "tests/graphs/rules_catalogue.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

namespace {

Operator at_batch(const Example& example, std::int64_t batch) {
  return rule(example.type, example.tensors, example.attributes, batch);
}

// What is wrong with an operator's work; empty when it is sound.
std::string fault(const Operator& op) {
  const Work& w = op.work;
  for (const double value : {w.flops.value(), w.activations_read.value(), w.weights_read.value(),
                             w.written.value(), w.working_set.value(), w.serial_fraction}) {
    if (!std::isfinite(value) || value < 0) return "a quantity is negative or not finite";
  }
  if (w.units < 1 || w.steps < 1) return "units or steps below 1";
  if (w.serial_fraction > 1) return "serial fraction above 1";
  if (w.compute_type == DataType::unknown || w.compute_type == DataType::string) return "no arithmetic type";
  if (!op.matrix) return {};
  const MatrixShape& m = *op.matrix;
  if (std::min({m.batch, m.m, m.n, m.k}) < 1) return "an empty matrix";
  const double product = 2.0 * static_cast<double>(m.batch) * static_cast<double>(m.m) *
                         static_cast<double>(m.n) * static_cast<double>(m.k);
  return product <= w.flops.value() * (1 + 1e-12) ? "" : "the matrix holds more flop than the operator";
}

// Rules that read only the rows of a table, or the experts, that they touch.
bool reads_a_part(const std::string& type) {
  return type == "Gather" || type == "com.microsoft:EmbedLayerNormalization" || type == "com.microsoft:MoE" ||
         type == "com.microsoft:RotaryEmbedding";
}

// Bytes that do not come from the tensors given: weights in attributes, results of unknown number (int64).
bool has_bytes_of_its_own(const std::string& type) {
  return type.starts_with("ai.onnx.ml") || type == "NonMaxSuppression" || type == "NonZero";
}

// Any size that a file could hold: mostly small, at times 0, huge or negative.
rc::Gen<std::int64_t> any_size() {
  return rc::gen::weightedOneOf<std::int64_t>(
      {{12, rc::gen::inRange<std::int64_t>(1, 9)},
       {2, rc::gen::just<std::int64_t>(0)},
       {1, rc::gen::element<std::int64_t>(std::int64_t{1} << 20, std::int64_t{1} << 40, INT64_MAX, -1,
                                          INT64_MIN)}});
}

rc::Gen<std::vector<std::int64_t>> any_shape() {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 6), [](std::size_t rank) {
    return rc::gen::container<std::vector<std::int64_t>>(rank, any_size());
  });
}

TensorView any_tensor(const std::string& name) {
  TensorView tensor;
  tensor.name = *rc::gen::element(name, name, std::string("again"), std::string());
  tensor.type = static_cast<DataType>(*rc::gen::inRange(0, 12));
  if (*rc::gen::inRange(0, 8) != 0) tensor.shape = *any_shape();
  tensor.constant = *rc::gen::arbitrary<bool>();
  if (*rc::gen::inRange(0, 3) == 0) tensor.integers = *any_shape();
  tensor.absent = *rc::gen::inRange(0, 10) == 0;
  return tensor;
}

Attribute any_attribute() {
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return *any_shape();
    case 1:
      return *rc::gen::element<std::string>("Relu", "linear", "bidirectional", "ij,jk->ik", "...i->i", "none",
                                            "");
    case 2:
      return std::vector<double>(*rc::gen::inRange<std::size_t>(0, 20), 1.0);
    case 3:
      return *rc::gen::element(0.0, 1.5, -2.0, std::nan(""), HUGE_VAL);
    default:
      return *any_size();
  }
}

const std::vector<std::string>& attribute_names() {
  static const std::vector<std::string> names{"activation",
                                              "axes",
                                              "axis",
                                              "bits",
                                              "channels_last",
                                              "coefficients",
                                              "direction",
                                              "equation",
                                              "group",
                                              "groups",
                                              "hidden_size",
                                              "k",
                                              "K",
                                              "kernel_shape",
                                              "layout",
                                              "mode",
                                              "N",
                                              "nodes_treeids",
                                              "num_groups",
                                              "num_heads",
                                              "kv_num_heads",
                                              "p",
                                              "perm",
                                              "q_num_heads",
                                              "sampling_ratio",
                                              "signal_ndim",
                                              "size",
                                              "transA",
                                              "window",
                                              "transBatchA",
                                              "pooled_shape",
                                              "reduction",
                                              "onesided",
                                              "qkv_hidden_sizes",
                                              "tree_roots",
                                              "support_vectors",
                                              "local_window_size"};
  return names;
}

std::pair<std::string, std::string> domain_and_type(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return {"", name};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

// Sound, or refused with an InputError; any other exception fails the property.
void require_sound_or_refused(const NodeView& view) {
  try {
    const std::string wrong = fault(operator_of(view));
    if (!wrong.empty()) RC_FAIL(view.type + ": " + wrong);
  } catch (const InputError& error) {
    RC_ASSERT(!error.where().empty());
  }
}

}  // namespace

TEST_CASE("every example is understood and sound") {
  for (const Example& example : rule_examples()) {
    CAPTURE(example.type);
    CAPTURE(example.tensors);
    const Operator op = at_batch(example, 3);
    CHECK(op.understood);
    CHECK(fault(op) == "");
  }
}

TEST_CASE("b times the batch is b times the flop") {
  for (const Example& example : rule_examples()) {
    CAPTURE(example.type);
    CAPTURE(example.tensors);
    const Operator one = at_batch(example, 1);
    for (const std::int64_t batch : {2, 3, 16}) {
      const Operator many = at_batch(example, batch);
      if (example.proportional) {
        CHECK(flop(many) == doctest::Approx(static_cast<double>(batch) * flop(one)).epsilon(1e-12));
      } else {
        CHECK(flop(many) < static_cast<double>(batch) * flop(one));
      }
      CHECK(many.work.units >= one.work.units);
      CHECK(many.work.written == static_cast<double>(batch) * one.work.written);
    }
  }
}

TEST_CASE("weights are read once whatever the batch, unless only their touched part is") {
  for (const Example& example : rule_examples()) {
    if (reads_a_part(example.type)) continue;
    CAPTURE(example.type);
    CHECK(at_batch(example, 5).work.weights_read == at_batch(example, 1).work.weights_read);
  }
}

TEST_CASE("twice the bytes per element is twice the traffic and the same flop") {
  for (const Example& example : rule_examples()) {
    if (has_bytes_of_its_own(example.type)) continue;
    CAPTURE(example.type);
    NodeView narrow = node(example.type, example.tensors, example.attributes, 3);
    NodeView wide = narrow;
    for (auto* list : {&narrow.inputs, &narrow.outputs}) {
      for (TensorView& tensor : *list) tensor.type = DataType::fp32;
    }
    for (auto* list : {&wide.inputs, &wide.outputs}) {
      for (TensorView& tensor : *list) tensor.type = DataType::fp64;
    }
    const Operator a = operator_of(narrow);
    const Operator b = operator_of(wide);
    CHECK(b.work.flops == a.work.flops);
    CHECK(b.work.units == a.work.units);
    CHECK(b.work.traffic().value() == doctest::Approx(2 * a.work.traffic().value()));
  }
}

TEST_CASE("whatever a rule is given, its work is sound or its node is refused") {
  for (const std::string& name : work_rule_names()) {
    CHECK(rc::check("any tensors and attributes: " + name, [&] {
      NodeView view;
      view.name = "n";
      std::tie(view.domain, view.type) = domain_and_type(name);
      view.opset = *rc::gen::inRange<std::int64_t>(1, 25);
      for (int i = *rc::gen::inRange(0, 9); i > 0; --i)
        view.inputs.push_back(any_tensor("i" + std::to_string(i)));
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        view.outputs.push_back(any_tensor("o" + std::to_string(i)));
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        view.attributes[*rc::gen::elementOf(attribute_names())] = any_attribute();
      }
      require_sound_or_refused(view);
    }));
  }
}

TEST_CASE("a valid node with one thing changed is sound or refused") {
  CHECK(rc::check("one change", [] {
    const Example example = *rc::gen::elementOf(rule_examples());
    NodeView view =
        node(example.type, example.tensors, example.attributes, *rc::gen::inRange<std::int64_t>(0, 5));
    auto& tensors = *rc::gen::arbitrary<bool>() ? view.inputs : view.outputs;
    TensorView& tensor = tensors[*rc::gen::inRange<std::size_t>(0, tensors.size())];
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        tensor = any_tensor("x");
        break;
      case 1:
        tensor.absent = true;
        break;
      case 2:
        tensors.erase(tensors.begin() + (&tensor - tensors.data()), tensors.end());
        break;
      case 3:
        view.attributes[*rc::gen::elementOf(attribute_names())] = any_attribute();
        break;
      case 4:
        view.opset = *rc::gen::inRange<std::int64_t>(0, 25);
        break;
      default:
        if (tensor.shape && !tensor.shape->empty()) {
          (*tensor.shape)[*rc::gen::inRange<std::size_t>(0, tensor.shape->size())] = *any_size();
        }
    }
    require_sound_or_refused(view);
  }));
}
