#include "tests/support/dag.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/quantity_text.hpp"

namespace corecast::test {
namespace {

using graphs::Graph;
using graphs::Operator;

constexpr long long kMost = std::numeric_limits<long long>::max();

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::int64_t> sizes(std::string_view text) {
  std::vector<std::int64_t> out;
  for (const std::string_view part : split(text, 'x')) out.push_back(parse_whole(part, "a size", 0, kMost));
  return out;
}

std::string usual_type(KernelClass kernel) {
  switch (kernel) {
    case KernelClass::gemm:
      return "MatMul";
    case KernelClass::conv:
    case KernelClass::conv_1x1:
    case KernelClass::conv_depthwise:
      return "Conv";
    case KernelClass::conv_transposed:
      return "ConvTranspose";
    case KernelClass::pool:
      return "MaxPool";
    case KernelClass::elementwise:
      return "Relu";
    case KernelClass::normalization:
      return "BatchNormalization";
    case KernelClass::softmax:
      return "Softmax";
    case KernelClass::gather:
      return "Gather";
    case KernelClass::transpose:
      return "Transpose";
    case KernelClass::reduce:
      return "ReduceMean";
    case KernelClass::recurrent:
      return "LSTM";
    case KernelClass::shape:
      return "Reshape";
    case KernelClass::control:
      return "If";
    case KernelClass::other:
      return "Custom";
  }
  return "Custom";
}

void set_named(Operator& op, std::string_view key, std::string_view value) {
  graphs::Work& work = op.work;
  if (key == "weights") {
    work.weights_read = parse_quantity<Bytes>(value);
  } else if (key == "again") {
    work.weights_per_step = parse_quantity<Bytes>(value);
  } else if (key == "written") {
    work.written = parse_quantity<Bytes>(value);
  } else if (key == "set") {
    work.working_set = parse_quantity<Bytes>(value);
  } else if (key == "units") {
    work.units = parse_whole(value, "a number of units", 1, kMost);
  } else if (key == "steps") {
    work.steps = parse_whole(value, "a number of steps", 1, kMost);
  } else if (key == "serial") {
    work.serial_fraction = parse_number(value, "a fraction");
  } else if (key == "type") {
    op.type = value;
  } else if (key == "parameters") {
    op.parameters = parse_whole(value, "a number of parameters", 0, kMost);
  } else if (key == "window") {
    op.window = sizes(value);
  } else if (key == "shape") {
    op.output_shape = sizes(value);
  } else if (key == "matrix") {
    std::vector<std::int64_t> s = sizes(value);
    if (s.size() == 3) s.insert(s.begin(), 1);
    if (s.size() != 4) throw InputError("", fmt::format("{} is not [Bx]MxNxK", quote(value)));
    op.matrix = graphs::MatrixShape{s[0], s[1], s[2], s[3]};
  } else {
    throw InputError("", fmt::format("unknown attribute {}", quote(key)));
  }
}

void set_attribute(Operator& op, std::string_view text) {
  if (const std::size_t at = text.find('='); at != std::string_view::npos) {
    set_named(op, trimmed(text.substr(0, at)), trimmed(text.substr(at + 1)));
  } else if (const auto kernel = kernel_class_named(text)) {
    op.kernel = *kernel;
  } else if (const auto type = data_type_named(text)) {
    op.work.compute_type = *type;
  } else if (text.ends_with("flop")) {
    op.work.flops = parse_quantity<Flops>(text);
  } else if (text.ends_with("B")) {
    op.work.activations_read = parse_quantity<Bytes>(text);
  } else {
    throw InputError("",
                     fmt::format("{} is no attribute; bare names come before nodes with \":\"", quote(text)));
  }
}

class Reader {
 public:
  Graph read(std::string_view text) {
    for (const std::string_view statement : split(text, ';')) {
      if (!statement.empty()) read_statement(statement);
    }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      Operator& op = graph_.op(OpIndex(i));
      if (op.type.empty()) op.type = usual_type(op.kernel);
    }
    return std::move(graph_);
  }

 private:
  void read_statement(std::string_view text) {
    std::vector<OpIndex> left;
    Bytes bytes;
    for (;;) {
      // The plain arrow first: a search for the other alone would run to the end of a long text each time.
      const std::size_t plain = text.find("->");
      const std::size_t at = std::min(plain, text.substr(0, plain).find("-["));
      const std::vector<OpIndex> right = read_nodes(text.substr(0, at));
      for (const OpIndex from : left) {
        for (const OpIndex to : right) graph_.connect(from, to, bytes);
      }
      if (at == std::string_view::npos) return;
      left = right;
      text.remove_prefix(at);
      bytes = read_arrow(text);
    }
  }

  // Takes the arrow off the front of `text`.
  static Bytes read_arrow(std::string_view& text) {
    const std::size_t end = text.find("->");
    if (end == 0) {
      text.remove_prefix(2);
      return Bytes(0.0);
    }
    if (end == std::string_view::npos || !text.starts_with("-[") || text[end - 1] != ']') {
      throw InputError("dag", fmt::format("no arrow at {}", quote(text)), "wanted -> or -[10MB]->");
    }
    const Bytes bytes = parse_quantity<Bytes>(trimmed(text.substr(2, end - 3)));
    text.remove_prefix(end + 2);
    return bytes;
  }

  std::vector<OpIndex> read_nodes(std::string_view text) {
    std::vector<OpIndex> nodes;
    bool open = false;  // the last node had a ":", so bare items are its attributes
    for (const std::string_view item : split(text, ',')) {
      const std::size_t colon = item.find(':');
      if (colon == std::string_view::npos && open) {
        attribute(nodes.back(), item);
        continue;
      }
      nodes.push_back(node(trimmed(item.substr(0, colon))));
      if (colon == std::string_view::npos) continue;
      open = true;
      if (!described_.insert(nodes.back()).second) {
        throw InputError("dag", fmt::format("{} is given attributes twice", quote(item)));
      }
      attribute(nodes.back(), trimmed(item.substr(colon + 1)));
    }
    return nodes;
  }

  void attribute(OpIndex node, std::string_view text) {
    try {
      set_attribute(graph_.op(node), text);
    } catch (const InputError& error) {
      throw error.within(fmt::format("dag: {}", graph_.op(node).name));
    }
  }

  OpIndex node(std::string_view name) {
    const auto good = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '.' || c == '/' || c == '+';
    };
    if (name.empty() || !std::all_of(name.begin(), name.end(), good)) {
      throw InputError("dag", fmt::format("{} is no name", quote(name)));
    }
    if (const auto known = graph_.find(name)) return *known;
    Operator op;
    op.name = name;
    return graph_.add(std::move(op));
  }

  Graph graph_;
  std::set<OpIndex> described_;
};

}  // namespace

Graph dag(std::string_view text) {
  return Reader().read(text);
}

}  // namespace corecast::test
