#include "sim/knobs.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <vector>

namespace corecast::sim {
namespace {

constexpr std::string_view kOwnCpus =
    "start each process under numactl -C or taskset -c with CPUs of its own";
constexpr std::string_view kOneCpuOfCore = "taskset -c with one CPU of each core";
constexpr std::string_view kAllCpusOfCore = "taskset -c with all CPUs of the same cores";
constexpr std::string_view kPreload = "LD_PRELOAD=libtcmalloc.so.4 or libjemalloc.so.2";

// Read field by field, in the order of Knobs; the last row is OpenMP, for everything unknown.
constexpr std::array<Knobs, 7> kTable{
    {{.framework = "onnxruntime",
      .intra = "intra_op_num_threads",
      .inter = "inter_op_num_threads",
      .set_intra = "intra_op_num_threads={n}",
      .set_parallel = "execution_mode=ORT_PARALLEL, inter_op_num_threads={inter}",
      .set_sequential = "execution_mode=ORT_SEQUENTIAL, inter_op_num_threads=1",
      .spin_off = "session.intra_op.allow_spinning=0",
      .spin_on = "session.intra_op.allow_spinning=1",
      .instances = "{i} processes with intra_op_num_threads={n}",
      .no_smt = kOneCpuOfCore,
      .with_smt = kAllCpusOfCore,
      .pin_apart = "session.intra_op_thread_affinities with other CPUs in each process, or start each under "
                   "numactl -C or taskset -c with CPUs of its own",
      .cache_memory = "enable_cpu_mem_arena=True, LD_PRELOAD=libtcmalloc.so.4 or libjemalloc.so.2"},
     {.framework = "pytorch",
      .intra = "torch.set_num_threads",
      .inter = "torch.set_num_interop_threads",
      .set_intra = "torch.set_num_threads({n}) or OMP_NUM_THREADS={n}",
      .set_parallel = "torch.set_num_interop_threads({inter}), with branches started by torch.jit.fork",
      .set_sequential = "torch.set_num_interop_threads(1)",
      .spin_off = "KMP_BLOCKTIME=0 (libiomp5), OMP_WAIT_POLICY=PASSIVE (libgomp)",
      .spin_on = "KMP_BLOCKTIME=1 (libiomp5), OMP_WAIT_POLICY=ACTIVE (libgomp)",
      .instances = "{i} processes with torch.set_num_threads({n}): python -m torch.backends.xeon.run_cpu "
                   "--ninstances {i} --ncores-per-instance {n}",
      .no_smt = kOneCpuOfCore,
      .with_smt = kAllCpusOfCore,
      .pin_apart = "unset KMP_AFFINITY, OMP_PROC_BIND and GOMP_CPU_AFFINITY, and start each process under "
                   "numactl -C or taskset -c with CPUs of its own",
      .cache_memory = kPreload},
     {.framework = "tensorflow",
      .intra = "intra_op_parallelism_threads",
      .inter = "inter_op_parallelism_threads",
      .set_intra = "intra_op_parallelism_threads={n}",
      .set_parallel = "inter_op_parallelism_threads={inter}",
      .set_sequential = "inter_op_parallelism_threads=1",
      .spin_off = "KMP_BLOCKTIME=0 (builds with OpenMP), experimental.disable_thread_spinning=True",
      .spin_on = "KMP_BLOCKTIME=1 (builds with OpenMP), experimental.disable_thread_spinning=False",
      .instances = "{i} processes with intra_op_parallelism_threads={n}",
      .no_smt = kOneCpuOfCore,
      .with_smt = kAllCpusOfCore,
      .pin_apart = "unset KMP_AFFINITY, and start each process under numactl -C or taskset -c with CPUs of "
                   "its own",
      .cache_memory = kPreload},
     {.framework = "openvino",
      .intra = "INFERENCE_NUM_THREADS",
      .inter = "",
      .set_intra = "INFERENCE_NUM_THREADS={total}",
      .set_parallel = "",
      .set_sequential = "",
      .spin_off = "",
      .spin_on = "",
      .instances = "NUM_STREAMS={i}, INFERENCE_NUM_THREADS={total}, and {i} requests in flight",
      .no_smt = "ENABLE_HYPER_THREADING=False",
      .with_smt = "ENABLE_HYPER_THREADING=True",
      .pin_apart = "ENABLE_CPU_PINNING=False in each process, or start each under numactl -C or taskset -c "
                   "with CPUs of its own",
      .cache_memory = kPreload},
     {.framework = "llama",
      .intra = "-t",
      .inter = "",
      .set_intra = "-t {n} -tb {n}",
      .set_parallel = "",
      .set_sequential = "",
      .spin_off = "--poll 0",
      .spin_on = "--poll 50",
      .instances = "{i} processes with -t {n} -tb {n}",
      .no_smt = "--cpu-range over one CPU of each core, --cpu-strict 1",
      .with_smt = "--cpu-range over all CPUs of the same cores, --cpu-strict 1",
      .pin_apart = "another --cpu-range (or -C mask) in each process",
      .cache_memory = kPreload},
     {.framework = "caffe2",
      .intra = "--caffe2_omp_num_threads",
      .inter = "--caffe2_net_async_thread_pool_size",
      .set_intra = "--caffe2_omp_num_threads={n} --caffe2_mkl_num_threads={n}",
      .set_parallel = "net type async_scheduling, --caffe2_net_async_thread_pool_size={inter}",
      .set_sequential = "net type simple",
      .spin_off = "KMP_BLOCKTIME=0 (libiomp5), OMP_WAIT_POLICY=PASSIVE (libgomp)",
      .spin_on = "KMP_BLOCKTIME=1 (libiomp5), OMP_WAIT_POLICY=ACTIVE (libgomp)",
      .instances = "{i} processes with --caffe2_omp_num_threads={n}",
      .no_smt = kOneCpuOfCore,
      .with_smt = kAllCpusOfCore,
      .pin_apart = kOwnCpus,
      .cache_memory = kPreload},
     {.framework = "",
      .intra = "OMP_NUM_THREADS",
      .inter = "",
      .set_intra = "{n} threads (OMP_NUM_THREADS={n})",
      .set_parallel = "{inter} inter-op threads",
      .set_sequential = "one inter-op thread",
      .spin_off = "OMP_WAIT_POLICY=PASSIVE",
      .spin_on = "OMP_WAIT_POLICY=ACTIVE",
      .instances = "{i} processes with OMP_NUM_THREADS={n}",
      .no_smt = kOneCpuOfCore,
      .with_smt = kAllCpusOfCore,
      .pin_apart = kOwnCpus,
      .cache_memory = kPreload}}};

std::string pool_text(const Knobs& knobs, const Setting& to) {
  return knob_text(to.mode == Mode::parallel ? knobs.set_parallel : knobs.set_sequential, to);
}

std::string spin_text(const Knobs& knobs, const Setting& to) {
  std::string text(to.spin ? knobs.spin_on : knobs.spin_off);
  if (knobs.framework == "onnxruntime" && to.mode == Mode::parallel)
    text += fmt::format(", session.inter_op.allow_spinning={}", to.spin ? 1 : 0);
  return text;
}

}  // namespace

const Knobs& knobs_of(std::string_view framework) {
  if (framework == "torchscript") framework = "pytorch";
  for (const Knobs& knobs : kTable) {
    if (knobs.framework == framework) return knobs;
  }
  return kTable.back();
}

std::string knob_text(std::string_view text, const Setting& setting) {
  return fmt::format(fmt::runtime(text), fmt::arg("n", setting.intra_op), fmt::arg("inter", setting.inter_op),
                     fmt::arg("i", setting.instances),
                     fmt::arg("total", std::int64_t{setting.intra_op} * setting.instances));
}

std::string remedy(const Runtime& runtime, const Setting& from, const Setting& to) {
  const Knobs& knobs = knobs_of(runtime.framework);
  std::vector<std::string> parts;
  const auto add = [&](std::string text) {
    if (!text.empty()) parts.push_back(std::move(text));
  };
  const bool counts = from.instances != to.instances;
  if (counts) add(knob_text(knobs.instances, to));
  if (!counts && from.intra_op != to.intra_op) {
    add(knob_text(knobs.set_intra, to));
    // Builds of TensorFlow with a team of threads for each pool take the size of the team from OpenMP.
    if (runtime.framework == "tensorflow" && runtime.own_teams)
      add(fmt::format("OMP_NUM_THREADS={}", to.intra_op));
  }
  const bool pools = to.mode == Mode::parallel && from.inter_op != to.inter_op;
  if (from.mode != to.mode || pools) add(pool_text(knobs, to));
  if (from.spin != to.spin) add(spin_text(knobs, to));
  if (from.smt != to.smt) add(std::string(to.smt ? knobs.with_smt : knobs.no_smt));
  if (from.pinning != to.pinning && to.pinning == Pinning::distinct) add(std::string(knobs.pin_apart));
  if (from.allocator != to.allocator && to.allocator == Allocator::caching)
    add(std::string(knobs.cache_memory));
  if (from.memory != to.memory)
    add(to.memory == MemoryPolicy::interleave ? "numactl --interleave=all" : "no numactl --interleave");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string set_threads(const Runtime& runtime, int threads) {
  Setting setting;
  setting.intra_op = threads;
  return knob_text(knobs_of(runtime.framework).set_intra, setting);
}

}  // namespace corecast::sim
