// Traces for tests, as onnxruntime and PyTorch write them, from a few words.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace corecast::test {

struct TraceNode {
  std::string name, type;
  double us = 0.0;
  std::string shape = {};  // of the output, "1,64,56,56"; empty: not recorded
};

// Runs of the same nodes, one after the other; nodes 2 us apart, 5 us before the first and 3 us after the last.
// `statistics`: of the pool, as JSON; empty: not told.
inline std::string onnxruntime_trace(const std::vector<std::vector<TraceNode>>& runs,
                                     const std::string& statistics = "\"\"") {
  std::string text = R"([
{"cat" : "Session","pid" :7,"tid" :7,"dur" :900,"ts" :3,"ph" : "X","name" :"session_initialization","args" : {}})";
  double now = 1000.0;
  for (const auto& run : runs) {
    const double begin = now;
    now += 5.0;
    for (const TraceNode& node : run) {
      text += fmt::format(
          ",\n{{\"cat\" : \"Node\",\"pid\" :7,\"tid\" :7,\"dur\" :{},\"ts\" :{},\"ph\" : \"X\",\"name\" "
          ":\"{}_kernel_time\",\"args\" : "
          "{{\"op_name\" : \"{}\"{}{}}}}}",
          node.us, now, node.name, node.type,
          node.shape.empty() ? "" : fmt::format(",\"output_type_shape\" : [{{\"float\":[{}]}}]", node.shape),
          statistics.empty() ? "" : fmt::format(",\"thread_scheduling_stats\" : {}", statistics));
      now += node.us + 2.0;
    }
    now += 1.0;
    text += fmt::format(
        ",\n{{\"cat\" : \"Session\",\"pid\" :7,\"tid\" :7,\"dur\" :{},\"ts\" :{},\"ph\" : \"X\",\"name\" "
        ":\"model_run\",\"args\" : {{}}}}",
        now - begin, begin);
    now += 50.0;
  }
  return text + "\n]\n";
}

inline std::string onnxruntime_trace(const std::vector<TraceNode>& run,
                                     const std::string& statistics = "\"\"") {
  return onnxruntime_trace(std::vector<std::vector<TraceNode>>{run}, statistics);
}

struct TraceOperation {
  std::string name;
  double start_us = 0.0, us = 0.0;
  std::string dims = {};  // "[[1,3,8,8],[4,3,3,3]]"; empty: not recorded
};

inline std::string pytorch_trace(const std::vector<TraceOperation>& operations,
                                 const std::string& more = {}) {
  std::string text =
      R"({"schemaVersion": 1, "traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}})";
  for (const TraceOperation& op : operations) {
    text += fmt::format(
        ",\n{{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{}\", \"pid\": 1, \"tid\": 1, \"ts\": {}, "
        "\"dur\": {}, \"args\": {{{}}}}}",
        op.name, op.start_us, op.us, op.dims.empty() ? "" : fmt::format("\"Input Dims\": {}", op.dims));
  }
  return text + more + "]}\n";
}

}  // namespace corecast::test
