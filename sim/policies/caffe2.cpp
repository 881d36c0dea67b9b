// Asynchronous pools as in Caffe2's async_scheduling nets, which the study of threading settings used: p pools, each of n
// threads that work on the operator of their pool. Operators are grouped into chains (one successor, which has no other
// predecessor); a thread follows its chain to the end, and every chain that is ready goes through the queue of the pools.
// Source: caffe2/core/net_async_scheduling.cc, net_dag_utils.cc (chains); Wang et al., Exploiting Parallelism
// Opportunities with Deep Learning Frameworks, ACM TACO 18(1) 9, 2020, sections 3 and 6.
#include "base/error.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

class Caffe2 : public Policy {
 public:
  std::string_view name() const override { return "caffe2"; }
  Keep keep() const override { return Keep::chain; }
  Default defaults(const Runtime& /*runtime*/, const Shown& shown) const override {
    return {shown.cpus, 1, "pools = logical CPUs, one thread each",
            "caffe2/core/net_async_base.cc: a pool size of 0 means one thread for each hardware thread"};
  }
};

}  // namespace

const Policy& caffe2_policy() {
  static const Caffe2 policy;
  return policy;
}

}  // namespace corecast::sim
