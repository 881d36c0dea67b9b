// TensorFlow: an executor over the inter-op pool. The thread that ends an operator runs the cheap successors itself and the
// last of the expensive ones; the others go to the pool. Below it either one shared intra-op pool (Eigen; oneDNN uses it
// too since 2.5) or, in builds with MKL and OpenMP, a team for each inter-op thread: intra_op_pool says which.
// Leaves out: which operators the executor thinks cheap (it measures them while it runs).
// Source: tensorflow/core/common_runtime/executor.cc (ScheduleReady), process_util.cc (defaults: schedulable CPUs).
#include "base/error.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

class Tensorflow : public Policy {
 public:
  std::string_view name() const override { return "tensorflow"; }
  Keep keep() const override { return Keep::last; }
  Default defaults(const Runtime& runtime, const Shown& shown) const override {
    if (runtime.own_teams) {
      return {2, shown.cores, "inter = 2, OpenMP threads = physical cores",
              "TensorFlow, process_util.cc and threadpool_device.cc of builds with oneDNN and OpenMP: "
              "inter-op = max(2, "
              "CPUs / intra)"};
    }
    return {
        shown.cpus, shown.cpus, "inter = intra = logical CPUs",
        "TensorFlow, tf.config.threading and process_util.cc: 0 means the number of logical CPUs, for both "
        "pools"};
  }
};

}  // namespace

const Policy& tensorflow_policy() {
  static const Tensorflow policy;
  return policy;
}

}  // namespace corecast::sim
