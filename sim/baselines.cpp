#include "sim/baselines.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "sim/openvino_rule.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

constexpr const char* kTensorflowDefault =
    "TensorFlow, tf.config.threading and process_util.cc: 0 means the number of logical CPUs, for both pools";

// A rule that names inter-op and intra-op threads, in the knobs of the runtime, literally.
Setting knobs(const Runtime& runtime, std::int64_t batch, int inter_op, int intra_op) {
  Setting setting;
  setting.runtime = runtime.name;
  setting.batch = batch;
  setting.mode = inter_op > 1 ? Mode::parallel : Mode::sequential;
  setting.inter_op = inter_op;
  setting.intra_op = intra_op;
  return setting;
}

std::string inter_op_note(const Runtime& runtime, const Setting& setting) {
  if (setting.mode == Mode::sequential) return "";
  if (!policy_of(runtime).overlaps(runtime)) return "inter-op does nothing here: runs sequentially";
  if (runtime.idle_inter_op_threads > 0) {
    const int at_once = operators_at_once(runtime, setting);
    return fmt::format("runs at most {} operator{} at once", at_once, at_once == 1 ? "" : "s");
  }
  return "";
}

}  // namespace

std::vector<Baseline> baseline_rules(const graphs::Graph& graph, const graphs::Metrics& metrics,
                                     const Target& target, const Runtime& runtime, Objective objective) {
  const auto& machine = target.machine;
  const std::int64_t batch = graph.batch;
  const int cores = machine.cores();
  const int logical = machine.logical_cpus();
  std::vector<Baseline> rules;
  const auto add = [&](std::string name, std::string title, std::string source, Setting setting,
                       std::string note = {}) {
    Baseline rule;
    rule.name = std::move(name);
    rule.title = std::move(title);
    rule.source = std::move(source);
    // All CPUs taken: threads share cores, however they are placed.
    const std::int64_t threads = std::int64_t{computing_threads(runtime, setting)} * setting.instances;
    if (machine.max_smt() > 1 && threads >= logical) setting.smt = true;
    rule.note = note.empty() ? inter_op_note(runtime, setting) : std::move(note);
    rule.setting = std::move(setting);
    rules.push_back(std::move(rule));
  };

  const Default own =
      policy_of(runtime).defaults(runtime, {logical, cores, machine.cores() / machine.domains()});
  add("framework_default", fmt::format("{} default: {}", runtime.framework, own.words), own.source,
      knobs(runtime, batch, own.inter_op, own.intra_op));
  add("all_logical_cpus", "all logical CPUs", "common practice (nproc)", knobs(runtime, batch, 1, logical));
  add("all_physical_cores", "all physical cores", "common practice", knobs(runtime, batch, 1, cores));
  add("one_thread", "one thread", "common practice for many small requests", knobs(runtime, batch, 1, 1));
  add("intel_tensorflow", "Intel for TensorFlow: inter = sockets, intra = cores per socket",
      "Intel, Maximize TensorFlow Performance on CPU: Considerations and Recommendations for Inference "
      "Workloads, 2022",
      knobs(runtime, batch, machine.sockets, machine.cores_per_socket()));
  add("tensorflow_guide", "TensorFlow guide: inter = sockets, intra = cores",
      "TensorFlow, Performance Guide (r1.x), section on Intel MKL: intra_op and OMP threads = physical "
      "cores, inter_op = "
      "sockets",
      knobs(runtime, batch, machine.sockets, cores));
  add("tensorflow_default", "TensorFlow default: inter = intra = logical CPUs", kTensorflowDefault,
      knobs(runtime, batch, logical, logical));

  // The guideline speaks of pools that run: one more thread is asked of a runtime whose caller only waits.
  const int width = std::clamp(static_cast<int>(std::lround(metrics.average_width)), 1, cores);
  Setting study = knobs(runtime, batch, width > 1 ? width + runtime.idle_inter_op_threads : 1,
                        std::max(1, cores / width));
  add("study_guideline",
      fmt::format("study: inter = average width {:.1f}, intra = cores / width", metrics.average_width),
      "Wang et al., Exploiting Parallelism Opportunities with Deep Learning Frameworks, ACM TACO 18(1) 9, "
      "2020",
      study);

  const Streams streams = openvino_streams(graph, target, objective);
  Setting openvino = knobs(runtime, batch, 1, streams.threads_per_stream);
  openvino.instances = streams.streams;
  openvino.smt = machine.max_smt() > 1 &&
                 static_cast<std::int64_t>(streams.streams) * streams.threads_per_stream > cores;
  add("openvino_hint",
      objective == Objective::latency ? "OpenVINO latency hint: one stream on one socket"
                                      : "OpenVINO throughput hint",
      "OpenVINO CPU plugin, cpu_streams_calculation.cpp, 2025", openvino,
      streams.streams > 1 ? "streams as instances" : "");
  return rules;
}

}  // namespace corecast::sim
