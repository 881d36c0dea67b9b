#include "sim/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace corecast::sim {
namespace {

// A JSON string; broken UTF-8 becomes U+FFFD.
std::string text(std::string_view raw) {
  return nlohmann::json(raw).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Microseconds with picosecond digits: 1500000 ps is 1.500000.
std::string microseconds(Picoseconds t) {
  return fmt::format("{}.{:06}", t / 1'000'000, t % 1'000'000);
}

// Shortest text that reads back alike; whole numbers without a point.
std::string number(double x) {
  return fmt::format("{}", x);
}

class Writer {
 public:
  explicit Writer(const TraceInfo& info) {
    fmt::format_to(
        std::back_inserter(out_),
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"model\":{},\"machine\":{},\"setting\":{}}},\n"
        "\"traceEvents\":[",
        text(info.model), text(info.machine), text(info.setting));
  }

  void metadata(std::string_view name, int thread, std::string_view arguments) {
    event(fmt::format("{{\"name\":\"{}\",\"ph\":\"M\",\"ts\":0,\"pid\":1,\"tid\":{},\"args\":{{{}}}}}", name,
                      thread, arguments));
  }

  void span(std::string_view name, std::string_view category, const Span& span, int slot,
            std::string_view arguments) {
    event(
        fmt::format("{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":1,\"tid\":{},"
                    "\"args\":{{{}}}}}",
                    text(name), category, microseconds(span.start), microseconds(span.end - span.start), slot,
                    arguments));
  }

  void counter(std::string_view name, Picoseconds at, int value) {
    event(fmt::format(
        "{{\"name\":\"{}\",\"ph\":\"C\",\"ts\":{},\"pid\":1,\"tid\":0,\"args\":{{\"threads\":{}}}}}", name,
        microseconds(at), value));
  }

  std::string finish() {
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  void event(std::string_view json) {
    out_ += first_ ? "\n" : ",\n";
    out_ += json;
    first_ = false;
  }

  std::string out_;
  bool first_ = true;
};

void write_tracks(Writer& writer, const Plan& plan, const TraceInfo& info) {
  writer.metadata(
      "process_name", 0,
      fmt::format("\"name\":{}", text(fmt::format("{} on {}, {}", info.model, info.machine, info.setting))));
  for (int slot = 0; slot < plan.executor.slots; ++slot) {
    writer.metadata("thread_name", slot, fmt::format("\"name\":\"slot {}\"", slot));
    writer.metadata("thread_sort_index", slot, fmt::format("\"sort_index\":{}", slot));
  }
}

// The operator before its phases: of slices that start together the outer one must come first.
void write_run(Writer& writer, const Run& run, const graphs::Operator& op, const OperatorPlan& planned) {
  const std::string arguments = fmt::format(
      R"("type":{},"class":"{}","threads":{},"bound":"{}","limited_by":{},"flop":{},"bytes":{},"ready_us":{})",
      text(op.type), name_of(op.kernel), run.threads, name_of(planned.bound), text(run.limited_by),
      number(op.work.flops.value()), number(op.work.traffic().value()), microseconds(run.ready));
  writer.span(op.name, name_of(op.kernel), {PhaseKind::dispatch, run.start, run.end}, run.slot, arguments);
  for (const Span& span : run.spans) writer.span(name_of(span.kind), "phase", span, run.slot, "");
}

// Threads at work: all that the running phases want, but no more than their callers and the shared workers.
void write_busy_threads(Writer& writer, const Timeline& timeline, const Plan& plan) {
  struct Change {
    Picoseconds at;
    int wanted;
    int callers;
  };
  std::vector<Change> changes;
  for (const Run& run : timeline.runs) {
    for (const Span& span : run.spans) {
      const int wanted = span.kind >= PhaseKind::fork_join ? run.threads : 1;
      changes.push_back({span.start, wanted, 1});
      changes.push_back({span.end, -wanted, -1});
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.at < b.at; });
  int wanted = 0;
  int callers = 0;
  int shown = -1;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    wanted += changes[i].wanted;
    callers += changes[i].callers;
    if (i + 1 < changes.size() && changes[i + 1].at == changes[i].at) continue;
    const int busy = std::min(wanted, callers + plan.executor.shared_workers);
    if (busy != shown) writer.counter("busy threads", changes[i].at, busy);
    shown = busy;
  }
}

}  // namespace

std::string chrome_trace(const Timeline& timeline, const graphs::Graph& graph, const Plan& plan,
                         const TraceInfo& info) {
  Writer writer(info);
  write_tracks(writer, plan, info);
  for (const Run& run : timeline.runs) {
    write_run(writer, run, graph.op(run.op), plan.operators[run.op.value()]);
  }
  write_busy_threads(writer, timeline, plan);
  return writer.finish();
}

}  // namespace corecast::sim
