#include "graphs/graph_json.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/graphs/random_graph.hpp"
#include "tests/support/dag.hpp"

using namespace corecast;
using graphs::Graph;
using graphs::parse_graph_json;
using graphs::to_json_text;
using test::dag;

namespace {

std::string message(const std::string& text) {
  try {
    (void)parse_graph_json(text, "m.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// The message for a graph of one operator with these further keys.
std::string message_for_operator(const std::string& keys) {
  return message(
      R"({"schema": "corecast.graph/1", "operators": [{"name": "a", "type": "T", "class": "gemm")" + keys +
      "}]}");
}

// The message for operators a and b with these edges.
std::string message_for_edges(const std::string& edges) {
  return message(
      R"({"schema": "corecast.graph/1", "operators": [{"name": "alpha", "type": "T", "class": "gemm"},)"
      R"({"name": "beta", "type": "T", "class": "gemm"}], "edges": [)" +
      edges + "]}");
}

Graph everything() {
  Graph graph = dag(
      "a:1.5Gflop,3B,weights=4kB,again=3kB,written=5B,set=6MB,units=7,steps=8,serial=0.1,conv,int8,type=Conv,"
      "parameters=9,"
      "matrix=2x3x4x5,window=3x1,shape=1x0x7 -[12kB]-> b:shape");
  graph.name = "a \"name\" with ü";
  graph.batch = 16;
  graph.notes.push_back({"dynamic-shape", "assumed 1"});
  graph.op(OpIndex(1)).understood = false;
  return graph;
}

// A file that vanishes with its test.
struct TemporaryFile {
  explicit TemporaryFile(std::string_view content) {
    std::string name = (std::filesystem::temp_directory_path() / "corecast-graph-XXXXXX").string();
    const int handle = mkstemp(name.data());
    REQUIRE(handle >= 0);
    path = name;
    write_file(path, content);
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::filesystem::path path;
};

}  // namespace

TEST_CASE("a graph with everything set is written in full") {
  CHECK(to_json_text(everything()) == R"({
  "schema": "corecast.graph/1",
  "name": "a \"name\" with ü",
  "batch": 16,
  "operators": [
    {"name":"a","type":"Conv","class":"conv","flop":"1.5 Gflop","compute_type":"int8","activations_read":"3 B","weights_read":"4 kB","written":"5 B","working_set":"6 MB","units":7,"serial_fraction":0.1,"steps":8,"weights_per_step":"3 kB","parameters":9,"matrix":{"batch":2,"m":3,"n":4,"k":5},"window":[3,1],"output_shape":[1,0,7]},
    {"name":"b","type":"Reshape","class":"shape","understood":false}
  ],
  "edges": [
    {"from":"a","to":"b","bytes":"12 kB"}
  ],
  "notes": [
    {"code":"dynamic-shape","text":"assumed 1"}
  ]
}
)");
}

TEST_CASE("what is written is read back") {
  CHECK(parse_graph_json(to_json_text(everything()), "m") == everything());
}

TEST_CASE("what is left out has its default") {
  const Graph graph = parse_graph_json(
      R"({"schema": "corecast.graph/1", "operators": [{"name": "a", "type": "MatMul", "class": "gemm"}]})",
      "m");
  CHECK(graph == dag("a:gemm"));
}

TEST_CASE("the order of keys and edges does not matter") {
  const Graph graph = parse_graph_json(
      R"({"edges": [{"to": "b", "from": "a"}, {"from": "a", "bytes": "2 kB", "to": "c"}],
          "operators": [{"class": "gemm", "type": "MatMul", "name": "a"}, {"name": "b", "type": "Relu", "class": "elementwise"},
                        {"name": "c", "type": "Relu", "class": "elementwise"}],
          "schema": "corecast.graph/1"})",
      "m");
  CHECK(to_json_text(graph) ==
        to_json_text(dag("a:gemm; b:elementwise; c:elementwise; a -[2kB]-> c; a -> b")));
}

TEST_CASE("any graph survives the way out and in, bit by bit") {
  CHECK(rc::check("round trip", [] {
    const std::string text =
        *test::random_dag({"gemm,1flop", "conv,units=3", "pool,matrix=1x2x3", "shape"}, 12, 4);
    RC_LOG(text);
    Graph graph = dag(text);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      // Doubles with all digits in use, tiny to huge.
      const auto any = [] { return *rc::gen::arbitrary<double>(); };
      const auto amount = [&] { return std::min(std::abs(any()) * 1e9, 1e24); };
      graph.op(OpIndex(i)).work.flops = Flops(amount());
      graph.op(OpIndex(i)).work.written = Bytes(amount() / 3.0);
      graph.op(OpIndex(i)).work.serial_fraction = std::min(1.0, std::abs(any()));
    }
    const std::string written = to_json_text(graph);
    RC_ASSERT(parse_graph_json(written, "m") == graph);
    RC_ASSERT(to_json_text(parse_graph_json(written, "m")) == written);
  }));
}

TEST_CASE("names that are not UTF-8 cannot be written") {
  Graph graph;
  graphs::Operator op;
  op.name = "\xff";
  graph.add(op);
  CHECK_THROWS_AS((void)to_json_text(graph), InputError);
}

TEST_CASE("the schema is checked") {
  CHECK(message(R"({"operators": []})") == "m.json: key \"schema\" is missing");
  CHECK(message(R"({"schema": "corecast.machine/1", "operators": []})") ==
        "m.json: /schema: wanted \"corecast.graph/1\", found \"corecast.machine/1\"");
  CHECK(message("[]") == "m.json: wanted an object, found an array");
}

TEST_CASE("a graph without operators is refused") {
  CHECK(message(R"({"schema": "corecast.graph/1", "operators": []})") ==
        "m.json: /operators: a graph needs at least one operator");
}

TEST_CASE("wrong values are refused with their place") {
  CHECK(message_for_operator(R"(, "flop": "-1 flop")") ==
        "m.json: /operators/0/flop: must not be negative, found \"-1 flop\"");
  CHECK(message_for_operator(R"(, "weights_read": "1 kB", "weights_per_step": "2 kB")") ==
        "m.json: /operators/0: reads 2 kB of weights again at every step, but only 1 kB at all");
  CHECK(message_for_operator(R"(, "flop": 7)") == "m.json: /operators/0/flop: wanted text, found 7");
  CHECK(message_for_operator(R"(, "flop": "nan flop")") ==
        "m.json: /operators/0/flop: \"nan flop\" is not finite, wanted a number with unit, such as \"1.5 "
        "Gflop\"");
  CHECK(message_for_operator(R"(, "written": "1e30 B")") ==
        "m.json: /operators/0/written: is out of range, found \"1e30 B\"");
  CHECK(message_for_operator(R"(, "written": "1 flop")")
            .starts_with("m.json: /operators/0/written: unknown unit"));
  CHECK(message_for_operator(R"(, "units": 0)")
            .starts_with("m.json: /operators/0/units: wanted a whole number from 1"));
  CHECK(message_for_operator(R"(, "units": 1.5)")
            .starts_with("m.json: /operators/0/units: wanted a whole number"));
  CHECK(message_for_operator(R"(, "steps": -1)")
            .starts_with("m.json: /operators/0/steps: wanted a whole number from 1"));
  CHECK(message_for_operator(R"(, "parameters": -1)").starts_with("m.json: /operators/0/parameters: wanted"));
  CHECK(message_for_operator(R"(, "serial_fraction": 1.1)") ==
        "m.json: /operators/0/serial_fraction: wanted a number from 0 to 1, found 1.1");
  CHECK(message_for_operator(R"(, "output_shape": [1, -2])")
            .starts_with("m.json: /operators/0/output_shape/1: wanted"));
  CHECK(message_for_operator(R"(, "matrix": {"m": 1, "n": 2})") ==
        "m.json: /operators/0/matrix: key \"k\" is missing");
  CHECK(message_for_operator(R"(, "compute_type": "float32")")
            .starts_with("m.json: /operators/0/compute_type: unknown data type \"float32\""));
  CHECK(message_for_operator(R"(, "unit": 1)") ==
        "m.json: /operators/0: unknown key \"unit\" (did you mean \"units\"?)");
  CHECK(message_for_operator(R"(, "name": "b")").ends_with("key stands here twice"));
}

TEST_CASE("an unknown class is refused with the nearest one") {
  CHECK(
      message(
          R"({"schema": "corecast.graph/1", "operators": [{"name": "a", "type": "T", "class": "convv"}]})") ==
      "m.json: /operators/0/class: unknown kernel class \"convv\" (did you mean \"conv\"?)");
}

TEST_CASE("two operators of one name are refused") {
  CHECK(message(R"({"schema": "corecast.graph/1", "operators": [{"name": "a", "type": "T", "class": "gemm"},)"
                R"({"name": "a", "type": "T", "class": "gemm"}]})") ==
        "m.json: /operators/1: two operators are named \"a\"");
}

TEST_CASE("wrong edges are refused with their place") {
  CHECK(message_for_edges(R"({"from": "alpha", "to": "betta"})") ==
        "m.json: /edges/0/to: no operator is named \"betta\" (did you mean \"beta\"?)");
  CHECK(message_for_edges(R"({"from": "alpha"})") == "m.json: /edges/0: key \"to\" is missing");
  CHECK(message_for_edges(R"({"from": "alpha", "to": "beta", "bytes": "-1 B"})") ==
        "m.json: /edges/0/bytes: must not be negative, found \"-1 B\"");
  CHECK(message_for_edges(R"({"from": "alpha", "to": "beta"}, {"from": "alpha", "to": "beta"})") ==
        "m.json: /edges/1: a second edge from \"alpha\" to \"beta\" (write one edge with all bytes)");
  CHECK(message_for_edges(R"({"from": "alpha", "to": "beta"}, {"from": "beta", "to": "alpha"})") ==
        "m.json: /edges: the operators form a cycle: \"alpha\" -> \"beta\" -> \"alpha\" (a model graph must "
        "have none)");
}

TEST_CASE("sums over a graph cannot overflow") {
  std::string operators;
  for (int i = 0; i < 1001; ++i) {
    operators += (i > 0 ? "," : "") + std::string(R"({"name": ")") + std::to_string(i) +
                 R"(", "type": "T", "class": "gemm", "parameters": 1000000000000000})";
  }
  CHECK(message(R"({"schema": "corecast.graph/1", "operators": [)" + operators + "]}")
            .starts_with("m.json: /operators/1000: the graph has more than"));
}

TEST_CASE("a file that begins with a brace, blanks and a byte order mark aside, is a graph of ours") {
  const TemporaryFile plain(to_json_text(everything()));
  CHECK(graphs::load_model(plain.path) == everything());
  const TemporaryFile marked("\xEF\xBB\xBF \n" + to_json_text(everything()));
  CHECK(graphs::load_model(marked.path) == everything());
}

TEST_CASE("a file of ours has its batch, shapes and rules written in") {
  const TemporaryFile file(to_json_text(everything()));
  graphs::ImportOptions options;
  options.batch = 16;
  CHECK_NOTHROW((void)graphs::load_model(file.path, options));
  options.batch = 8;
  CHECK_THROWS_AS((void)graphs::load_model(file.path, options), InputError);
  options.batch.reset();
  options.shapes["x"] = {1};
  CHECK_THROWS_AS((void)graphs::load_model(file.path, options), InputError);
  options.shapes.clear();
  options.strict = true;  // operator b is not understood
  CHECK_THROWS_AS((void)graphs::load_model(file.path, options), InputError);
}

TEST_CASE("anything else is taken as ONNX and refused by its import") {
  for (const char* content : {"", "hello", "\n\n"}) {
    const TemporaryFile file(content);
    CHECK_THROWS_AS((void)graphs::load_model(file.path), InputError);
  }
}

TEST_CASE("a product without elements cannot have arithmetic") {
  const auto graph = [](const std::string& flop, const std::string& m) {
    return R"({"schema": "corecast.graph/1", "operators": [{"name": "a", "type": "MatMul", "class": "gemm", "flop": ")" +
           flop + R"(", "matrix": {"m": )" + m + R"(, "n": 2, "k": 3}}]})";
  };
  CHECK(parse_graph_json(graph("0 flop", "0"), "g.json").size() == 1);
  CHECK_THROWS_WITH(
      (void)parse_graph_json(graph("12 flop", "0"), "g.json"),
      "g.json: /operators/0/matrix: is empty (1 x 0 x 2 x 3), but its operator has 12 flop of work");
}
