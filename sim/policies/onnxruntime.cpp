// onnxruntime's CPU provider. Sequential mode: one operator at a time in a fixed order, one intra-op pool, the calling
// thread is one of its threads. Parallel mode (before 1.14): ready operators on the inter-op pool, all of them on one
// intra-op pool; the thread that ends an operator goes on with the first successor that it made ready and queues the
// others. Since 1.14 nodes are grouped in streams by device: a graph that is all on the CPU is one stream.
// Source: onnxruntime/core/framework/parallel_executor.cc (1.13), core/framework/stream_execution_context.cc and
// allocation_planner.cc (1.14 and later).
#include "base/error.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

class Onnxruntime : public Policy {
 public:
  std::string_view name() const override { return "onnxruntime"; }
  Keep keep() const override { return Keep::first; }
  std::string why_not(const Runtime& runtime) const override {
    if (overlaps(runtime)) return {};
    return fmt::format("{} ({}) runs an all-CPU graph one operator after the other", runtime.name,
                       runtime.versions);
  }
  Default defaults(const Runtime& /*runtime*/, const Shown& shown) const override {
    return {1, shown.cores, "intra = physical cores, sequential",
            "onnxruntime.ai, docs/performance/tune-performance/threading: intra_op_num_threads = 0 is one "
            "thread per physical core"};
  }
};

}  // namespace

const Policy& onnxruntime_policy() {
  static const Onnxruntime policy;
  return policy;
}

}  // namespace corecast::sim
