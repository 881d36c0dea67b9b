// PyTorch, eager and TorchScript: the calling thread runs one operator after the other; each is cut over an OpenMP team,
// of which it is the master. The inter-op pool runs only what the program itself forks (torch.jit.fork) and backward
// passes: a graph without forks never uses it, so any number of inter-op threads gives the same latency.
// Source: aten/src/ATen/ParallelOpenMP.h and .cpp, ParallelThreadPoolNative.cpp; PyTorch documentation, "CPU threading and
// TorchScript inference".
#include "base/error.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

class Pytorch : public Policy {
 public:
  std::string_view name() const override { return "pytorch"; }
  bool overlaps(const Runtime& /*runtime*/) const override { return false; }
  std::string why_not(const Runtime& runtime) const override {
    return fmt::format(
        "{} runs one operator after the other; its inter-op pool runs only what torch.jit.fork starts",
        runtime.name);
  }
  Default defaults(const Runtime& /*runtime*/, const Shown& shown) const override {
    return {
        1, shown.cores, "intra = physical cores in the affinity mask",
        "PyTorch, CPU threading and TorchScript inference: at::get_num_threads() defaults to the number of "
        "CPU cores"};
  }
};

}  // namespace

const Policy& pytorch_policy() {
  static const Pytorch policy;
  return policy;
}

}  // namespace corecast::sim
