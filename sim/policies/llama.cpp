// llama.cpp's ggml: one team of n threads walks the graph together; every operator ends in a barrier, the small ones too, for
// which all but one thread only wait.
// Source: ggml/src/ggml-cpu/ggml-cpu.c (ggml_graph_compute_thread, ggml_barrier), common/common.cpp
// (common_cpu_get_num_math: default number of threads).
#include "base/error.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

class Llama : public Policy {
 public:
  std::string_view name() const override { return "llama"; }
  bool overlaps(const Runtime& /*runtime*/) const override { return false; }
  std::string why_not(const Runtime& runtime) const override {
    return fmt::format("{} has one team of threads and no inter-op pool", runtime.name);
  }
  Default defaults(const Runtime& /*runtime*/, const Shown& shown) const override {
    return {1, shown.cores, "-t = physical cores", "llama.cpp, common_cpu_get_num_math: physical cores"};
  }
};

}  // namespace

const Policy& llama_policy() {
  static const Llama policy;
  return policy;
}

}  // namespace corecast::sim
