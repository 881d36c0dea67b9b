#include "graphs/onnx_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "graphs/onnx_shapes.hpp"
#include "graphs/onnx_view.hpp"

namespace corecast::graphs::importing {
namespace {

// One dimension of an input while it is being bound.
struct Dimension {
  std::optional<std::int64_t> size;
  std::string name;  // empty: unnamed
};

struct Input {
  std::string name;
  DataType type = DataType::unknown;
  bool tensor = false;  // else a sequence, map or optional: no shape
  bool has_shape = false;
  bool given = false;  // by the user
  std::size_t batch_axis = 0;
  std::vector<Dimension> dimensions;
};

bool is_recurrent(const ::onnx::NodeProto& node) {
  const std::string& type = node.op_type();
  return type == "LSTM" || type == "GRU" || type == "RNN" || type == "DynamicQuantizeLSTM";
}

bool has_batch_first(const ::onnx::NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& attribute) {
    return attribute.name() == "layout" && attribute.i() == 1;
  });
}

// Recurrent operators read (sequence, batch, features) unless their layout says otherwise; their states are (directions,
// batch, hidden). Seen through what leaves the layout as it is.
std::size_t batch_axis_of(const ::onnx::GraphProto& graph, const std::string& input) {
  std::set<std::string> same{input};
  for (const auto& node : graph.node()) {
    if (is_recurrent(node) && !has_batch_first(node)) {
      for (const int i : {0, 5, 6}) {
        if (i < node.input_size() && same.contains(node.input(i))) return 1;
      }
    }
    const bool keeps =
        node.op_type() == "Identity" || node.op_type() == "Cast" || node.op_type() == "Dropout";
    if (keeps && node.input_size() > 0 && node.output_size() > 0 && same.contains(node.input(0))) {
      same.insert(node.output(0));
    }
  }
  return 0;
}

std::string place(const Input& input) {
  return fmt::format("input {}", quote(input.name));
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_batch_name(const std::string& name) {
  const std::string text = lower(name);
  return text.find("batch") != std::string::npos || text == "n" || text == "b" || text == "bs" ||
         text == "nb";
}

// Names that exporters make up say nothing of what the dimension is (but the same one means the same size).
bool is_unnamed(const std::string& name) {
  const std::string text = lower(name);
  return text.empty() || text.starts_with("unk__") || text.find("dynamic") != std::string::npos;
}

// Placeholders, which may stand for different sizes in different places.
bool is_placeholder(const std::string& name) {
  const std::string text = lower(name);
  return text == "?" || text == "none" || text == "-1" || text == "unknown" || text == "dynamic";
}

Input read_input(const ::onnx::ValueInfoProto& proto) {
  Input input;
  input.name = proto.name();
  input.tensor =
      proto.type().has_tensor_type() || proto.type().value_case() == ::onnx::TypeProto::VALUE_NOT_SET;
  const auto& type = proto.type().tensor_type();
  input.type = data_type_of_code(type.elem_type());
  input.has_shape = type.has_shape();
  for (const auto& proto_dimension : type.shape().dim()) {
    Dimension dimension;
    if (!is_placeholder(proto_dimension.dim_param())) dimension.name = proto_dimension.dim_param();
    if (proto_dimension.has_dim_value() && proto_dimension.dim_value() != -1) {  // -1: some exporters' "any"
      const std::int64_t size = proto_dimension.dim_value();
      if (size <= 0 || size > kMostElements) {
        throw InputError(
            place(input),
            fmt::format("dimension {} has the size {} in the file", input.dimensions.size(), size),
            fmt::format("give the sizes with --shape {}=...", clean(input.name)));
      }
      dimension.size = size;
    }
    input.dimensions.push_back(std::move(dimension));
  }
  return input;
}

// "1x3x?x?": what is known of a shape.
std::string sketch(const Input& input) {
  std::string text;
  for (const Dimension& d : input.dimensions) {
    text += (text.empty() ? "" : "x") + (d.size ? fmt::format("{}", *d.size) : std::string("?"));
  }
  return text.empty() ? "scalar" : text;
}

// A dimension's name takes its value everywhere.
void bind_name(std::map<std::string, std::int64_t>& bound, const Input& input, const std::string& name,
               std::int64_t size) {
  if (name.empty()) return;
  const auto [known, is_new] = bound.emplace(name, size);
  if (!is_new && known->second != size) {
    throw InputError(
        place(input),
        fmt::format("dimension {} is {} here and {} elsewhere", quote(name), size, known->second),
        "dimensions of one name must have one size");
  }
}

void apply_shape(Input& input, const Shape& shape, std::map<std::string, std::int64_t>& bound) {
  if (!input.tensor) throw InputError(place(input), "is no tensor, it cannot be given a shape");
  // A size of 0 is right for a cache that is still empty.
  if (!elements_of(shape)) {
    throw InputError(place(input), fmt::format("shape {} asked for: negative, or too large for any machine",
                                               to_text(shape)));
  }
  if (!input.has_shape) input.dimensions.resize(shape.size());
  if (input.dimensions.size() != shape.size()) {
    throw InputError(place(input),
                     fmt::format("shape {} has rank {}, the model wants rank {}: {}", to_text(shape),
                                 shape.size(), input.dimensions.size(), sketch(input)));
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Dimension& dimension = input.dimensions[d];
    if (dimension.size && *dimension.size != shape[d]) {
      throw InputError(
          place(input),
          fmt::format("dimension {} is fixed to {} in the model, {} asked for", d, *dimension.size, shape[d]),
          d == input.batch_axis ? "another batch can be asked for with --batch" : "");
    }
    dimension.size = shape[d];
    bind_name(bound, input, dimension.name, shape[d]);
  }
  input.has_shape = true;
  input.given = true;
}

void apply_names(std::vector<Input>& inputs, const std::map<std::string, std::int64_t>& bound) {
  for (Input& input : inputs) {
    for (Dimension& dimension : input.dimensions) {
      const auto found = bound.find(dimension.name);
      if (!dimension.size && !dimension.name.empty() && found != bound.end()) dimension.size = found->second;
    }
  }
}

// All open dimensions that stand for the batch take `batch`. With one that is named so, other names are left
// alone.
bool bind_batch(std::vector<Input>& inputs, std::int64_t batch, std::map<std::string, std::int64_t>& bound) {
  bool named = false;
  bool any = false;
  for (const Input& input : inputs) {
    for (const Dimension& d : input.dimensions) named = named || is_batch_name(d.name);
  }
  for (Input& input : inputs) {
    for (std::size_t d = 0; d < input.dimensions.size(); ++d) {
      Dimension& dimension = input.dimensions[d];
      const bool leading = d == input.batch_axis && (!named || is_unnamed(dimension.name));
      if (!is_batch_name(dimension.name) && !leading) continue;
      if (dimension.size && dimension.name.empty()) continue;  // fixed by the file, or given by the user
      bind_name(bound, input, dimension.name, batch);
      if (!dimension.size) dimension.size = batch;
      any = true;
    }
  }
  return any;
}

// The file fixes the batch: the size along the batch axis of every input that shares the first one's. Vectors are no
// batches.
std::optional<Rebatch> rebatch_fixed(std::vector<Input>& inputs, std::int64_t batch) {
  std::optional<std::int64_t> from;
  for (const Input& input : inputs) {
    if (!from && input.dimensions.size() >= 2 && !input.given) from = input.dimensions[input.batch_axis].size;
  }
  if (!from) return std::nullopt;
  for (Input& input : inputs) {
    if (input.dimensions.size() < 2 || input.given) continue;
    std::optional<std::int64_t>& size = input.dimensions[input.batch_axis].size;
    if (size == from) size = batch;
  }
  return Rebatch{*from, batch};
}

void default_batch(std::vector<Input>& inputs, BoundInputs& result) {
  std::vector<std::string> assumed;
  for (Input& input : inputs) {
    if (!input.tensor || input.dimensions.empty()) continue;
    for (std::size_t d = 0; d < input.dimensions.size(); ++d) {
      Dimension& dimension = input.dimensions[d];
      const bool leading = d == input.batch_axis && is_unnamed(dimension.name);
      if (dimension.size || !(is_batch_name(dimension.name) || leading)) continue;
      dimension.size = 1;
      bind_name(result.dimensions, input, dimension.name, 1);
      if (assumed.empty() || assumed.back() != quote(input.name)) assumed.push_back(quote(input.name));
    }
  }
  if (assumed.empty()) return;
  const std::size_t shown = std::min<std::size_t>(assumed.size(), 3);
  result.notes.push_back(
      {"batch-assumed",
       fmt::format("the model leaves its batch open (input {}{}): 1 is taken; --batch N asks for another",
                   fmt::join(assumed.begin(), assumed.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                   assumed.size() > shown ? ", ..." : "")});
}

void require_all(const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    if (!input.tensor) continue;
    const std::string flag =
        fmt::format("--shape {}={}", clean(input.name), input.has_shape ? sketch(input) : "...");
    if (!input.has_shape) {
      throw InputError(place(input), "has no shape in the model", fmt::format("give it with {}", flag));
    }
    for (std::size_t d = 0; d < input.dimensions.size(); ++d) {
      const Dimension& dimension = input.dimensions[d];
      if (dimension.size) continue;
      const std::string name = dimension.name.empty() ? "" : fmt::format(" ({})", quote(dimension.name));
      throw InputError(place(input), fmt::format("dimension {}{} has no size in the model", d, name),
                       d == input.batch_axis ? fmt::format("give it with --batch N, or with {}", flag)
                                             : fmt::format("give it with {}, with numbers for ?", flag));
    }
  }
}

}  // namespace

BoundInputs bind_inputs(const ::onnx::GraphProto& graph, const std::set<std::string>& weights,
                        const ImportOptions& options) {
  BoundInputs result;
  std::vector<Input> inputs;
  for (const auto& proto : graph.input()) {
    if (weights.contains(proto.name())) continue;
    const auto given = options.shapes.find(proto.name());
    try {
      inputs.push_back(read_input(proto));
    } catch (const InputError&) {
      if (given == options.shapes.end()) throw;
      inputs.push_back(Input{proto.name(),
                             data_type_of_code(proto.type().tensor_type().elem_type()),
                             true,
                             false,
                             false,
                             0,
                             {}});
    }
    // A tensor of one dimension has no second one to be the batch.
    if (inputs.back().dimensions.size() != 1) inputs.back().batch_axis = batch_axis_of(graph, proto.name());
    result.names.push_back(proto.name());
  }
  for (const auto& given : options.shapes) {
    const std::string& name = given.first;  // clang 14 captures no structured bindings
    const auto& shape = given.second;
    const auto input =
        std::find_if(inputs.begin(), inputs.end(), [&](const Input& i) { return i.name == name; });
    if (input == inputs.end()) {
      const std::string near = did_you_mean(name, result.names);
      throw InputError("", fmt::format("has no input {}", quote(name)),
                       !near.empty() ? near
                                     : fmt::format("its inputs are {}",
                                                   clean(fmt::format("{}", fmt::join(result.names, ", ")))));
    }
    apply_shape(*input, shape, result.dimensions);
  }
  apply_names(inputs, result.dimensions);
  if (options.batch) {
    if (*options.batch < 1 || *options.batch > kMostElements) {
      throw InputError("", fmt::format("batch {} asked for, wanted 1 or more", *options.batch));
    }
    if (!bind_batch(inputs, *options.batch, result.dimensions)) {
      const auto rebatch = rebatch_fixed(inputs, *options.batch);
      const bool shapes_given =
          std::any_of(inputs.begin(), inputs.end(), [](const Input& i) { return i.given; });
      if (!rebatch && !shapes_given) {
        throw InputError(
            "", fmt::format("batch {} asked for, but no input has a batch dimension", *options.batch));
      }
      if (rebatch && rebatch->from != rebatch->to) result.rebatch = rebatch;
    }
    apply_names(inputs, result.dimensions);
  }
  default_batch(inputs, result);
  apply_names(inputs, result.dimensions);
  require_all(inputs);

  bool batch_found = false;
  for (const Input& input : inputs) {
    Tensor tensor;
    tensor.view.name = clean(input.name);
    tensor.view.type = input.type;
    Shape shape;
    for (const Dimension& d : input.dimensions) {
      shape.push_back(*d.size);
      if (is_batch_name(d.name) && !batch_found) {
        result.batch = *d.size;
        batch_found = true;
      }
    }
    if (!elements_of(shape)) {
      throw InputError(place(input), fmt::format("shape {} is too large for any machine", to_text(shape)));
    }
    if (input.tensor) tensor.view.shape = std::move(shape);
    result.tensors.push_back(std::move(tensor));
  }
  for (const Input& input : inputs) {
    if (batch_found || input.dimensions.size() < 2) continue;
    result.batch = *input.dimensions[input.batch_axis].size;
    batch_found = true;
  }
  if (options.batch) result.batch = *options.batch;
  return result;
}

}  // namespace corecast::graphs::importing
