// Runtime: the model of a framework: how it schedules operators, how it cuts them into tasks, what dispatch,
// fork and join cost, and which fraction of the machine's roofline each kernel class reaches. The policy is
// code (planner.cpp, partition.cpp); its numbers are data (data/runtimes/*.json, schema corecast.runtime/1),
// each with its origin.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/kernel_class.hpp"
#include "base/quantity.hpp"
#include "graphs/blocked_layout.hpp"
#include "graphs/fusion.hpp"
#include "hwmodels/machine.hpp"
#include "sim/setting.hpp"

namespace corecast::sim {

using hwmodels::Value;

// How a kernel is cut into parts for T threads; see partition.hpp for the equations.
enum class Cut {
  whole,     // never cut: one thread
  nchwc,     // blocked convolution and pooling: always T parts of output rows times filter blocks
  gemm,      // matrix product: parts by multiplications, capped
  elements,  // by a cost model: not cut below a number of cycles
  rows,      // by rows, at most one part a row
  grain,     // at most one part for each `grain_elements` elements
  team,      // always all T threads, however small the operator
};

// A product of at least `rows` rows on an odd number of threads: packing.hpp.
struct OddTeam {
  std::int64_t rows = 1;
  double cycles_per_byte = 0.0;  // 0: odd numbers are like even ones
  friend bool operator==(const OddTeam&, const OddTeam&) = default;
};

struct KernelModel {
  Cut cut = Cut::whole;
  Value<double> efficiency;  // eta_inf: of the peak, large shapes, one thread
  double m_half = 0.0;       // eta = eta_inf m/(m+m_half) n/(n+n_half) k/(k+k_half)
  double n_half = 0.0;
  double k_half = 0.0;
  double unpacked = 1.0;              // of the efficiency, where both sides of a product are activations
  double pack_cycles_per_byte = 0.0;  // of weights, in every call: packing.hpp
  OddTeam odd_team;
  Value<double> memory_efficiency;         // of the machine's bandwidth at each level
  std::optional<double> smoothing;         // p of its own roofline; else the runtime's
  std::optional<Value<Seconds>> dispatch;  // of its own; else the runtime\'s
  double forks = 1.0;                      // parallel regions of one call
  double fresh_blocks =
      1.0;  // blocks of the output's size that a call takes from the allocator (page_faults.hpp)
  friend bool operator==(const KernelModel&, const KernelModel&) = default;
};

struct Cutting {
  double gemm_multiplications_per_part = 65536.0;
  int gemm_max_parts = 16;
  int gemm_columns = 16;        // columns a part is rounded to
  int nchwc_filter_blocks = 4;  // blocks of channels in one unit
  double element_cycles_per_byte = 11.0 / 64.0;
  double element_cycles_to_cut = 210000.0;    // below: one thread
  double element_cycles_per_block = 40000.0;  // and no more threads than such blocks
  double row_elements_per_part = 16384.0;
  double grain_elements = 32768.0;
  friend bool operator==(const Cutting&, const Cutting&) = default;
};

// How threads that have nothing to do wait.
struct Wait {
  bool spins = true;  // before they sleep; false: they sleep at once
  // Whether they still do when their own process has more threads than CPUs. OpenMP, and pools that yield while they
  // spin, do not.
  bool spins_when_oversubscribed = true;
  // Whether a thread that spins gives its CPU to any thread that has work: then no more than its share is lost.
  bool yields = false;
  Value<Seconds> spin_time{Seconds(1e-3), 0.0, hwmodels::Origin::prior, ""};  // then they sleep
  friend bool operator==(const Wait&, const Wait&) = default;
};

// What a profile told of one operator of one model: its kernel takes `factor` times what the closed forms say, arithmetic
// and memory alike, on any number of threads; `serial` is what the caller does alone beside it (copies between layouts).
struct OperatorFactor {
  double factor = 1.0;
  Seconds serial{};
  double relative_error =
      0.0;  // standard error of the operator's time at another setting than the profile's, over that
  friend bool operator==(const OperatorFactor&, const OperatorFactor&) = default;
};

struct Runtime {
  std::string name;       // "onnxruntime"
  std::string framework;  // "onnxruntime", whose snippet is printed
  std::string description;
  std::string versions;                // "1.14 and later"
  std::string policy = "onnxruntime";  // policy.hpp
  bool inter_op_works = true;  // false: an all-CPU graph runs one operator after the other, whatever is asked
  // onnxruntime's parallel executor: the caller only waits, so inter_op = N runs N - 1 operators at once.
  int idle_inter_op_threads = 1;
  // In the parallel mode no buffer is used twice within a call: every output has its own.
  bool parallel_keeps_outputs = false;
  // False: all operators that run at once share one intra-op pool. True: each has a team of intra_op threads of its own
  // (oneDNN with OpenMP below an inter-op pool; the asynchronous pools of Caffe2).
  bool own_teams = false;
  // Types with kernels of their own; arithmetic in any other type runs as fp32, but fp64 and int64 as what they are.
  std::vector<DataType> native_types{DataType::fp32};
  std::vector<graphs::FusionRule> fusion;
  graphs::BlockedLayout blocked_layout;  // operators that keep images in blocks of channels; none by default
  std::map<KernelClass, KernelModel> kernels;  // one for every class
  std::map<std::string, KernelModel>
      operators;  // operator types whose kernel is unlike its class, e.g. "LRN"; the longest "A+B" that begins the type
  // Who does the parts of an operator. False: any thread claims the next one, so a late thread is not waited for. True: every
  // thread has its own (OpenMP): all wait for the last.
  bool static_parts = false;
  // "onednn": the library whose kernels it calls, as Machine::kernels names it; empty: kernels of its own.
  std::string library;
  // Of the library, as measured on the machine in use: with_kernels_of() fills it. It stands before `kernels`.
  std::map<std::pair<KernelClass, DataType>, KernelModel> library_kernels;
  Cutting cutting;
  Wait wait;
  Allocator allocator = Allocator::caching;  // what it does with memory by itself: `system` or `caching`
  Value<Seconds> run;                        // per call of the model: one input, session, outputs
  Value<Seconds> run_per_input;              // for each input beyond the first
  Value<Seconds> dispatch;                   // per operator, on the calling thread
  Value<Seconds> fork;  // per fork on top of the machine's barrier: queueing and claiming tasks
  Value<Seconds> fork_per_thread;
  Value<Seconds>
      dispatch_parallel;  // more than that in the parallel mode: every operator is a task of the inter-op pool
  Value<Seconds> hand_over;  // from a finished operator to a successor on another inter-op thread
  Value<double> smoothing;   // p of the roofline
  // By the name of a prepared operator; none without a profile of the model (calibration/profile).
  std::map<std::string, OperatorFactor, std::less<>> operator_factors;
  friend bool operator==(const Runtime&, const Runtime&) = default;

  // The operator's own model when there is one, else the library's, else its class's. "Conv+Relu" counts as "Conv".
  [[nodiscard]] const KernelModel& model_of(const graphs::Operator& op) const;
  // What a profile told of it; null without one.
  [[nodiscard]] const OperatorFactor* factor_of(const graphs::Operator& op) const;
  // The type that arithmetic of `type` is done in.
  [[nodiscard]] DataType run_as(DataType type) const;
};

// `runtime` with the kernels of its library that a calibration of `machine` has measured; those that it has not stay as
// they are. How work is cut remains the runtime's.
[[nodiscard]] Runtime with_kernels_of(Runtime runtime, const hwmodels::Machine& machine);

// `known`: runtimes that "extends" may name: everything is as in that one unless the file says otherwise; entries of
// kernels, operators, cutting, costs and wait are taken over one by one.
[[nodiscard]] Runtime parse_runtime_json(std::string_view text, const std::string& file,
                                         const std::vector<Runtime>& known = {});
// All runtimes under data/runtimes, sorted by name.
[[nodiscard]] std::vector<Runtime> read_runtimes(const std::filesystem::path& directory);
// By name; InputError with the nearest name and the list of known ones.
[[nodiscard]] Runtime find_runtime(const std::vector<Runtime>& runtimes, std::string_view name);

}  // namespace corecast::sim
