// OpenVINO's CPU plugin: streams, each of which runs whole inferences, operator after operator, in an arena of its own.
// `instances` are its streams (NUM_STREAMS) and intra_op their threads (INFERENCE_NUM_THREADS / NUM_STREAMS).
// Source: src/plugins/intel_cpu/src/cpu_streams_calculation.cpp; docs, CPU device, "performance hints".
#include "base/error.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

class Openvino : public Policy {
 public:
  std::string_view name() const override { return "openvino"; }
  bool overlaps(const Runtime& /*runtime*/) const override { return false; }
  std::string why_not(const Runtime& runtime) const override {
    return fmt::format("{} has no inter-op pool: a stream runs one operator after the other", runtime.name);
  }
  bool streams() const override { return true; }
  Default defaults(const Runtime& /*runtime*/, const Shown& shown) const override {
    return {1, shown.cores_per_domain, "latency hint: one stream on the cores of one NUMA domain",
            "OpenVINO, Performance Hints; CPU plugin, cpu_map_scheduling.cpp, 2025"};
  }
};

}  // namespace

const Policy& openvino_policy() {
  static const Openvino policy;
  return policy;
}

}  // namespace corecast::sim
