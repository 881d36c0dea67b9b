// Policy: what a framework makes of a setting. Code, one small file each in sim/policies; its numbers (costs, kernels,
// cuts, how it waits) are data: data/runtimes, where BEHAVIOUR.md names the sources of what is stated here.
//
// A policy answers: whether operators of one inference can overlap, which successor a finishing thread goes on with, and
// what runs when the user sets nothing. What it need not answer is common to all: sequential executors start operators in
// the graph's order; teams are `shared` (one pool of intra_op - 1 workers beside the callers) or `own` (runtime.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan.hpp"
#include "sim/runtime.hpp"
#include "sim/setting.hpp"

namespace corecast::sim {

// What a framework sees of the machine when it chooses by itself. None of them looks at a CPU quota.
struct Shown {
  int cpus = 1;              // logical CPUs in the affinity mask
  int cores = 1;             // physical ones
  int cores_per_domain = 1;  // NUMA domain
};

struct Default {
  int inter_op = 1;
  int intra_op = 1;
  std::string words;   // "intra = physical cores, sequential"
  std::string source;  // where the framework says so
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // False: one operator after the other, whatever is asked.
  [[nodiscard]] virtual bool overlaps(const Runtime& runtime) const { return runtime.inter_op_works; }
  // Why it does not, in the framework's words; empty when it does.
  [[nodiscard]] virtual std::string why_not(const Runtime& runtime) const;
  [[nodiscard]] virtual Keep keep() const { return Keep::none; }
  // Whether `instances` are streams inside of one process, rather than processes.
  [[nodiscard]] virtual bool streams() const { return false; }
  [[nodiscard]] virtual Default defaults(const Runtime& runtime, const Shown& shown) const = 0;
};

// Every policy that a runtime file may name; the order of policy_names().
[[nodiscard]] const Policy& policy_of(const Runtime& runtime);
[[nodiscard]] const std::vector<std::string>& policy_names();

// The six of them; policy.cpp lists them.
[[nodiscard]] const Policy& onnxruntime_policy();
[[nodiscard]] const Policy& pytorch_policy();
[[nodiscard]] const Policy& tensorflow_policy();
[[nodiscard]] const Policy& caffe2_policy();
[[nodiscard]] const Policy& openvino_policy();
[[nodiscard]] const Policy& llama_policy();

}  // namespace corecast::sim
