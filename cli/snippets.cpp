#include "cli/snippets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/launch.hpp"
#include "sim/knobs.hpp"

namespace corecast::cli {
namespace {

// A string literal of Python and JavaScript.
std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// Says on which runtime the forecast was made, where it is another one's words that follow.
std::string origin_note(const SnippetRequest& request, const std::string& framework,
                        const char* comment = "#") {
  if (request.framework == framework) return "";
  return fmt::format(
      "{0} The forecast was made for {1}; this is the same setting\n{0} in other words, not a forecast.\n",
      comment, request.runtime);
}

std::string each_instance(const SnippetRequest& request, const char* comment = "#") {
  if (request.setting.instances == 1) return "";
  return fmt::format("{} In each of the {} processes.\n", comment, request.setting.instances);
}

// onnxruntime's caller only waits in parallel mode: N inter-op threads run N - 1 operators.
int onnxruntime_inter_op(const SnippetRequest& request) {
  if (request.framework == "onnxruntime")
    return request.setting.mode == sim::Mode::parallel ? request.setting.inter_op : 1;
  return request.at_once > 1 ? request.at_once + 1 : 1;
}

bool onnxruntime_parallel(const SnippetRequest& request) {
  return onnxruntime_inter_op(request) > 1;
}

// 1-based, one group for each pool thread: the calling thread, which takes the first CPU, has none. Only for
// one sequential session whose threads all have a CPU of their own.
std::string affinities(const SnippetRequest& request) {
  const sim::Setting& setting = request.setting;
  if (!request.host || setting.instances != 1 || onnxruntime_parallel(request) || setting.intra_op < 2)
    return "";
  if (request.cpus.size() != 1 || request.cpus[0].cpus.size() != static_cast<std::size_t>(setting.intra_op))
    return "";
  std::vector<int> numbers;
  for (std::size_t i = 1; i < request.cpus[0].cpus.size(); ++i)
    numbers.push_back(request.cpus[0].cpus[i] + 1);
  return fmt::format("{}", fmt::join(numbers, ";"));
}

// Adjacent literals, a line each, that end the call begun above them.
std::string commented_literal(const std::string& text) {
  constexpr std::size_t kPiece = 40;
  std::string out;
  for (std::size_t begin = 0; begin < text.size(); begin += kPiece) {
    out += fmt::format("{}#     \"{}\"", begin == 0 ? "" : "\n", text.substr(begin, kPiece));
  }
  return out + ")\n";
}

std::string onnxruntime(const SnippetRequest& request) {
  const sim::Setting& setting = request.setting;
  const bool parallel = onnxruntime_parallel(request);
  const char* spin = setting.spin ? "1" : "0";
  std::string text = origin_note(request, "onnxruntime") + each_instance(request);
  text += "import onnxruntime as ort\n\noptions = ort.SessionOptions()\n";
  const sim::Knobs& knobs = sim::knobs_of("onnxruntime");
  text += fmt::format("options.{} = {}\n", knobs.intra, setting.intra_op);
  text += fmt::format("options.{} = {}\n", knobs.inter, onnxruntime_inter_op(request));
  text += fmt::format("options.execution_mode = ort.ExecutionMode.{}\n",
                      parallel ? "ORT_PARALLEL" : "ORT_SEQUENTIAL");
  text +=
      fmt::format("options.add_session_config_entry(\"session.intra_op.allow_spinning\", \"{}\")\n", spin);
  if (parallel)
    text +=
        fmt::format("options.add_session_config_entry(\"session.inter_op.allow_spinning\", \"{}\")\n", spin);
  if (const std::string groups = affinities(request); !groups.empty()) {
    text += "# Optional: a CPU for each pool thread (numbers from 1; the caller has none).\n";
    text += "# options.add_session_config_entry(\"session.intra_op_thread_affinities\",\n";
    text += commented_literal(groups);
  }
  text += fmt::format("session = ort.InferenceSession({}, options,\n", literal(request.model));
  return text + "                               providers=[\"CPUExecutionProvider\"])\n";
}

std::string onnxruntime_node(const SnippetRequest& request) {
  const bool parallel = onnxruntime_parallel(request);
  const char* spin = request.setting.spin ? "1" : "0";
  std::string text = origin_note(request, "onnxruntime", "//") + each_instance(request, "//");
  text += "// An ES module: save as serve.mjs.\nimport * as ort from \"onnxruntime-node\";\n\n";
  text += fmt::format("const session = await ort.InferenceSession.create({}, {{\n", literal(request.model));
  text += "  executionProviders: [\"cpu\"],\n";
  text += fmt::format("  intraOpNumThreads: {},\n  interOpNumThreads: {},\n  executionMode: \"{}\",\n",
                      request.setting.intra_op, onnxruntime_inter_op(request),
                      parallel ? "parallel" : "sequential");
  text += "  extra: { session: {\n";
  text += fmt::format("    intra_op: {{ allow_spinning: \"{}\" }},\n", spin);
  if (parallel) text += fmt::format("    inter_op: {{ allow_spinning: \"{}\" }},\n", spin);
  return text + "  } },\n});\n";
}

std::string pytorch(const SnippetRequest& request) {
  std::string text = origin_note(request, "pytorch") + each_instance(request);
  const sim::Knobs& knobs = sim::knobs_of("pytorch");
  text += fmt::format("import torch\n\n{}({})\n", knobs.intra, request.setting.intra_op);
  text += fmt::format("{}({})  # once, before any work\n", knobs.inter, request.at_once);
  if (request.at_once > 1)
    text += "# Eager inference runs one operator at a time: only torch.jit.fork\n# overlaps branches.\n";
  return text;
}

std::string tensorflow(const SnippetRequest& request) {
  std::string text = origin_note(request, "tensorflow") + each_instance(request);
  text += "import tensorflow as tf\n\n# Before the first operator runs.\n";
  const sim::Knobs& knobs = sim::knobs_of("tensorflow");
  text += fmt::format("tf.config.threading.set_{}({})\n", knobs.intra, request.setting.intra_op);
  return text + fmt::format("tf.config.threading.set_{}({})\n", knobs.inter, request.at_once);
}

// Instances are streams of one process here; within a stream operators run one after the other.
std::string openvino(const SnippetRequest& request) {
  const sim::Setting& setting = request.setting;
  const std::int64_t threads = std::int64_t{setting.instances} * (setting.intra_op + request.at_once - 1);
  std::string text = origin_note(request, "openvino");
  text += "import openvino as ov\n\n";
  text += fmt::format("compiled = ov.Core().compile_model({}, \"CPU\", {{\n", literal(request.model));
  text += fmt::format("    \"{}\": {},  # of all streams\n", sim::knobs_of("openvino").intra, threads);
  text += fmt::format("    \"NUM_STREAMS\": {},\n", setting.instances);
  text += fmt::format("    \"ENABLE_HYPER_THREADING\": {},\n", setting.smt ? "True" : "False");
  text += "    \"ENABLE_CPU_PINNING\": True,\n})\n";
  if (setting.instances > 1) {
    text += fmt::format("# One process; keep {} requests in flight.\n", setting.instances);
  }
  return text;
}

std::string llama(const SnippetRequest& request) {
  const sim::Setting& setting = request.setting;
  std::string text = origin_note(request, "llama") + each_instance(request);
  const sim::Knobs& knobs = sim::knobs_of("llama");
  text += fmt::format("llama-server -m model.gguf {} {}", sim::knob_text(knobs.set_intra, setting),
                      setting.spin ? knobs.spin_on : knobs.spin_off);
  if (request.domains > 1) text += " --numa numactl";
  return text + "\n";
}

// Caffe2 reads its flags when the program hands it its command line (GlobalInit).
std::string caffe2(const SnippetRequest& request) {
  const bool parallel = request.at_once > 1;
  std::string text = origin_note(request, "caffe2") + each_instance(request);
  text += "from caffe2.python import workspace\n\nworkspace.GlobalInit([\"caffe2\",\n";
  text += fmt::format("    \"--caffe2_omp_num_threads={0}\", \"--caffe2_mkl_num_threads={0}\",\n",
                      request.setting.intra_op);
  text += fmt::format("    \"--caffe2_net_async_thread_pool_size={}\"])\n", request.at_once);
  return text + fmt::format("net.Proto().type = \"{}\"\n", parallel ? "async_scheduling" : "simple");
}

std::string environment(const SnippetRequest& request) {
  const sim::Setting& setting = request.setting;
  std::string text = origin_note(request, "env");
  text += "# PyTorch and other OpenMP programs; onnxruntime ignores these.\n";
  text += fmt::format("export OMP_NUM_THREADS={0}\nexport MKL_NUM_THREADS={0}\n", setting.intra_op);
  if (!setting.spin) text += "export OMP_WAIT_POLICY=PASSIVE\n";
  text += "# TensorFlow.\n";
  return text + fmt::format("export TF_NUM_INTRAOP_THREADS={}\nexport TF_NUM_INTEROP_THREADS={}\n",
                            setting.intra_op, request.at_once);
}

}  // namespace

std::vector<Snippet> snippets(const SnippetRequest& request) {
  return {{"onnxruntime", onnxruntime(request)},
          {"onnxruntime_node", onnxruntime_node(request)},
          {"pytorch", pytorch(request)},
          {"tensorflow", tensorflow(request)},
          {"openvino", openvino(request)},
          {"llama", llama(request)},
          {"caffe2", caffe2(request)},
          {"env", environment(request)},
          {"launch", launch_text(request.cpus, request.domains, request.host)}};
}

const std::vector<std::string>& snippet_choices() {
  static const std::vector<std::string> choices{"all",      "onnxruntime", "pytorch", "tensorflow",
                                                "openvino", "llama",       "caffe2",  "env"};
  return choices;
}

bool is_chosen(const std::string& name, const std::string& choice, const std::string& framework) {
  if (choice == "all" || name == "launch") return true;
  if (name == "onnxruntime_node") return choice == "onnxruntime";  // asked for by name: both bindings
  return name == (choice.empty() ? framework : choice);
}

}  // namespace corecast::cli
