#include "tests/support/timeline_text.hpp"

#include <fmt/format.h>

namespace corecast::test {

std::string text_of(const sim::Timeline& timeline, const graphs::Graph& graph) {
  std::string out;
  for (const sim::Run& run : timeline.runs) {
    out += fmt::format("{}..{} slot {} {}, {} threads, ready {}:", run.start, run.end, run.slot,
                       graph.op(run.op).name, run.threads, run.ready);
    for (std::size_t i = 0; i < run.spans.size(); ++i) {
      const sim::Span& span = run.spans[i];
      out += fmt::format("{} {} {}..{}", i == 0 ? "" : ",", name_of(span.kind), span.start, span.end);
    }
    out += fmt::format("{}; {}\n", run.spans.empty() ? " no work" : "", run.limited_by);
  }
  const sim::TimeShare& share = timeline.share;
  out += fmt::format(
      "makespan {}, {} events; compute {:.6f}, memory {:.6f}, overhead {:.6f}, wait {:.6f}, idle {:.6f}\n",
      timeline.makespan, timeline.events, share.compute, share.memory, share.overhead, share.wait,
      share.idle);
  return out;
}

}  // namespace corecast::test
