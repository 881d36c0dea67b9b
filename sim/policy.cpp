#include "sim/policy.hpp"

#include <array>

#include "base/error.hpp"

namespace corecast::sim {
namespace {

const std::array<const Policy*, 6>& all() {
  static const std::array<const Policy*, 6> policies{&onnxruntime_policy(), &pytorch_policy(),
                                                     &tensorflow_policy(),  &caffe2_policy(),
                                                     &openvino_policy(),    &llama_policy()};
  return policies;
}

}  // namespace

std::string Policy::why_not(const Runtime& runtime) const {
  if (overlaps(runtime)) return {};
  return fmt::format("{} ({}) runs one operator after the other", runtime.name, runtime.versions);
}

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Policy* policy : all()) list.emplace_back(policy->name());
    return list;
  }();
  return names;
}

const Policy& policy_of(const Runtime& runtime) {
  for (const Policy* policy : all()) {
    if (policy->name() == runtime.policy) return *policy;
  }
  CORECAST_CHECK(false, "no policy is called {}", runtime.policy);
}

}  // namespace corecast::sim
