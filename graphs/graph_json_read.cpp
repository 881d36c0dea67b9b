#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "graphs/graph_json.hpp"

namespace corecast::graphs {
namespace {

constexpr std::string_view kSchema = "corecast.graph/1";
constexpr std::int64_t kMostCount = 1'000'000'000'000'000;  // exact as a double, and far from overflow

template <typename Q>
Q amount(json::Object& object, std::string_view key) {
  const auto value = object.optional(key);
  if (!value) return Q(0.0);
  const Q quantity = value->quantity<Q>();
  if (quantity < Q(0.0)) value->fail("must not be negative, found " + quote(value->text()));
  if (quantity > Q(kMostPerOperator)) value->fail("is out of range, found " + quote(value->text()));
  return quantity;
}

std::int64_t count(json::Object& object, std::string_view key, std::int64_t low, std::int64_t otherwise) {
  const auto value = object.optional(key);
  return value ? value->whole(low, kMostCount) : otherwise;
}

std::vector<std::int64_t> counts(json::Object& object, std::string_view key, std::int64_t low) {
  std::vector<std::int64_t> out;
  const auto value = object.optional(key);
  if (!value) return out;
  for (const json::Value& item : value->array()) out.push_back(item.whole(low, kMostCount));
  return out;
}

KernelClass kernel_class(const json::Value& value) {
  const std::string name = value.text();
  if (const auto kernel = kernel_class_named(name)) return *kernel;
  value.fail(fmt::format("unknown kernel class {}", quote(name)), did_you_mean(name, kKernelClassNames));
}

DataType data_type(json::Object& object, std::string_view key, DataType otherwise) {
  const auto value = object.optional(key);
  if (!value) return otherwise;
  const std::string name = value->text();
  if (const auto type = data_type_named(name)) return *type;
  value->fail(fmt::format("unknown data type {}", quote(name)), did_you_mean(name, kDataTypeNames));
}

MatrixShape matrix(const json::Value& value) {
  json::Object object = value.object();
  MatrixShape shape;
  shape.batch = count(object, "batch", 0, 1);
  shape.m = object.required("m").whole(0, kMostCount);
  shape.n = object.required("n").whole(0, kMostCount);
  shape.k = object.required("k").whole(0, kMostCount);
  object.finish();
  return shape;
}

Work work(json::Object& object) {
  Work work;
  work.flops = amount<Flops>(object, "flop");
  work.compute_type = data_type(object, "compute_type", work.compute_type);
  work.activations_read = amount<Bytes>(object, "activations_read");
  work.weights_read = amount<Bytes>(object, "weights_read");
  work.written = amount<Bytes>(object, "written");
  work.working_set = amount<Bytes>(object, "working_set");
  work.units = count(object, "units", 1, 1);
  if (const auto share = object.optional("serial_fraction")) work.serial_fraction = share->number(0.0, 1.0);
  work.steps = count(object, "steps", 1, 1);
  work.weights_per_step = amount<Bytes>(object, "weights_per_step");
  return work;
}

// A product without elements has no arithmetic: then its efficiency would be one of nothing.
void check_matrix(const MatrixShape& shape, const Work& work, const json::Value& place) {
  const bool empty = shape.batch == 0 || shape.m == 0 || shape.n == 0 || shape.k == 0;
  if (empty && work.flops > Flops(0.0)) {
    place.fail(fmt::format("is empty ({} x {} x {} x {}), but its operator has {} of work", shape.batch,
                           shape.m, shape.n, shape.k, to_text(work.flops)));
  }
}

Operator read_operator(const json::Value& value) {
  json::Object object = value.object();
  Operator op;
  op.name = object.required("name").text();
  op.type = object.required("type").text();
  op.kernel = kernel_class(object.required("class"));
  op.work = work(object);
  if (op.work.weights_per_step > op.work.weights_read) {
    value.fail(fmt::format("reads {} of weights again at every step, but only {} at all",
                           to_text(op.work.weights_per_step), to_text(op.work.weights_read)));
  }
  op.parameters = count(object, "parameters", 0, 0);
  if (const auto shape = object.optional("matrix")) {
    op.matrix = matrix(*shape);
    check_matrix(*op.matrix, op.work, *shape);
  }
  op.window = counts(object, "window", 0);
  op.output_shape = counts(object, "output_shape", 0);
  if (const auto understood = object.optional("understood")) op.understood = understood->boolean();
  object.finish();
  return op;
}

void read_operators(const json::Value& value, Graph& graph) {
  std::int64_t parameters = 0;
  for (const json::Value& item : value.array()) {
    Operator op = read_operator(item);
    if (graph.find(op.name)) item.fail(fmt::format("two operators are named {}", quote(op.name)));
    if (op.parameters > kMostParameters - parameters) {
      item.fail(fmt::format("the graph has more than {} parameters up to here", kMostParameters));
    }
    parameters += op.parameters;
    graph.add(std::move(op));
  }
  if (graph.size() == 0) value.fail("a graph needs at least one operator");
}

OpIndex end_of_edge(const json::Value& value, const Graph& graph) {
  const std::string name = value.text();
  if (const auto found = graph.find(name)) return *found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.size(); ++i) names.push_back(graph.op(OpIndex(i)).name);
  value.fail(fmt::format("no operator is named {}", quote(name)), did_you_mean(name, names));
}

void read_edges(const json::Value& value, Graph& graph) {
  std::set<std::pair<OpIndex, OpIndex>> known;
  for (const json::Value& item : value.array()) {
    json::Object object = item.object();
    const OpIndex from = end_of_edge(object.required("from"), graph);
    const OpIndex to = end_of_edge(object.required("to"), graph);
    const Bytes bytes = amount<Bytes>(object, "bytes");
    object.finish();
    if (!known.insert({from, to}).second) {
      item.fail(
          fmt::format("a second edge from {} to {}", quote(graph.op(from).name), quote(graph.op(to).name)),
          "write one edge with all bytes");
    }
    graph.connect(from, to, bytes);
  }
  try {
    (void)graph.topological_order();
  } catch (const InputError& error) {
    value.fail(error.problem(), error.hint());
  }
}

void read_notes(const json::Value& value, Graph& graph) {
  for (const json::Value& item : value.array()) {
    json::Object object = item.object();
    graph.notes.push_back({object.required("code").text(), object.required("text").text()});
    object.finish();
  }
}

}  // namespace

Graph parse_graph_json(std::string_view text, const std::string& file) {
  const json::Document document = json::parse(text, file);
  json::Object root = document.root().object();
  const json::Value schema = root.required("schema");
  if (schema.text() != kSchema) {
    schema.fail(fmt::format("wanted {}, found {}", quote(kSchema), quote(schema.text())));
  }
  Graph graph;
  if (const auto name = root.optional("name")) graph.name = name->text();
  graph.batch = count(root, "batch", 1, 1);
  graph.inputs = count(root, "inputs", 1, 1);
  read_operators(root.required("operators"), graph);
  if (const auto edges = root.optional("edges")) read_edges(*edges, graph);
  if (const auto notes = root.optional("notes")) read_notes(*notes, graph);
  root.finish();
  return graph;
}

}  // namespace corecast::graphs
