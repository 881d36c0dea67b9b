#include "base/error.hpp"
#include "base/file.hpp"
#include "graphs/graph_json.hpp"

namespace corecast::graphs {
namespace {

bool looks_like_json(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

void check_options(const Graph& graph, const std::string& file, const ImportOptions& options) {
  if (options.batch && *options.batch != graph.batch) {
    throw InputError(
        file,
        fmt::format("the graph is written for batch {}, batch {} was asked for", graph.batch, *options.batch),
        "only an ONNX or a built-in model can change its batch");
  }
  if (!options.shapes.empty()) {
    throw InputError(file, "the graph has its shapes written in, other shapes were asked for",
                     "only an ONNX model can change its input shapes");
  }
  for (std::size_t i = 0; options.strict && i < graph.size(); ++i) {
    const Operator& op = graph.op(OpIndex(i));
    if (op.understood) continue;
    throw InputError(file,
                     fmt::format("operator {} of type {} has no work rule", quote(op.name), quote(op.type)),
                     "without the strict option it counts as a memory pass");
  }
}

}  // namespace

Graph load_model(const std::filesystem::path& path, const ImportOptions& options) {
  const std::string file = path.string();
  const std::string bytes = read_file(path);
  if (!looks_like_json(bytes)) return import_onnx_bytes(bytes, file, options);
  Graph graph = parse_graph_json(bytes, file);
  check_options(graph, file, options);
  return graph;
}

}  // namespace corecast::graphs
