#include "cli/snippets.hpp"

#include <doctest/doctest.h>

#include "cli/cpu_numbers.hpp"
#include "cli/launch.hpp"
#include "hwmodels/machine_json.hpp"
#include "tests/cli/process.hpp"

namespace corecast::cli {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

SnippetRequest request(int intra_op) {
  SnippetRequest r;
  r.setting.intra_op = intra_op;
  r.model = "m.onnx";
  r.runtime = r.framework = "onnxruntime";
  return r;
}

std::string snippet(const SnippetRequest& r, const std::string& name) {
  for (const Snippet& s : snippets(r)) {
    if (s.name == name) return s.text;
  }
  return "";
}

// Two sockets of four cores with two threads each: CPUs 0..3 and 4..7 are the cores, 8..15 their second
// threads.
MachineInput two_sockets() {
  MachineInput input;
  input.machine = hwmodels::read_machine(test::data("machines/two-sockets.json"));
  input.target.machine = input.machine;
  return input;
}

sim::Runtime runtime(bool inter_op_works) {
  sim::Runtime r;
  r.inter_op_works = inter_op_works;
  r.idle_inter_op_threads = 1;
  return r;
}

TEST_CASE("onnxruntime's snippet sets everything by its own names") {
  SnippetRequest r = request(4);
  CHECK(snippet(r, "onnxruntime") ==
        "import onnxruntime as ort\n\n"
        "options = ort.SessionOptions()\n"
        "options.intra_op_num_threads = 4\n"
        "options.inter_op_num_threads = 1\n"
        "options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL\n"
        "options.add_session_config_entry(\"session.intra_op.allow_spinning\", \"1\")\n"
        "session = ort.InferenceSession(\"m.onnx\", options,\n"
        "                               providers=[\"CPUExecutionProvider\"])\n");
  r.setting.mode = sim::Mode::parallel;
  r.setting.inter_op = 3;
  r.setting.spin = false;
  CHECK(has(snippet(r, "onnxruntime"), "inter_op_num_threads = 3\n"));
  CHECK(has(snippet(r, "onnxruntime"), "ORT_PARALLEL"));
  CHECK(has(snippet(r, "onnxruntime"), "\"session.inter_op.allow_spinning\", \"0\""));
  CHECK(has(snippet(r, "onnxruntime_node"),
            "intraOpNumThreads: 4,\n  interOpNumThreads: 3,\n  executionMode: \"parallel\""));
}

TEST_CASE(
    "affinities are offered for one sequential session on this host: intra - 1 groups, numbered from 1") {
  SnippetRequest r = request(3);
  r.cpus = {{{0, 2, 5}, {0}}};
  CHECK_FALSE(
      has(snippet(r, "onnxruntime"), "intra_op_thread_affinities"));  // another machine's numbers are a guess
  r.host = true;
  CHECK(has(snippet(r, "onnxruntime"), "\"3;6\""));
  r.setting.instances = 2;
  CHECK_FALSE(has(snippet(r, "onnxruntime"), "intra_op_thread_affinities"));
  r = request(1);
  r.host = true;
  r.cpus = {{{0}, {0}}};
  CHECK_FALSE(has(snippet(r, "onnxruntime"), "intra_op_thread_affinities"));
}

TEST_CASE("a file name cannot break out of its literal") {
  SnippetRequest r = request(1);
  r.model = "a\"b\\c\n.onnx";
  CHECK(has(snippet(r, "onnxruntime"), "(\"a\\\"b\\\\c\\x0a.onnx\""));
}

TEST_CASE("the other frameworks get the operators that run at once, and the word that it is no forecast") {
  SnippetRequest r = request(4);
  r.setting.mode = sim::Mode::parallel;
  r.setting.inter_op = 3;
  r.at_once = 2;  // onnxruntime's caller only waits
  CHECK(has(snippet(r, "tensorflow"), "set_inter_op_parallelism_threads(2)"));
  CHECK(has(snippet(r, "tensorflow"), "set_intra_op_parallelism_threads(4)"));
  CHECK(has(snippet(r, "pytorch"), "torch.set_num_threads(4)\ntorch.set_num_interop_threads(2)"));
  CHECK(has(snippet(r, "env"), "export OMP_NUM_THREADS=4\n"));
  CHECK(has(snippet(r, "env"), "export TF_NUM_INTEROP_THREADS=2\n"));
  for (const std::string name : {"pytorch", "tensorflow", "openvino", "env"}) {
    CHECK(has(snippet(r, name), "made for onnxruntime;"));
    CHECK(has(snippet(r, name), "not a forecast"));
  }
  CHECK_FALSE(has(snippet(r, "onnxruntime"), "not a forecast"));
}

TEST_CASE("OpenVINO counts the threads of all its streams") {
  SnippetRequest r = request(4);
  r.setting.instances = 3;
  CHECK(has(snippet(r, "openvino"), "\"INFERENCE_NUM_THREADS\": 12,"));
  CHECK(has(snippet(r, "openvino"), "\"NUM_STREAMS\": 3,"));
}

TEST_CASE("the text report shows the snippets asked for, and always how to start") {
  CHECK(is_chosen("onnxruntime", "", "onnxruntime"));
  CHECK_FALSE(is_chosen("onnxruntime_node", "", "onnxruntime"));
  CHECK(is_chosen("onnxruntime_node", "onnxruntime", "onnxruntime"));
  CHECK_FALSE(is_chosen("pytorch", "", "onnxruntime"));
  CHECK(is_chosen("pytorch", "pytorch", "onnxruntime"));
  CHECK(is_chosen("env", "all", "onnxruntime"));
  CHECK(is_chosen("launch", "pytorch", "onnxruntime"));
}

TEST_CASE("instances get CPUs of their own, in the simulator's order") {
  const MachineInput machine = two_sockets();
  sim::Setting setting;
  setting.intra_op = 4;
  setting.instances = 2;
  using List = std::vector<InstanceCpus>;
  CHECK(instance_cpus(machine, runtime(false), setting) == List{{{0, 1, 2, 3}, {0}}, {{4, 5, 6, 7}, {1}}});
  setting.smt = true;  // two cores with both their threads
  CHECK(instance_cpus(machine, runtime(false), setting) == List{{{0, 1, 8, 9}, {0}}, {{2, 3, 10, 11}, {0}}});
  setting.smt = false;
  setting.instances = 1;
  setting.placement = sim::Placement::scatter;  // the sockets take turns
  CHECK(instance_cpus(machine, runtime(false), setting) == List{{{0, 1, 4, 5}, {0, 1}}});
  setting.intra_op = 17;  // more than there are
  CHECK(instance_cpus(machine, runtime(false), setting).empty());
}

TEST_CASE("a parallel session has a CPU for each operator's caller and each worker") {
  sim::Setting setting;
  setting.mode = sim::Mode::parallel;
  setting.inter_op = 3;
  setting.intra_op = 2;
  CHECK(operators_at_once(runtime(true), setting) == 2);
  CHECK(instance_cpus(two_sockets(), runtime(true), setting).at(0).cpus == std::vector<int>{0, 1, 2});
  CHECK(operators_at_once(runtime(false), setting) == 1);
}

TEST_CASE("on the host the CPUs are granted ones") {
  MachineInput machine = two_sockets();
  machine.host.emplace();
  machine.host->machine = machine.machine;
  const auto all = hwmodels::cpus_of(machine.machine);
  // A host that numbers both threads of a core one after the other: 0 and 1 are core 0.
  for (const auto& place : all) machine.host->cpus.push_back({place.core * 2 + place.way, place});
  machine.host->grant.online = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  machine.host->grant.affinity = {2, 3, 4, 5, 8, 9};  // cores 1 and 2 of socket 0, core 4 of socket 1
  sim::Setting setting;
  setting.intra_op = 3;
  CHECK(instance_cpus(machine, runtime(false), setting).at(0) == InstanceCpus{{2, 4, 8}, {0, 1}});
  setting.smt = true;
  setting.intra_op = 2;
  CHECK(instance_cpus(machine, runtime(false), setting).at(0) == InstanceCpus{{2, 3}, {0}});
}

TEST_CASE("the launch line binds memory only where there is a choice") {
  CHECK(launch_text({{{0, 1, 2, 3}, {0}}}, 1, true) == "taskset -c 0-3 python serve.py\n");
  CHECK(launch_text({{{0, 1, 2, 3}, {0}}}, 2, true) == "numactl -C 0-3 -m 0 python serve.py\n");
  CHECK(launch_text({{{0, 4}, {0, 1}}}, 2, true) == "numactl -C 0,4 python serve.py\n");
  CHECK(launch_text({{{0}, {0}}, {{4}, {1}}}, 2, true) ==
        "numactl -C 0 -m 0 python serve.py &\nnumactl -C 4 -m 1 python serve.py &\nwait\n");
  CHECK(has(launch_text({{{0}, {0}}}, 1, false), "check with lscpu -e"));
  CHECK(has(launch_text({}, 1, true), "nothing to pin"));
  std::vector<InstanceCpus> many;
  for (int i = 0; i < 9; ++i) many.push_back({{i}, {0}});
  CHECK(launch_text(many, 1, true) ==
        "for where in \\\n  \"0\" \"1\" \"2\" \"3\" \"4\" \"5\" \"6\" \"7\" \"8\"; do\n  taskset -c $where "
        "python serve.py &\ndone\nwait\n");
}

TEST_CASE("every line of a snippet fits 80 columns") {
  for (const int threads : {1, 4, 56}) {
    for (const int instances : {1, 2, 12}) {
      for (const bool host : {false, true}) {
        for (const auto mode : {sim::Mode::sequential, sim::Mode::parallel}) {
          SnippetRequest r = request(threads);
          r.runtime = "onnxruntime-1.13";
          r.setting.instances = instances;
          r.setting.mode = mode;
          r.setting.inter_op = mode == sim::Mode::parallel ? 5 : 1;
          r.at_once = mode == sim::Mode::parallel ? 4 : 1;
          r.host = host;
          for (int i = 0; i < instances; ++i) {
            r.cpus.push_back({{}, {0}});
            for (int t = 0; t < threads; ++t) r.cpus.back().cpus.push_back(i * threads + t);
          }
          for (const std::string framework : {"onnxruntime", "pytorch"}) {
            r.framework = framework;
            for (const Snippet& s : snippets(r)) {
              for (std::size_t begin = 0, end = 0; begin < s.text.size(); begin = end + 1) {
                end = s.text.find('\n', begin);
                CHECK_MESSAGE(end - begin <= 80, s.text.substr(begin, end - begin));
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("onnxruntime-node's snippet runs as it is pasted: an ES module, as top-level await wants") {
  SnippetRequest r = request(4);
  const test::Folder folder;
  for (const auto mode : {sim::Mode::sequential, sim::Mode::parallel}) {
    for (const std::string model : {"m.onnx", "a\"b\\c.onnx"}) {
      r.setting.mode = mode;
      r.model = model;
      const std::string text = snippet(r, "onnxruntime_node");
      CHECK_FALSE(has(text, "require("));
      CHECK(has(text, "import * as ort from \"onnxruntime-node\";\n"));
      CHECK(has(text, ".mjs"));
      const test::Output output = test::shell("node --check " + folder.write("serve.mjs", text));
      if (output.code != 127) CHECK_MESSAGE(output.code == 0, output.err);
    }
  }
}

TEST_CASE("SMT is said alike by setting, OpenVINO's switch and the launch line") {
  SnippetRequest r = request(4);
  r.setting.instances = 4;
  r.setting.smt = true;  // 16 threads on 8 cores
  r.domains = 2;
  r.cpus = instance_cpus(two_sockets(), runtime(false), r.setting);
  REQUIRE(r.cpus.size() == 4);
  CHECK(r.cpus[0].cpus == std::vector<int>{0, 1, 8, 9});
  CHECK(has(snippet(r, "openvino"), "\"ENABLE_HYPER_THREADING\": True"));
  CHECK(has(snippet(r, "launch"), "-C 0-1,8-9"));
}

}  // namespace
}  // namespace corecast::cli
