// From events to one run's times: runs, medians, what events cost.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "calibration/profile/profile.hpp"
#include "tests/profile/traces.hpp"

using namespace corecast;
using namespace corecast::calibration::profile;
using namespace corecast::test;

namespace {

Profile profile(const std::string& text, std::size_t heavy = 1) {
  return profile_of(parse_trace(text, "run.json"), heavy);
}

double us(Seconds t) {
  return t.value() * 1e6;
}

std::string refused(const std::string& text) {
  try {
    (void)profile(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

}  // namespace

TEST_CASE("a node's time is the median of the runs without the first, less what its event costs") {
  // Conv: 900 (left out), 100, 104, 120: median 104. Reshape does nothing: its 3 us are the event's.
  std::vector<std::vector<TraceNode>> runs;
  for (const double conv : {900.0, 100.0, 104.0, 120.0})
    runs.push_back({{"conv", "Conv", conv}, {"flat", "Reshape", 3}});
  const Profile p = profile(onnxruntime_trace(runs));
  CHECK(p.source == Source::onnxruntime);
  CHECK(p.runs == 4);
  CHECK(p.used == 3);
  CHECK(us(p.event_cost) == doctest::Approx(3.0));
  REQUIRE(p.nodes.size() == 2);
  CHECK(us(p.nodes[0].time) == doctest::Approx(101.0));
  CHECK(us(p.nodes[1].time) == doctest::Approx(0.0));
  // MAD of 100, 104, 120 is 4: hypot(1.25 x 1.48 x 4, 0.3) / (sqrt(3) 104) = 7.406 / 180.1.
  CHECK(p.nodes[0].relative_error == doctest::Approx(0.04111).epsilon(0.001));
  // Before the first and after the last 5 + 3, less a gap of 2.
  REQUIRE(p.call.has_value());
  CHECK(us(*p.call) == doctest::Approx(6.0));
  CHECK(p.intra_op == 1);
  // 5 + 104 + 2 + 3 + 3
  CHECK(us(p.run) == doctest::Approx(117.0));
}

TEST_CASE("without a node that does nothing an event costs no more than the shortest, or 3 us") {
  CHECK(us(profile(onnxruntime_trace({{"a", "Conv", 100}, {"b", "Relu", 2}})).event_cost) ==
        doctest::Approx(2.0));
  CHECK(us(profile(onnxruntime_trace({{"a", "Conv", 100}, {"b", "Relu", 20}})).event_cost) ==
        doctest::Approx(3.0));
}

TEST_CASE("of two runs none is left out, and of one nothing is known of its error") {
  const TraceNode node{"a", "Conv", 100};
  const std::vector<std::vector<TraceNode>> twice(2, {node});
  CHECK(profile(onnxruntime_trace(twice)).used == 2);
  const Profile one = profile(onnxruntime_trace(std::vector<TraceNode>{node}));
  CHECK(one.used == 1);
  CHECK(one.nodes[0].relative_error == doctest::Approx(0.05).epsilon(0.01));
}

TEST_CASE("of two models in one file the one that took longer is meant, and the other is told of") {
  const std::vector<TraceNode> large{{"a", "Conv", 100}, {"b", "Relu", 10}}, small{{"x", "Gemm", 20}};
  const Profile p =
      profile(onnxruntime_trace(std::vector<std::vector<TraceNode>>{small, large, small, large, small}));
  CHECK(p.runs == 2);
  CHECK(p.nodes.size() == 2);
  REQUIRE(p.notes.size() == 1);
  CHECK(p.notes[0].find("3 of 5 runs") == 0);
}

TEST_CASE("without an event of the whole run, runs begin where a node comes again") {
  std::string text = "[";
  for (int i = 0; i < 6; ++i) {  // a, b, a, b, a, b
    text += fmt::format(
        R"({}{{"cat":"Node","pid":1,"tid":1,"ph":"X","ts":{},"dur":{},"name":"{}_kernel_time","args":{{"op_name":"Conv"}}}})",
        i == 0 ? "" : ",", 100 * i, 40 + 10 * (i % 2), i % 2 == 0 ? "a" : "b");
  }
  const Profile p = profile(text);  // and the array is not closed
  CHECK(p.runs == 3);
  REQUIRE(p.nodes.size() == 2);
  CHECK(us(p.nodes[1].time) == doctest::Approx(47.0));  // 50 less 3
  CHECK_FALSE(p.call.has_value());
  CHECK_FALSE(p.intra_op.has_value());
  CHECK(p.notes.size() == 1);
}

TEST_CASE("nodes of a loop's body count with the loop") {
  const std::string text = R"([
    {"cat":"Node","pid":1,"tid":1,"ph":"X","ts":10,"dur":30,"name":"body_kernel_time","args":{"op_name":"Add"}},
    {"cat":"Node","pid":1,"tid":1,"ph":"X","ts":50,"dur":30,"name":"body_kernel_time","args":{"op_name":"Add"}},
    {"cat":"Node","pid":1,"tid":1,"ph":"X","ts":5,"dur":95,"name":"loop_kernel_time","args":{"op_name":"Loop"}},
    {"cat":"Session","pid":1,"tid":1,"ph":"X","ts":0,"dur":110,"name":"model_run","args":{}}])";
  const Profile p = profile(text);
  REQUIRE(p.nodes.size() == 1);
  CHECK(p.nodes[0].name == "loop");
}

TEST_CASE(
    "PyTorch's runs are found by the period of its operators, with the model to decide between multiples") {
  std::vector<TraceOperation> operations{{"aten::rand", 0, 50}};  // the input, made once
  double now = 100.0;
  for (int i = 0; i < 8; ++i) {
    operations.push_back({"aten::linear", now, 100, "[[1,8],[8,8],[8]]"});
    operations.push_back({"aten::addmm", now + 10, 80, "[[8],[1,8],[8,8]]"});  // inside of it
    operations.push_back({"aten::relu", now + 110, 20, "[[1,8]]"});
    now += 200;
  }
  // A model of two layers ran four times, one of four twice.
  CHECK(profile(pytorch_trace(operations), 2).runs == 4);
  const Profile p = profile(pytorch_trace(operations), 4);
  CHECK(p.source == Source::pytorch);
  CHECK(p.runs == 2);
  REQUIRE(p.nodes.size() == 8);
  CHECK(p.nodes[0].family == "product");
  CHECK(us(p.nodes[0].time) == doctest::Approx(98.0));  // its own event and the one inside
  CHECK(us(p.nodes[1].time) == doctest::Approx(19.0));
  CHECK_FALSE(p.intra_op.has_value());
}

TEST_CASE("PyTorch's steps are runs where the trace has them") {
  const std::string steps =
      R"(,{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":60}
         ,{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":100,"dur":60})";
  const Profile p =
      profile(pytorch_trace({{"aten::mm", 10, 30}, {"aten::mm", 110, 40}, {"aten::mm", 300, 90}}, steps));
  CHECK(p.runs == 2);
  REQUIRE(p.nodes.size() == 1);
  CHECK(us(p.nodes[0].time) == doctest::Approx(34.0));  // of 30 and 40, less 1
}

TEST_CASE("a trace without operators is refused, with what was forgotten") {
  CHECK(refused(onnxruntime_trace(std::vector<TraceNode>{})) ==
        "run.json: no node event: was enable_profiling on?");
  CHECK(refused(pytorch_trace({}))
            .find("run.json: no operator among its events (1) (wanted onnxruntime's profile") !=
        std::string::npos);
}
