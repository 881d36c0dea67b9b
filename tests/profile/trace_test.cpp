// Reading traces: both forms, what is cut short, and what cannot be read.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "calibration/profile/trace.hpp"
#include "tests/profile/traces.hpp"

using namespace corecast;
using namespace corecast::calibration::profile;
using namespace corecast::test;

namespace {

std::string refused(const std::string& text) {
  try {
    (void)parse_trace(text, "run.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an onnxruntime profile gives its nodes and runs") {
  const Trace trace = parse_trace(onnxruntime_trace({{"conv1_nchwc", "Conv", 40, "1,64,56,56"}}), "run.json");
  CHECK_FALSE(trace.cut_short);
  CHECK(trace.others == 1);  // session_initialization
  REQUIRE(trace.events.size() == 2);
  const Event& node = trace.events[0];
  CHECK(node.kind == EventKind::node);
  CHECK(node.name == "conv1_nchwc");
  CHECK(node.type == "Conv");
  CHECK(node.start_us == 1005.0);  // the run begins at 1000, its first node 5 later
  CHECK(node.length_us == 40.0);
  CHECK(node.output == Shape{1, 64, 56, 56});
  CHECK(node.intra_op == 1);  // "": a session without a pool
  CHECK(trace.events[1].kind == EventKind::run);
  CHECK(trace.events[1].length_us == 48.0);  // 5 + 40 + 3
}

TEST_CASE("the pool's statistics tell how many threads there were") {
  // Two threads beside the caller.
  const std::string pool =
      R"({"main_thread": {"thread_pool_name": "p"}, "sub_threads": {"11": {"core": 1}, "12": {"core": 2}}})";
  CHECK(parse_trace(onnxruntime_trace({{"a", "Conv", 4}}, pool), "t").events[0].intra_op == 3);
  CHECK_FALSE(parse_trace(onnxruntime_trace({{"a", "Conv", 4}}, ""), "t").events[0].intra_op.has_value());
}

TEST_CASE("a PyTorch trace gives its operators with their shapes") {
  const Trace trace =
      parse_trace(pytorch_trace({{"aten::conv2d", 10.5, 20.25, "[[1,3,8,8],[4,3,3,3],[]]"}}), "t");
  REQUIRE(trace.events.size() == 1);
  CHECK(trace.events[0].kind == EventKind::operation);
  CHECK(trace.events[0].start_us == 10.5);
  CHECK(trace.events[0].inputs == std::vector<Shape>{{1, 3, 8, 8}, {4, 3, 3, 3}, {}});
  // Without Kineto: a plain array, no category.
  const Trace plain = parse_trace(
      R"([{"name": "aten::relu_", "ph": "X", "ts": 1, "dur": 2, "tid": 1, "pid": "CPU functions", "args": {}}])",
      "t");
  CHECK(plain.events.size() == 1);
}

TEST_CASE("a trace that was cut short is read up to its last whole event") {
  const std::string whole = onnxruntime_trace({{"a", "Conv", 4}, {"b", "Relu", 2}});
  // Inside of b's name; after b's event, before the comma; before the bracket at the end.
  for (const std::size_t at :
       {whole.find("\"b_kernel") + 4, whole.find(",\n", whole.find("\"b_kernel")), whole.rfind("]")}) {
    const Trace trace = parse_trace(whole.substr(0, at), "run.json");
    CHECK(trace.cut_short);
    REQUIRE(!trace.events.empty());
    CHECK(trace.events[0].name == "a");
  }
  CHECK(parse_trace("[\n", "run.json").cut_short);
}

TEST_CASE("what is no trace is refused by file, place and what was wanted") {
  CHECK(has(refused(""), "run.json: is empty"));
  CHECK(has(refused("PK\x03\x04 zip"), "run.json: is no JSON: broken at byte 1"));
  CHECK(has(refused("\x1f\x8b\x08"), "run.json: is compressed with gzip"));
  CHECK(has(refused("{\"displayTimeUnit\": \"ms\"}"), "run.json: has no list of events"));
  CHECK(has(refused("{\"traceEvents\": {}}"), "run.json: has no list of events"));
  CHECK(has(refused("3"), "run.json: has no list of events"));
  CHECK(has(refused(R"([{"cat": "Node", "name": "a_kernel_time", "dur": 1, "args": {"op_name": "Add"}}])"),
            "run.json: event 1: \"a_kernel_time\" has no number \"ts\""));
  CHECK(has(
      refused(
          R"([{"cat": "Node", "name": "a_kernel_time", "ts": 0, "dur": "1", "args": {"op_name": "Add"}}])"),
      "has no number \"dur\""));
  CHECK(has(
      refused(
          R"([{}, {"cat": "Node", "name": "a_kernel_time", "ts": 0, "dur": -4, "args": {"op_name": "Add"}}])"),
      "run.json: event 2: \"a_kernel_time\": \"dur\" is -4, not a time"));
  CHECK(has(refused(R"([{"cat": "Node", "name": "a_kernel_time", "ts": 0, "dur": 4, "args": {}}])"),
            "run.json: event 1: node \"a\" has no \"op_name\""));
  // Broken in the middle, not at the end.
  CHECK(has(refused("[{\"name\": \"a\"}, oops, {\"name\": \"b\"}]"), "is no JSON: broken at byte"));
}
