#include "sim/trace.hpp"

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/sim/simulate_support.hpp"
#include "tests/support/golden.hpp"

namespace corecast::test {
namespace {

using nlohmann::json;

const sim::TraceInfo kInfo{"block", "test-machine", "parallel, inter 2, intra 3"};

Simulated block() {
  return {"a:1Gflop,10MB,gemm -> b,c -> d:elementwise",
          "slots 2; workers 2; resource mem 10GB/s; a: dispatch 1us, fork 0.5us, 10us x3;"
          "b c: dispatch 1us, 4us x3, bound memory, draw mem 60kB"};
}

std::string trace_of(const Simulated& s) {
  return sim::chrome_trace(s.timeline, s.graph, s.plan, kInfo);
}

TEST_CASE("a trace is JSON in the trace-event format") {
  const Simulated s = block();
  const json trace = json::parse(trace_of(s));
  CHECK(trace.at("displayTimeUnit") == "ns");
  CHECK(trace.at("otherData").at("machine") == "test-machine");
  std::set<std::string> kinds;
  for (const json& event : trace.at("traceEvents")) {
    const auto kind = event.at("ph").get<std::string>();
    kinds.insert(kind);
    CHECK(event.at("name").is_string());
    CHECK(event.at("pid").is_number_integer());
    CHECK(event.at("tid").is_number_integer());
    CHECK(event.at("ts").is_number());
    CHECK(event.at("ts").get<double>() >= 0.0);
    CHECK(event.at("args").is_object());
    if (kind == "X") CHECK(event.at("dur").get<double>() >= 0.0);
  }
  CHECK(kinds == std::set<std::string>{"C", "M", "X"});
}

TEST_CASE("a trace names its process and one thread a slot") {
  const json trace = json::parse(trace_of(block()));
  std::map<std::string, int> count;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") ++count[event.at("name").get<std::string>() + "=" + event.at("args").dump()];
  }
  CHECK(count[R"(process_name={"name":"block on test-machine, parallel, inter 2, intra 3"})"] == 1);
  CHECK(count[R"(thread_name={"name":"slot 0"})"] == 1);
  CHECK(count[R"(thread_name={"name":"slot 1"})"] == 1);
}

TEST_CASE("every operator is an event with what it asks for, and its phases lie within it") {
  const Simulated s = block();
  const json trace = json::parse(trace_of(s));
  std::size_t operators = 0;
  json outer;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    if (event.at("cat") != "phase") {
      ++operators;
      outer = event;
      continue;
    }
    CHECK(event.at("tid") == outer.at("tid"));
    CHECK(event.at("ts").get<double>() >= outer.at("ts").get<double>());
    CHECK(event.at("ts").get<double>() + event.at("dur").get<double>() <=
          doctest::Approx(outer.at("ts").get<double>() + outer.at("dur").get<double>()));
  }
  CHECK(operators == 4);
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("name") != "a") continue;
    CHECK(event.at("cat") == "gemm");
    CHECK(event.at("dur") == 11.5);  // 1 + 0.5 + 10
    const json& arguments = event.at("args");
    CHECK(arguments.at("type") == "MatMul");
    CHECK(arguments.at("class") == "gemm");
    CHECK(arguments.at("threads") == 3);
    CHECK(arguments.at("bound") == "compute");
    CHECK(arguments.at("limited_by") == "compute");
    CHECK(arguments.at("flop") == 1e9);
    CHECK(arguments.at("bytes") == 1e7);
  }
}

TEST_CASE("the counter shows the threads at work") {
  // a dispatches 0..1 on one thread, forks and computes on 3 until 11.5. b and c dispatch until 12.5, then
  // want 3 each: two callers and two workers, 4. d has no work.
  const json trace = json::parse(trace_of(block()));
  std::map<double, int> threads;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "C")
      threads[event.at("ts").get<double>()] = event.at("args").at("threads").get<int>();
  }
  CHECK(threads.at(0.0) == 1);
  CHECK(threads.at(1.0) == 3);
  CHECK(threads.at(11.5) == 2);
  CHECK(threads.at(12.5) == 4);
  CHECK(threads.rbegin()->second == 0);
  CHECK(threads.size() == 5);
}

TEST_CASE("times have picosecond digits") {
  graphs::Graph graph = dag("a -> b");
  sim::Plan plan = plan_of(graph, "");
  plan.operators[0].parallel = Seconds(1234567e-12);
  plan.operators[1].parallel = Seconds(1e-12);
  const std::string trace = sim::chrome_trace(sim::simulate(graph, plan), graph, plan, kInfo);
  CHECK(trace.find("\"dur\":1.234567") != std::string::npos);
  CHECK(trace.find("\"ts\":1.234567,\"dur\":0.000001") != std::string::npos);
}

TEST_CASE("names with quotes, control characters and broken UTF-8 make no broken JSON") {
  graphs::Graph graph;
  graphs::Operator op;
  op.name = "a\"b\\c\n\x01\xff";
  op.type = "Ty\"pe";
  graph.add(op);
  sim::Plan plan = plan_of(graph, "*: 1us");
  const json trace =
      json::parse(sim::chrome_trace(sim::simulate(graph, plan), graph, plan, {"m\"", "\xc3", "</script>"}));
  CHECK(trace.at("otherData").at("model") == "m\"");
}

TEST_CASE("an empty timeline is a valid trace") {
  const Simulated s("", "");
  CHECK(json::parse(trace_of(s)).at("traceEvents").size() == 3);  // process, thread, its place
}

TEST_CASE("the same timeline gives the same bytes") {
  CHECK(trace_of(block()) == trace_of(block()));
}

TEST_CASE("golden: the trace of a fork-join") {
  CHECK(golden_difference("sim_fork_join/trace.json", trace_of(block())) == "");
}

}  // namespace
}  // namespace corecast::test
