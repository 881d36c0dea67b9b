#include "graphs/onnx_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace corecast::graphs::importing {

std::optional<std::int64_t> elements_of(const Shape& shape) {
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0 || dimension > kMostElements) return std::nullopt;
    if (dimension == 0) {
      empty = true;
    } else if (product > kMostElements / dimension) {
      return std::nullopt;
    } else {
      product *= dimension;
    }
  }
  return empty ? 0 : product;
}

std::string to_text(const Shape& shape) {
  return shape.empty() ? std::string("scalar") : fmt::format("{}", fmt::join(shape, "x"));
}

std::string place_of(const NodeView& node) {
  const std::string type = node.domain.empty() ? node.type : node.domain + ":" + node.type;
  return fmt::format("node {} ({})", quote(node.name), quote(type));
}

const Shape* Inference::shape(std::size_t i) const {
  return has(i) && inputs[i]->view.shape ? &*inputs[i]->view.shape : nullptr;
}

DataType Inference::type(std::size_t i) const {
  return has(i) ? inputs[i]->view.type : DataType::unknown;
}

const std::vector<std::int64_t>* Inference::integers(std::size_t i) const {
  return has(i) && inputs[i]->view.integers ? &*inputs[i]->view.integers : nullptr;
}

const std::vector<double>* Inference::reals(std::size_t i) const {
  return has(i) && inputs[i]->reals ? &*inputs[i]->reals : nullptr;
}

std::optional<std::int64_t> Inference::integer(std::size_t i) const {
  const auto* values = integers(i);
  if (values == nullptr || values->size() != 1) return std::nullopt;
  return values->front();
}

std::size_t Inference::axis(std::int64_t axis, std::size_t rank) const {
  const auto n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n) fail(fmt::format("axis {} of a tensor of rank {}", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

void Inference::need_rank(std::size_t i, std::size_t least, std::size_t most) const {
  const Shape* found = shape(i);
  if (found == nullptr || (found->size() >= least && found->size() <= most)) return;
  const std::string wanted = least == most ? fmt::format("rank {}", least)
                             : most == std::numeric_limits<std::size_t>::max()
                                 ? fmt::format("rank {} or more", least)
                                 : fmt::format("rank {} to {}", least, most);
  fail(fmt::format("input {} {} has shape {}, wanted {}", i, quote(inputs[i]->view.name), to_text(*found),
                   wanted));
}

void Inference::fail(const std::string& what) const {
  throw InputError(place_of(node), what);
}

void check_size(const Inference& inference, const Typed& typed) {
  if (!typed.shape || elements_of(*typed.shape)) return;
  const bool negative = std::any_of(typed.shape->begin(), typed.shape->end(), [](auto d) { return d < 0; });
  inference.fail(fmt::format("its result would have shape {}, {}", to_text(*typed.shape),
                             negative ? "which has a negative size" : "which is too large for any machine"));
}

std::optional<Types> infer_types(const Inference& inference) {
  static const std::array<const ShapeRules*, 7> standard{
      &elementwise_shape_rules(), &window_shape_rules(),   &matrix_shape_rules(),  &movement_shape_rules(),
      &cut_shape_rules(),         &indexing_shape_rules(), &sequence_shape_rules()};
  const NodeView& node = inference.node;
  ShapeRule rule = nullptr;
  const auto look_up = [&](const ShapeRules& rules) {
    if (const auto found = rules.find(node.type); rule == nullptr && found != rules.end())
      rule = found->second;
  };
  if (node.domain == "com.microsoft") look_up(microsoft_shape_rules());
  if (node.domain == "ai.onnx.ml") look_up(ml_shape_rules());
  // Runtimes keep some standard operators under their own domain too (com.microsoft:Gelu): the same shapes.
  if (node.domain.empty() || node.domain == "com.microsoft") {
    for (const ShapeRules* rules : standard) look_up(*rules);
  }
  if (rule == nullptr) return std::nullopt;
  Types types = rule(inference);
  types.resize(node.outputs.size());
  for (const Typed& typed : types) check_size(inference, typed);
  return types;
}

std::optional<Shape> broadcast(const Inference& inference, std::span<const std::size_t> which) {
  Shape result;
  for (const std::size_t i : which) {
    const Shape* shape = inference.shape(i);
    if (shape == nullptr) return std::nullopt;
    if (shape->size() > result.size()) result.insert(result.begin(), shape->size() - result.size(), 1);
    const std::size_t offset = result.size() - shape->size();
    for (std::size_t d = 0; d < shape->size(); ++d) {
      std::int64_t& all = result[offset + d];
      const std::int64_t one = (*shape)[d];
      if (all == 1) {
        all = one;
      } else if (one != 1 && one != all) {
        // A constant made for the file's batch stands for one made for the batch asked for.
        const auto& rebatch = inference.rebatch;
        const bool stale = rebatch && offset + d == 0 && inference.inputs[i]->view.constant &&
                           one == rebatch->from && all == rebatch->to;
        if (!stale) {
          inference.fail(fmt::format("inputs of shapes {} do not fit together element by element", [&] {
            std::vector<std::string> texts;
            for (const std::size_t k : which) {
              if (const Shape* s = inference.shape(k)) texts.push_back(to_text(*s));
            }
            return fmt::format("{}", fmt::join(texts, " and "));
          }()));
        }
      }
    }
  }
  return result;
}

}  // namespace corecast::graphs::importing
