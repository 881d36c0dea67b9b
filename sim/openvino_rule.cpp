#include "sim/openvino_rule.hpp"

#include <algorithm>
#include <limits>

namespace corecast::sim {
namespace {

using graphs::Operator;
using hwmodels::Extension;

constexpr double kLimited = 0.5;

double isa_factor(const hwmodels::Machine& machine) {
  double factor = 0.5;
  for (const auto& peak : machine.groups.front().peaks) {
    switch (peak.extension) {
      case Extension::amx:
        factor = std::max(factor, 4.0);
        break;
      case Extension::vnni:
        factor = std::max(factor, 2.0);
        break;
      case Extension::avx2:
      case Extension::avx512:
        factor = std::max(factor, 1.0);
        break;
      default:
        break;
    }
  }
  return factor;
}

struct Pressure {
  double tolerance = std::numeric_limits<double>::infinity();  // infinite: unknown
  bool all_convolutions_compute = false;
};

bool has_large_window(const Operator& op) {
  return std::any_of(op.window.begin(), op.window.end(), [](std::int64_t side) { return side > 1; });
}

Pressure pressure_of(const graphs::Graph& graph, Bytes l2) {
  Pressure pressure;
  int convolutions = 0, compute_convolutions = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Operator& op = graph.op(OpIndex(i));
    if (op.kernel == KernelClass::recurrent) return {};  // the rule gives up on the whole model
    const bool convolution = op.kernel == KernelClass::conv || op.kernel == KernelClass::conv_1x1 ||
                             op.kernel == KernelClass::conv_depthwise;
    if (convolution) ++convolutions;
    if (convolution && has_large_window(op)) {
      ++compute_convolutions;
      continue;
    }
    if (!convolution && op.kernel != KernelClass::gemm && op.kernel != KernelClass::conv_transposed) continue;
    const Bytes bytes = op.work.activations_read + op.work.written;
    if (bytes > Bytes(0.0)) pressure.tolerance = std::min(pressure.tolerance, l2 / bytes);
  }
  pressure.all_convolutions_compute = convolutions > 0 && compute_convolutions == convolutions;
  return pressure;
}

// 0 stands for "limited by memory".
int preferred_threads(const Pressure& pressure, const hwmodels::Machine& machine) {
  int prefer = 0;
  if (pressure.tolerance == std::numeric_limits<double>::infinity()) {
    prefer = pressure.all_convolutions_compute ? 1 : 0;
  } else if (pressure.tolerance > kLimited / isa_factor(machine)) {
    prefer = 1;
  } else if (pressure.tolerance > kLimited) {
    prefer = 2;
  }
  const bool siblings_everywhere = machine.groups.size() == 1 && machine.groups.front().smt == 2;
  return prefer == 1 && siblings_everywhere ? 2 : prefer;
}

Streams limited_by_memory(int processors, const hwmodels::Machine& machine) {
  const int cores_of_node = std::max(1, machine.cores_per_socket() / machine.domains_per_socket);
  const int n = std::min(processors, cores_of_node);
  int threads = n;
  if (n % 4 == 0) {
    threads = 4;
  } else if (n % 5 == 0) {
    threads = 5;
  } else if (n % 3 == 0) {
    threads = 3;
  } else if (machine.domains() > 1) {
    threads = n > 16 ? 4 : std::max(1, n / 4);
  }
  int streams = std::max(1, processors / threads);
  while (2 * streams <= threads && threads > 1) {
    threads /= 2;
    streams = processors / threads;
  }
  return {streams, threads};
}

}  // namespace

Streams openvino_streams(const graphs::Graph& graph, const Target& target, Objective objective) {
  const auto& machine = target.machine;
  const int processors = target.cpus();
  // Latency: one stream on the physical cores of one socket.
  if (objective == Objective::latency) return {1, std::min(processors, machine.cores_per_socket())};
  Bytes l2{};
  for (const auto& cache : machine.caches) {
    if (cache.level == 2) l2 = cache.size.value / static_cast<double>(std::max(1, cache.shared_by_cores));
  }
  const int prefer = preferred_threads(pressure_of(graph, l2), machine);
  if (prefer == 0) return limited_by_memory(processors, machine);
  const int most = prefer > processors ? std::max(1, processors / 2) : prefer;
  return {(processors + most - 1) / most, most};
}

}  // namespace corecast::sim
