// Knobs: what frameworks call the things that a Setting holds. The one table of these names: advice says what to set with
// it, snippets print it.
//
// Sources: onnxruntime, include/onnxruntime/core/session/onnxruntime_session_options_config_keys.h and the Python API;
// PyTorch, docs "CPU threading" and torch/backends/xeon/run_cpu.py, GNU and LLVM OpenMP manuals; TensorFlow, tf.config
// and config.proto; OpenVINO, runtime/properties.hpp; llama.cpp, common/arg.cpp; Caffe2, net_async_base.cc and
// init_omp.cc; numactl(8).
#pragma once

#include <string>
#include <string_view>

#include "sim/runtime.hpp"
#include "sim/setting.hpp"

namespace corecast::sim {

// Texts hold {n} threads on one operator, {inter} inter-op threads, {i} instances, {total} n x i. Empty: the framework
// has no such knob.
struct Knobs {
  std::string_view framework;
  std::string_view intra;  // names alone
  std::string_view inter;
  std::string_view set_intra;
  std::string_view set_parallel;
  std::string_view set_sequential;
  std::string_view spin_off;
  std::string_view spin_on;
  std::string_view instances;  // how several are had
  std::string_view no_smt;     // keep off second hardware threads
  std::string_view with_smt;
  std::string_view pin_apart;     // each instance on CPUs of its own
  std::string_view cache_memory;  // keep freed blocks
};

// Of "onnxruntime", "pytorch", "tensorflow", "openvino", "llama", "caffe2"; OpenMP's for any other.
[[nodiscard]] const Knobs& knobs_of(std::string_view framework);

// `text` of a table row with the counts of `setting` in it.
[[nodiscard]] std::string knob_text(std::string_view text, const Setting& setting);

// What to set where `from` differs from `to`: "intra_op_num_threads=8, session.intra_op.allow_spinning=0".
[[nodiscard]] std::string remedy(const Runtime& runtime, const Setting& from, const Setting& to);

// The number of threads on one operator alone: "intra_op_num_threads=8".
[[nodiscard]] std::string set_threads(const Runtime& runtime, int threads);

}  // namespace corecast::sim
