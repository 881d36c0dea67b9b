#include "calibration/kernel_names.hpp"

#include <algorithm>

namespace corecast::calibration {
namespace {

std::vector<KernelName> make_names() {
  std::vector<KernelName> names{{Group::peak, "multiply_add", {Unit::flop_per_second}},
                                {Group::peak, "clock", {Unit::hertz}}};
  for (const std::string_view kernel :
       {"read", "write", "write_nt", "copy", "copy_nt", "triad", "triad_nt", "update", "daxpy"}) {
    names.push_back({Group::bandwidth, kernel, {Unit::bytes_per_second}});
  }
  names.push_back({Group::bandwidth, "first_touch", {Unit::seconds}});
  names.push_back({Group::latency, "chase", {Unit::seconds}});
  names.push_back({Group::latency, "loaded", {Unit::seconds}});
  for (const std::string_view kernel : {"barrier_spin", "barrier_sleep", "fork_join_spin", "fork_join_sleep",
                                        "wake_up", "peer_read", "thread_create", "task_queue"}) {
    names.push_back({Group::threads, kernel, {Unit::seconds}});
  }
  for (const std::string_view kernel : kKernelClassNames) {
    names.push_back({Group::kernels, kernel, {Unit::seconds, Unit::flop_per_second}});
  }
  return names;
}

}  // namespace

const std::vector<KernelName>& kernel_names() {
  static const std::vector<KernelName> names = make_names();
  return names;
}

const KernelName* find_kernel(Group group, std::string_view kernel) {
  const auto& names = kernel_names();
  const auto found = std::find_if(names.begin(), names.end(), [&](const KernelName& name) {
    return name.group == group && name.kernel == kernel;
  });
  return found == names.end() ? nullptr : &*found;
}

}  // namespace corecast::calibration
