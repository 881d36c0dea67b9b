#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "graphs/graph_json.hpp"

namespace corecast::graphs {
namespace {

using Json = nlohmann::ordered_json;

template <typename Q>
void put_amount(Json& object, const char* key, Q amount) {
  CORECAST_CHECK(std::isfinite(amount.value()) && amount >= Q(0.0), "{} is {}", key, amount.value());
  if (amount > Q(0.0)) object[key] = to_text(amount);
}

void put_count(Json& object, const char* key, std::int64_t count, std::int64_t otherwise) {
  if (count != otherwise) object[key] = count;
}

void put_work(Json& object, const Work& work) {
  const Work otherwise;
  put_amount(object, "flop", work.flops);
  if (work.compute_type != otherwise.compute_type) object["compute_type"] = name_of(work.compute_type);
  put_amount(object, "activations_read", work.activations_read);
  put_amount(object, "weights_read", work.weights_read);
  put_amount(object, "written", work.written);
  put_amount(object, "working_set", work.working_set);
  put_count(object, "units", work.units, otherwise.units);
  CORECAST_CHECK(work.serial_fraction >= 0.0 && work.serial_fraction <= 1.0, "share={}",
                 work.serial_fraction);
  if (work.serial_fraction > 0.0) object["serial_fraction"] = work.serial_fraction;
  put_count(object, "steps", work.steps, otherwise.steps);
  put_amount(object, "weights_per_step", work.weights_per_step);
}

Json to_json(const Operator& op) {
  Json object;
  object["name"] = op.name;
  object["type"] = op.type;
  object["class"] = name_of(op.kernel);
  put_work(object, op.work);
  put_count(object, "parameters", op.parameters, 0);
  if (op.matrix) {
    Json& matrix = object["matrix"];
    put_count(matrix, "batch", op.matrix->batch, 1);
    matrix["m"] = op.matrix->m;
    matrix["n"] = op.matrix->n;
    matrix["k"] = op.matrix->k;
  }
  if (!op.window.empty()) object["window"] = op.window;
  if (!op.output_shape.empty()) object["output_shape"] = op.output_shape;
  if (!op.understood) object["understood"] = false;
  return object;
}

Json to_json(const Connection& connection, const Graph& graph) {
  Json object;
  object["from"] = graph.op(connection.from).name;
  object["to"] = graph.op(connection.to).name;
  put_amount(object, "bytes", connection.bytes);
  return object;
}

// One element to a line: short enough to read, and a changed operator is one changed line.
class Lines {
 public:
  void open(const std::string& key) {
    text_ += fmt::format(",\n  \"{}\": [", key);
    first_ = true;
  }
  void add(const Json& element) {
    text_ += (first_ ? "\n    " : ",\n    ") + element.dump();
    first_ = false;
  }
  void close() { text_ += "\n  ]"; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

std::string written(const Graph& graph) {
  std::string head = "{\n  \"schema\": \"corecast.graph/1\"";
  if (!graph.name.empty()) head += ",\n  \"name\": " + Json(graph.name).dump();
  if (graph.batch != 1) head += fmt::format(",\n  \"batch\": {}", graph.batch);
  if (graph.inputs != 1) head += fmt::format(",\n  \"inputs\": {}", graph.inputs);
  Lines lines;
  lines.open("operators");
  for (std::size_t i = 0; i < graph.size(); ++i) lines.add(to_json(graph.op(OpIndex(i))));
  lines.close();
  if (const auto connections = graph.connections(); !connections.empty()) {
    lines.open("edges");
    for (const Connection& connection : connections) lines.add(to_json(connection, graph));
    lines.close();
  }
  if (!graph.notes.empty()) {
    lines.open("notes");
    for (const Note& note : graph.notes) lines.add({{"code", note.code}, {"text", note.text}});
    lines.close();
  }
  return head + lines.text() + "\n}\n";
}

}  // namespace

std::string to_json_text(const Graph& graph) {
  try {
    return written(graph);
  } catch (const nlohmann::json::type_error& error) {
    throw InputError(graph.name, fmt::format("a name or note cannot be written as JSON: {}", error.what()));
  }
}

}  // namespace corecast::graphs
