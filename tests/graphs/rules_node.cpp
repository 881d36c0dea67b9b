#include "tests/graphs/rules_node.hpp"

#include <sstream>

namespace corecast::test {
namespace {

using graphs::NodeView;
using graphs::TensorView;

std::vector<std::string> pieces(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::int64_t size(const std::string& text, std::int64_t batch) {
  return text == "B" ? batch : std::stoll(text);
}

void set(TensorView& tensor, const std::string& word, std::int64_t batch) {
  if (word == "w") {
    tensor.constant = true;
  } else if (const auto type = data_type_named(word)) {
    tensor.type = *type;
  } else if (word == "scalar") {
    tensor.shape = std::vector<std::int64_t>{};
  } else if (word == "-") {
    tensor.absent = true;
  } else if (word.front() == '=') {
    tensor.type = DataType::int64;
    tensor.constant = true;
    tensor.integers.emplace();
    for (const std::string& value : pieces(word.substr(1), '/'))
      tensor.integers->push_back(std::stoll(value));
    tensor.shape = std::vector<std::int64_t>{static_cast<std::int64_t>(tensor.integers->size())};
  } else if (word != "?") {
    tensor.shape.emplace();
    for (const std::string& dimension : pieces(word, 'x')) tensor.shape->push_back(size(dimension, batch));
  }
}

std::vector<TensorView> tensors(std::string_view text, char prefix, std::int64_t batch) {
  std::vector<TensorView> result;
  for (const std::string& part : pieces(text, ',')) {
    TensorView tensor;
    tensor.name = std::string(1, prefix) + std::to_string(result.size());
    tensor.type = DataType::fp32;
    std::istringstream words(part);
    bool any = false;
    for (std::string word; words >> word; any = true) {
      if (word.front() == '@') {
        tensor = result.at(std::stoul(word.substr(1)));
      } else {
        set(tensor, word, batch);
      }
    }
    if (any) result.push_back(std::move(tensor));
  }
  return result;
}

}  // namespace

NodeView node(std::string_view type, std::string_view text, Attributes attributes, std::int64_t batch) {
  const std::size_t arrow = text.find("->");
  const std::size_t colon = type.find(':');
  NodeView view;
  view.name = "n";
  view.type = std::string(colon == std::string_view::npos ? type : type.substr(colon + 1));
  view.domain = std::string(colon == std::string_view::npos ? std::string_view{} : type.substr(0, colon));
  view.opset = 17;
  view.attributes = std::move(attributes);
  view.inputs = tensors(text.substr(0, arrow), 'i', batch);
  view.outputs = tensors(text.substr(arrow + 2), 'o', batch);
  return view;
}

}  // namespace corecast::test
