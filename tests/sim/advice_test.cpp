// Each code where it should be, and not where it should not.
#include "sim/advice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sim/knobs.hpp"
#include "tests/sim/planning_support.hpp"
#include "tests/support/dag.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::sim {
namespace {

// 100 ms on a core of 10 Gflop/s, cut into as many rows as there are threads.
const char* kBig = "a:1Gflop,units=64,shape=64x1000";
const char* kTwoConvolutions = "a:1Gflop,units=2,shape=2x1000,conv; b:1Gflop,units=2,shape=2x1000,conv";

struct Asked {
  std::string graph = kBig;
  std::string machine = "8 cores 10Gflop/s";
  Runtime runtime = test::plain_runtime();
  Setting setting;
  std::optional<double> quota;
  AdviceOptions options;
};

Asked asked(int intra_op) {
  Asked a;
  a.setting.intra_op = intra_op;
  return a;
}

std::vector<Advice> advice(const Asked& a) {
  const graphs::Graph graph = test::dag(a.graph);
  return advise(graph, graph, {test::machine(a.machine), a.quota, std::nullopt}, a.runtime, a.setting,
                a.options);
}

const Advice* find(const std::vector<Advice>& list, const std::string& code) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const Advice& x) { return x.code == code; });
  return it == list.end() ? nullptr : &*it;
}

bool told(const Asked& a, const std::string& code) {
  return find(advice(a), code) != nullptr;
}

Advice piece(const Asked& a, const std::string& code) {
  const auto list = advice(a);
  std::string codes;
  for (const Advice& x : list) codes += x.code + " ";
  INFO("told: " << codes << "wanted: " << code);
  const Advice* found = find(list, code);
  REQUIRE(found != nullptr);
  CHECK_FALSE(found->text.empty());
  return *found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Runtime of(const std::string& framework, const std::string& policy) {
  Runtime runtime = test::plain_runtime();
  runtime.name = runtime.framework = framework;
  runtime.policy = policy;
  runtime.idle_inter_op_threads = 0;
  return runtime;
}

Setting parallel(int inter_op, int intra_op) {
  Setting setting;
  setting.mode = Mode::parallel;
  setting.inter_op = inter_op;
  setting.intra_op = intra_op;
  return setting;
}

TEST_CASE("more threads than CPUs are told of with what as many as CPUs would give") {
  Asked a = asked(4);
  a.machine = "2 cores 10Gflop/s";
  const Advice found = piece(a, "OVERSUBSCRIBED");
  CHECK(found.text.starts_with("4 threads on 2 CPUs take turns: forecast "));
  CHECK(has(found.text, "; 2 threads 50.0 ms ("));  // 100 ms over two
  CHECK(has(found.text, "Set intra_op_num_threads=2"));
  REQUIRE(found.better);
  CHECK(found.better->intra_op == 2);
  a.setting.intra_op = 2;
  CHECK_FALSE(told(a, "OVERSUBSCRIBED"));
  a.setting.instances = 2;  // two of two threads each
  CHECK(has(piece(a, "OVERSUBSCRIBED").text, "2 x 2 threads on 2 CPUs"));
}

TEST_CASE("a quota is told of, and threads beyond it") {
  Asked a = asked(4);
  a.quota = 2.0;
  const Advice found = piece(a, "QUOTA_BELOW_THREADS");
  CHECK(has(found.text, "4 threads against a quota of 2 CPUs"));
  REQUIRE(found.better);
  CHECK(found.better->intra_op == 2);
  CHECK(has(piece(a, "CGROUP").text, "a CPU quota of 2 holds on 8 visible CPUs"));
  CHECK_FALSE(told(a, "OVERSUBSCRIBED"));
  a.setting.intra_op = 2;
  CHECK_FALSE(told(a, "QUOTA_BELOW_THREADS"));
  CHECK(told(a, "CGROUP"));
  a.quota.reset();
  CHECK_FALSE(told(a, "CGROUP"));
}

TEST_CASE("second hardware threads hurt where they slow a core down, and help where they do not") {
  Asked a = asked(8);
  a.machine = "4 cores 10Gflop/s; smt 2; gain 0.8 0.8";
  a.setting.smt = true;
  const Advice hurts = piece(a, "SMT_HURTS");
  REQUIRE(hurts.better);
  CHECK(hurts.better->intra_op == 4);
  CHECK(hurts.gain == doctest::Approx(0.25).epsilon(0.01));  // 1 / 0.8
  a.machine = "4 cores 10Gflop/s; smt 2; gain 1.3 1.3";
  CHECK_FALSE(told(a, "SMT_HURTS"));
  a.setting.smt = false;
  a.setting.intra_op = 4;
  CHECK(piece(a, "SMT_HELPS").gain == doctest::Approx(0.3).epsilon(0.01));
  a.machine = "4 cores 10Gflop/s; smt 2; gain 1 1";
  CHECK_FALSE(told(a, "SMT_HELPS"));
  a.setting.intra_op = 6;
  CHECK(told(a, "SHARED_CORES"));
  a.setting.intra_op = 4;
  CHECK_FALSE(told(a, "SHARED_CORES"));
}

TEST_CASE("operators too small for so many threads") {
  // 1 ms of work; eight threads pay 1 ms + 2 doublings of 1 ms for an eighth of it.
  Asked a = asked(8);
  a.graph = "a:10Mflop,units=64,shape=64x1000";
  a.machine = "8 cores 10Gflop/s; barrier 1ms; doubling 1ms";
  const Advice found = piece(a, "INTRA_SMALL");
  CHECK(found.cause == "TOO_SMALL_FOR_THREADS");
  REQUIRE(found.better);
  CHECK(found.better->intra_op == 1);
  CHECK_FALSE(told(a, "FEWER_THREADS_AS_FAST"));
  a.graph = kBig;
  CHECK_FALSE(told(a, "INTRA_SMALL"));
}

TEST_CASE("fewer threads that are as fast") {
  Asked a = asked(8);
  a.graph = "a:1Gflop,units=2,shape=2x1000";  // two rows: two threads
  const Advice found = piece(a, "FEWER_THREADS_AS_FAST");
  REQUIRE(found.better);
  CHECK(found.better->intra_op == 2);
  CHECK(has(found.text, "intra_op_num_threads=2 frees 6 CPUs"));
  a.graph = kBig;
  CHECK_FALSE(told(a, "FEWER_THREADS_AS_FAST"));
}

TEST_CASE("memory bandwidth that half of the threads use up") {
  Asked a = asked(8);
  a.graph = "a:1flop,1GB,units=64,shape=64x1000";
  a.machine = "8 cores 10Gflop/s; mem 20GB/s; core 10GB/s";  // two cores use it up
  CHECK(has(piece(a, "SATURATED").text, "8 threads read 20"));
  a.machine = "8 cores 10Gflop/s; mem 20GB/s; core 2GB/s";  // eight do not
  CHECK_FALSE(told(a, "SATURATED"));
}

TEST_CASE("cores that lie idle") {
  Asked a = asked(1);
  const Advice found = piece(a, "MORE_THREADS");
  REQUIRE(found.better);
  CHECK(found.better->intra_op == 8);
  CHECK(found.gain == doctest::Approx(7.0).epsilon(0.01));
  a.setting.intra_op = 8;
  CHECK_FALSE(told(a, "MORE_THREADS"));
}

TEST_CASE("inter-op threads that change nothing") {
  Asked a;
  a.setting = parallel(4, 2);
  a.runtime.inter_op_works = false;
  CHECK(has(piece(a, "INTER_OP_IGNORED").text, "inter_op_num_threads=4 changes nothing"));
  CHECK(has(piece(a, "ORT_INTEROP_NOOP").text, "session.node_partition_config_file"));
  a.runtime = of("pytorch", "pytorch");
  CHECK(has(piece(a, "INTER_OP_IGNORED").text, "torch.set_num_interop_threads=4"));
  CHECK_FALSE(told(a, "ORT_INTEROP_NOOP"));
  a.runtime = test::plain_runtime();
  CHECK_FALSE(told(a, "INTER_OP_IGNORED"));
  CHECK_FALSE(told(a, "INTEROP_UNUSED"));
  a.setting.mode = Mode::sequential;
  CHECK(told(a, "INTEROP_UNUSED"));
}

TEST_CASE("the other mode where it is faster") {
  Asked a;
  a.graph = kTwoConvolutions;
  a.machine = "4 cores 10Gflop/s";
  a.runtime = of("onnxruntime", "onnxruntime");
  a.setting.intra_op = 4;  // two rows each: half of the threads idle, one after the other
  const Advice found = piece(a, "USE_PARALLEL");
  CHECK(found.gain == doctest::Approx(1.0).epsilon(0.01));
  CHECK(has(found.text, "execution_mode=ORT_PARALLEL, inter_op_num_threads=2"));
  CHECK_FALSE(told(a, "USE_SEQUENTIAL"));
  a.graph = "a:1Gflop,units=2,shape=2x1000,conv -> b:1Gflop,units=2,shape=2x1000,conv";
  CHECK_FALSE(told(a, "USE_PARALLEL"));

  // Two at once with teams of four threads on four CPUs: they wait for each other's turns.
  a.graph = "a:1Gflop,units=8,shape=8x1000; b:1Gflop,units=8,shape=8x1000";
  a.machine = "4 cores 10Gflop/s; slice 10ms";
  a.runtime.own_teams = true;
  a.setting = parallel(2, 4);
  CHECK(has(piece(a, "USE_SEQUENTIAL").text, "execution_mode=ORT_SEQUENTIAL, inter_op_num_threads=1"));
  a.machine = "8 cores 10Gflop/s";
  CHECK_FALSE(told(a, "USE_SEQUENTIAL"));
}

TEST_CASE("more pools than branches") {
  Asked a;
  a.graph = kTwoConvolutions;
  a.runtime = of("tensorflow", "tensorflow");
  a.setting = parallel(4, 2);
  const Advice found = piece(a, "DAG_WIDTH");
  CHECK(has(found.text, "never has more than 2 heavy ones ready"));
  CHECK(has(found.text, "inter_op_parallelism_threads=2"));
  a.setting = parallel(2, 2);
  CHECK_FALSE(told(a, "DAG_WIDTH"));
}

TEST_CASE("TensorFlow's default where every pool has a team") {
  Asked a;
  a.graph = "a:1Gflop,units=8,shape=8x1000; b:1Gflop,units=8,shape=8x1000";
  a.machine = "4 cores 10Gflop/s; slice 10ms";
  a.runtime = of("tensorflow", "tensorflow");
  a.runtime.own_teams = true;
  a.setting = parallel(4, 4);
  const Advice found = piece(a, "TF_MKL_DEFAULT");
  CHECK(has(found.text, "inter_op_parallelism_threads=1"));
  a.setting = parallel(2, 2);
  CHECK_FALSE(told(a, "TF_MKL_DEFAULT"));
  a.setting = parallel(4, 4);
  a.runtime.framework = "onnxruntime";
  CHECK_FALSE(told(a, "TF_MKL_DEFAULT"));
}

TEST_CASE("spinning that steals time, that gains next to nothing, and that pays") {
  Asked a = asked(4);
  a.machine = "2 cores 10Gflop/s; slice 10ms";
  const Advice steals = piece(a, "DISABLE_SPIN");
  CHECK(steals.cause == "SPINNING_STEALS");
  CHECK(has(steals.text, "Set session.intra_op.allow_spinning=0"));
  a = asked(4);
  const Advice idle = piece(a, "DISABLE_SPIN");
  CHECK(idle.cause.empty());
  CHECK(idle.gain == 0.0);
  CHECK(has(idle.text, "keeps 3 CPUs busy"));
  a.machine = "8 cores 10Gflop/s; wake 20ms";  // 25 ms of work for each of the four: waking costs as much
  CHECK_FALSE(told(a, "DISABLE_SPIN"));
  a.machine = "8 cores 10Gflop/s";
  a.setting.spin = false;
  CHECK_FALSE(told(a, "DISABLE_SPIN"));
  a = asked(1);
  CHECK_FALSE(told(a, "DISABLE_SPIN"));
}

TEST_CASE("idle instances spin on the CPUs of the busy one only where CPUs are short") {
  Asked a = asked(2);
  a.machine = "2 cores 10Gflop/s";
  a.setting.instances = 4;
  CHECK(has(piece(a, "TAIL_SPIN").text, "beside 3 other instances"));
  a.machine = "8 cores 10Gflop/s";
  CHECK_FALSE(told(a, "TAIL_SPIN"));
}

TEST_CASE("one socket where the link is narrow") {
  Asked a = asked(8);
  a.graph = "a:1flop,1GB,units=64,shape=64x1000";
  a.machine = "4 cores 10Gflop/s; sockets 2; link 1GB/s; mem 20GB/s; core 10GB/s";
  const Advice found = piece(a, "ONE_SOCKET");
  CHECK(found.cause == "CROSS_SOCKET");
  CHECK(has(found.text, "numactl -N 0 -m 0"));
  REQUIRE(found.better);
  CHECK(found.better->intra_op == 4);
  a.setting.intra_op = 4;
  CHECK_FALSE(told(a, "ONE_SOCKET"));
  a.setting.intra_op = 8;
  a.graph = kBig;  // nothing to cross
  CHECK_FALSE(told(a, "ONE_SOCKET"));
}

TEST_CASE("both sockets' memories where the link is wide") {
  Asked a = asked(2);
  a.graph = "a:1flop,1GB,units=64,shape=64x1000";
  a.machine = "4 cores 10Gflop/s; sockets 2; link 100GB/s; mem 10GB/s";
  CHECK(piece(a, "PLACEMENT").gain == doctest::Approx(1.0).epsilon(0.01));
  a.graph = kBig;
  CHECK_FALSE(told(a, "PLACEMENT"));
  // All weights lie on socket 0 until they are interleaved.
  a.graph = "a:1flop,weights=1GB,units=64,shape=64x1000";
  a.setting.intra_op = 8;
  const Advice found = piece(a, "MEMORY_POLICY");
  CHECK(has(found.text, "numactl --interleave=all"));
  a.setting.memory = MemoryPolicy::interleave;
  CHECK_FALSE(told(a, "MEMORY_POLICY"));
}

TEST_CASE("page faults of fresh outputs") {
  Asked a = asked(1);
  a.graph = "a:1Mflop,written=400MB,units=64,shape=64x1000";
  a.machine = "1 cores 10Gflop/s; fault 1us";
  a.setting.allocator = Allocator::system;
  a.runtime = of("pytorch", "pytorch");
  for (auto& [kernel, model] : a.runtime.kernels) model.fresh_blocks = 1.0;
  CHECK(has(piece(a, "ALLOCATOR").text, "LD_PRELOAD=libtcmalloc.so.4"));
  a.setting.allocator = Allocator::caching;
  CHECK_FALSE(told(a, "ALLOCATOR"));
}

TEST_CASE("instances that are bound to the same CPUs") {
  Asked a = asked(2);
  a.setting.instances = 3;
  a.setting.pinning = Pinning::stacked;
  const Advice found = piece(a, "AFFINITY_TRAP");
  CHECK(found.cause == "PINNING_STACKS");
  CHECK(found.gain > 1.0);  // three on the CPUs of one
  a.runtime = of("openvino", "openvino");
  CHECK(has(piece(a, "AFFINITY_TRAP").text, "ENABLE_CPU_PINNING=False"));
  a.setting.pinning = Pinning::distinct;
  CHECK_FALSE(told(a, "AFFINITY_TRAP"));
  a.setting.pinning = Pinning::stacked;
  a.setting.instances = 1;
  CHECK_FALSE(told(a, "AFFINITY_TRAP"));
}

TEST_CASE("instances where one cannot use the cores") {
  Asked a = asked(8);
  a.graph = "a:1Gflop,units=1,shape=1x1000";
  const Advice found = piece(a, "MORE_INSTANCES");
  CHECK(found.cause == "INSTANCES_BETTER");
  REQUIRE(found.better);
  CHECK(found.better->instances == 8);
  CHECK(found.better->intra_op == 1);
  CHECK(found.gain == doctest::Approx(7.0).epsilon(0.01));
  a.graph = kBig;
  CHECK_FALSE(told(a, "MORE_INSTANCES"));
}

TEST_CASE("CPUs that the default thread count does not see") {
  Asked a = asked(8);
  CHECK_FALSE(told(a, "CPUSET"));
  a.options.online_cpus = 16;
  CHECK(has(piece(a, "CPUSET").text, "8 of 16 CPUs are granted"));
  CHECK_FALSE(told(a, "VERSION_DEFAULT"));
  a.runtime = of("pytorch", "pytorch");
  CHECK(has(piece(a, "VERSION_DEFAULT").text, "2.14"));
}

TEST_CASE("the most is first, what only serves more after it, facts last; the same list every time") {
  Asked a = asked(4);
  a.machine = "2 cores 10Gflop/s; slice 10ms";
  a.quota = 1.5;
  const auto list = advice(a);
  CHECK(list == advice(a));
  REQUIRE(list.size() >= 3);
  CHECK(list.back().gain == 0.0);
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i].code != "MORE_INSTANCES" && list[i - 1].code != "MORE_INSTANCES")
      CHECK(list[i - 1].gain >= list[i].gain);
  }
}

TEST_CASE("a good setting on a plain machine has nothing wrong with it") {
  Asked a = asked(8);
  a.setting.spin = false;
  CHECK(advice(a).empty());
}

TEST_CASE("remedies are in the frameworks' own names") {
  Setting from;
  from.intra_op = 16;
  Setting to = from;
  to.intra_op = 8;
  to.spin = false;
  const auto text = [&](const std::string& framework) {
    return remedy(of(framework, "onnxruntime"), from, to);
  };
  CHECK(text("onnxruntime") == "intra_op_num_threads=8, session.intra_op.allow_spinning=0");
  CHECK(has(text("pytorch"), "torch.set_num_threads(8) or OMP_NUM_THREADS=8"));
  CHECK(has(text("pytorch"), "KMP_BLOCKTIME=0"));
  CHECK(has(text("torchscript"), "torch.set_num_threads(8)"));
  CHECK(has(text("tensorflow"), "intra_op_parallelism_threads=8"));
  CHECK(text("openvino") == "INFERENCE_NUM_THREADS=8");
  CHECK(text("llama") == "-t 8 -tb 8, --poll 0");
  CHECK(has(text("caffe2"), "--caffe2_omp_num_threads=8"));
  CHECK(has(text("some other"), "OMP_NUM_THREADS=8"));
  to.instances = 3;
  CHECK(has(text("openvino"), "NUM_STREAMS=3, INFERENCE_NUM_THREADS=24"));
  CHECK(has(text("pytorch"), "--ninstances 3 --ncores-per-instance 8"));
  Runtime teams = of("tensorflow", "tensorflow");
  teams.own_teams = true;
  to.instances = 1;
  CHECK(has(remedy(teams, from, to), "OMP_NUM_THREADS=8"));
}

TEST_CASE("what the framework does by itself") {
  const graphs::Graph graph = test::dag(kBig);
  const Target target{test::machine("4 cores 10Gflop/s; smt 2"), std::nullopt, std::nullopt};
  const Setting setting = default_setting(graph, target, test::plain_runtime());
  CHECK(setting.intra_op == 4);
  CHECK(setting.mode == Mode::sequential);
  const Setting tensorflow = default_setting(graph, target, of("tensorflow", "tensorflow"));
  CHECK(tensorflow.inter_op == 8);
  CHECK(tensorflow.intra_op == 8);
}

}  // namespace
}  // namespace corecast::sim
