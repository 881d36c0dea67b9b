// Trace: the events of a profiler's Chrome trace that tell of operators and runs.
//
// Read are complete events ("ph": "X") of
//   onnxruntime   category "Node", "<node>_kernel_time", and "Session", "model_run"
//   PyTorch       operators ("aten::..." or category "cpu_op") and "ProfilerStep#n"
// either in an array, as onnxruntime and PyTorch without Kineto write them, or below "traceEvents". All else is passed over.
// The text is read event by event, so memory goes by the events, not by their arguments. What a program leaves behind
// that was stopped while it wrote is read up to its last whole event, and `cut_short` says so.
//
// InputError (file, event, what is missing): no JSON, no list of events, compressed, an operator's event without a time,
// or longer than 512 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corecast::calibration::profile {

using Shape = std::vector<std::int64_t>;

inline constexpr std::size_t kMostTraceBytes = std::size_t{512} << 20U;

enum class EventKind { node, run, operation, step };

struct Event {
  EventKind kind = EventKind::node;
  std::string name;     // without "_kernel_time"
  std::string type;     // of a node: "Conv"; of an operation: "aten::conv2d"
  std::string process;  // as written: a number or a text
  std::string thread;
  double start_us = 0.0;
  double length_us = 0.0;
  std::optional<Shape> output;  // of the first output
  std::vector<Shape> inputs;    // empty when not recorded
  std::optional<int> node_index;
  std::optional<int> intra_op;  // threads of the pool, the caller included, where the event tells

  [[nodiscard]] double end_us() const { return start_us + length_us; }
};

struct Trace {
  std::string file;
  std::vector<Event> events;  // in the order of the file
  std::size_t others = 0;     // events that were passed over
  bool cut_short = false;
};

[[nodiscard]] Trace read_trace(const std::filesystem::path& path);
[[nodiscard]] Trace parse_trace(std::string_view text, std::string file);

}  // namespace corecast::calibration::profile
