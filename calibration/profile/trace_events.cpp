#include "calibration/profile/trace_events.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace corecast::calibration::profile {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kKernelTime = "_kernel_time";
constexpr double kLongest_us =
    1e15;  // dates since 1970 in microseconds are 1.8e15 at the most; lengths far less

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string text(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  return value->is_number() ? value->dump() : std::string{};
}

double time_of(const Json& event, const char* key, const std::string& place, bool length) {
  const Json* value = member(event, key);
  if (value == nullptr || !value->is_number())
    throw InputError(place, fmt::format("{} has no number \"{}\"", quote(text(event, "name")), key),
                     "wanted a complete event (\"ph\": \"X\") with \"ts\" and \"dur\" in microseconds");
  const double us = value->get<double>();
  if (!std::isfinite(us) || (length && !(us >= 0.0 && us < kLongest_us)))
    throw InputError(place, fmt::format("{}: \"{}\" is {}, not a time", quote(text(event, "name")), key, us));
  return us;
}

std::optional<Shape> shape_of(const Json& value) {
  if (!value.is_array()) return std::nullopt;
  Shape shape;
  for (const Json& dimension : value) {
    if (!dimension.is_number_integer()) return std::nullopt;
    shape.push_back(dimension.get<std::int64_t>());
  }
  return shape;
}

// [{"float": [1, 64, 56, 56]}, ...]: the shapes in it, one for each tensor.
std::vector<Shape> typed_shapes(const Json* value) {
  std::vector<Shape> shapes;
  if (value == nullptr || !value->is_array()) return shapes;
  for (const Json& tensor : *value) {
    if (!tensor.is_object() || tensor.empty()) continue;
    if (auto shape = shape_of(tensor.front())) shapes.push_back(std::move(*shape));
  }
  return shapes;
}

// "": the session has no pool, so one thread. Else the pool's threads by number, beside the caller.
std::optional<int> pool_of(const Json* statistics) {
  if (statistics == nullptr) return std::nullopt;
  if (statistics->is_string() && statistics->get_ref<const std::string&>().empty()) return 1;
  const Json* threads = member(*statistics, "sub_threads");
  if (threads == nullptr || !threads->is_object()) return std::nullopt;
  return static_cast<int>(threads->size()) + 1;
}

void read_node(Event& out, const Json& arguments) {
  out.type = text(arguments, "op_name");
  const auto outputs = typed_shapes(member(arguments, "output_type_shape"));
  if (!outputs.empty()) out.output = outputs.front();
  out.inputs = typed_shapes(member(arguments, "input_type_shape"));
  out.intra_op = pool_of(member(arguments, "thread_scheduling_stats"));
  const std::string index = text(arguments, "node_index");
  if (!index.empty() && index.size() < 9 && index.find_first_not_of("0123456789") == std::string::npos)
    out.node_index = std::stoi(index);
}

// "Input Dims": [[1, 64, 56, 56], [], ...], also of numbers and lists of tensors; "Input dims" in old versions.
void read_operation(Event& out, const Json& arguments) {
  out.type = out.name;
  const Json* dims = member(arguments, "Input Dims");
  if (dims == nullptr) dims = member(arguments, "Input dims");
  if (dims == nullptr || !dims->is_array()) return;
  for (const Json& tensor : *dims) out.inputs.push_back(shape_of(tensor).value_or(Shape{}));
}

std::optional<EventKind> kind_of(const std::string& name, const std::string& category) {
  if (category == "Node") {
    if (name.size() > kKernelTime.size() && name.ends_with(kKernelTime)) return EventKind::node;
    return std::nullopt;  // fences of old versions
  }
  if (category == "Session") return name == "model_run" ? std::optional(EventKind::run) : std::nullopt;
  if (name.starts_with("ProfilerStep#")) return EventKind::step;
  if (name.starts_with("aten::") || category == "cpu_op" || category == "Operator")
    return EventKind::operation;
  return std::nullopt;
}

}  // namespace

std::optional<Event> event_of(const Json& event, const std::string& place) {
  const std::string phase = text(event, "ph");
  if (!phase.empty() && phase != "X") return std::nullopt;
  Event out;
  out.name = text(event, "name");
  const auto kind = kind_of(out.name, text(event, "cat"));
  if (!kind) return std::nullopt;
  out.kind = *kind;
  out.start_us = time_of(event, "ts", place, false);
  out.length_us = time_of(event, "dur", place, true);
  out.process = text(event, "pid");
  out.thread = text(event, "tid");
  static const Json none = Json::object();
  const Json* found = member(event, "args");
  const Json& arguments = found == nullptr ? none : *found;
  if (out.kind == EventKind::node) {
    out.name.resize(out.name.size() - kKernelTime.size());
    read_node(out, arguments);
    if (out.type.empty())
      throw InputError(place, fmt::format("node {} has no \"op_name\" among its \"args\"", quote(out.name)),
                       "wanted a profile as onnxruntime writes it");
  }
  if (out.kind == EventKind::operation) read_operation(out, arguments);
  return out;
}

}  // namespace corecast::calibration::profile
