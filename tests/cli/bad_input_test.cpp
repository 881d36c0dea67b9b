// Bad input: one clear line on standard error, exit code 2, nothing on standard output, no file half written.
#include <doctest/doctest.h>
#include <filesystem>

#include "base/file.hpp"
#include "tests/cli/process.hpp"

using namespace corecast::test;

namespace {

const std::string kMachine = "two-sockets";

std::string model() {
  return data("two_branches.json");
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

void check_refused(const std::vector<std::string>& arguments, const std::string& message) {
  const Output output = program(arguments);
  INFO(output.err);
  INFO("wanted: " << message);
  CHECK(output.code == 2);
  CHECK(output.out.empty());
  CHECK(output.err.starts_with("corecast: "));
  CHECK(output.err.find('\n') == output.err.size() - 1);  // one line
  CHECK(has(output.err, message));
}

}  // namespace

TEST_CASE("a model that is no file and no built-in model") {
  check_refused({"tune", "no_such.onnx"},
                "no file and no built-in model is called \"no_such.onnx\" (built in: ");
  check_refused({"inspect", "inception_v4"}, "did you mean \"inception_v3\"?");
  check_refused({"inspect", ""}, "no file and no built-in model");
  check_refused({"model", "inception_v4"}, "did you mean \"inception_v3\"?");
  check_refused({"model", "alexnet", "--seq", "5"}, "alexnet: has no sequence, but a length of 5 is given");
  check_refused({"model", "alexnet", "--dtype", "fp64"}, "found \"fp64\", wanted fp32 or bf16 or int8");
  check_refused({"model", "alexnet", "--training", "--dtype", "int8"}, "quantised models are not trained");
  for (const char* name : {"a.txt", "a.ONNX", "a", ".onnx"}) {
    check_refused({"model", "alexnet", "-o", name},
                  "--output: found \"" + std::string(name) + "\", wanted a name that ends in .onnx or .json");
  }
  check_refused({"model", "alexnet", "--training", "-o", "a.onnx"}, "write it to a .json file");
  check_refused({"model", "list", "--training"}, "means nothing to `model list`");
  check_refused({"study", "--model", "alexnett"}, "did you mean \"alexnet\"?");
  check_refused({"study", "--csv", "-"}, "give the name of a file");
  check_refused({"study", "--batch", "0"}, "--batch");
}

TEST_CASE("a form that a built-in model does not have is refused by every command that takes a model") {
  const std::vector<std::vector<std::string>> lines{{"inspect", "alexnet"},
                                                    {"simulate", "alexnet", "--machine", kMachine},
                                                    {"tune", "alexnet", "--machine", kMachine},
                                                    {"whatif", "alexnet", "--set", "smt=off"}};
  for (const auto& line : lines) {
    const auto refuse = [&](const std::vector<std::string>& form, const std::string& message) {
      auto arguments = line;
      arguments.insert(arguments.end(), form.begin(), form.end());
      check_refused(arguments, message);
    };
    refuse({"--seq", "5"}, "alexnet: has no sequence, but a length of 5 is given");
    refuse({"--seq", "0"}, "--seq: found \"0\", wanted a whole number from 1 to 1000000");
    refuse({"--dtype", "fp64"}, "--dtype: found \"fp64\", wanted fp32 or bf16 or int8");
    refuse({"--dtype", ""}, "--dtype: found \"\", wanted ");
    refuse({"--dtype", "int8", "--training"}, "--training: quantised models are not trained");
  }
  check_refused({"inspect", "bert_base", "--seq", "513"}, "513 positions are asked for, the model has 512");
}

TEST_CASE("a file has no other form than its own") {
  check_refused(
      {"tune", model(), "--seq", "5"},
      "--seq: found 5, but \"two_branches.json\" is a file, not a built-in model (what an ONNX file "
      "leaves open is set by --shape");
  check_refused({"inspect", model(), "--dtype", "fp32"},
                "--dtype: found fp32, but \"two_branches.json\" is a file, whose types are written in");
  check_refused(
      {"simulate", model(), "--training"},
      "--training: \"two_branches.json\" is a file: a training step is made of built-in models only");
}

TEST_CASE("a model that cannot be read as a file") {
  const Folder folder;
  check_refused({"inspect", folder.path("")}, "is a directory, wanted a file");
  check_refused({"inspect", folder.write("empty.onnx", "")}, "empty.onnx: ");
  check_refused({"inspect", folder.write("noise.onnx", "this is not a protobuf")}, "noise.onnx: ");
  check_refused({"inspect", "/dev/null"}, "/dev/null: is not a regular file");
}

TEST_CASE("a model that may not be read") {
  const Folder folder;
  const std::string locked = folder.write("locked.onnx", "x");
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(""), std::filesystem::perms::all);
  const Output output = shell(as_user() + "\"$corecast\" inspect " + locked);
  if (output.code == 126 || output.code == 127) {
    MESSAGE("skipped: the program cannot be run as another user than root here");
    return;
  }
  CHECK(output.code == 2);
  CHECK(has(output.err, "locked.onnx: cannot open: Permission denied"));
}

TEST_CASE("a graph file with mistakes in it is refused by place") {
  const Folder folder;
  const std::string good = corecast::read_file(model());
  const auto graph = [&](const std::string& what, const std::string& by) {
    return folder.write("graph.json", replaced(good, what, by));
  };
  check_refused({"inspect", graph("\"flop\": \"236 Mflop\"", "\"flops\": \"236 Mflop\"")},
                "graph.json: /operators/0: unknown key \"flops\" (did you mean \"flop\"?)");
  check_refused({"inspect", graph("\"batch\": 1,", "\"batch\": 1, \"batch\": 2,")}, "key stands here twice");
  check_refused({"inspect", graph("\"236 Mflop\"", "\"236 MB\"")}, "graph.json: /operators/0/flop: ");
  check_refused({"inspect", graph("\"236 Mflop\"", "\"nan flop\"")}, "graph.json: /operators/0/flop: ");
  check_refused({"inspect", graph("\"units\": 448", "\"units\": NaN")}, "graph.json: ");
  check_refused(
      {"inspect", graph("{\"from\": \"pool\", \"to\": \"classes\"", "{\"from\": \"pool\", \"to\": \"stem\"")},
      "cycle");
  check_refused({"inspect", folder.write("cut.json", good.substr(0, good.size() / 2))}, "cut.json: ");
  check_refused({"inspect", model(), "--batch", "2"},
                "the graph is written for batch 1, batch 2 was asked for");
  check_refused({"inspect", model(), "--shape", "x=1x3"}, "the graph has its shapes written in");
}

TEST_CASE("a machine nobody knows, or one with mistakes in it") {
  check_refused({"tune", model(), "--machine", "two-socket"}, "did you mean \"two-sockets\"?");
  check_refused({"machine", "show", "quantum"},
                "no machine of the catalogue and no file is called \"quantum\"");
  check_refused({"machine", "show", "no/such.json"}, "no/such.json: cannot open: No such file or directory");
  const Folder folder;
  const std::string good = corecast::read_file(data("machines/two-sockets.json"));
  const auto machine = [&](const std::string& what, const std::string& by) {
    return folder.write("machine.json", replaced(good, what, by));
  };
  const auto refuse = [&](const std::string& what, const std::string& by, const std::string& message) {
    check_refused({"tune", model(), "--machine", machine(what, by)}, message);
  };
  refuse("\"sockets\": 2", "\"sockets\": 2, \"sockts\": 2",
         "machine.json: /topology: unknown key \"sockts\"");
  refuse("\"sockets\": 2", "\"sockets\": 2, \"sockets\": 2", "key stands here twice");
  refuse("\"cores_per_socket\": 4", "\"cores_per_socket\": 0", "machine.json: /topology/cores_per_socket: ");
  refuse("\"10 GB/s\"", "\"10 GBs\"", "unknown unit \"GBs\" in \"10 GBs\" (did you mean \"GB/s\"?)");
  refuse("\"10 GB/s\"", "\"nan GB/s\"", "machine.json: /memory/core_bandwidth: ");
  refuse("\"10 GB/s\"", "NaN", "machine.json: ");
  refuse("\"10 GB/s\"", "\"-10 GB/s\"", "machine.json: ");
}

TEST_CASE("values of options that are no number, too small or too large") {
  for (const std::string value : {"0", "-1", "1.5", "many", "1e3", "99999999999999999999", ""}) {
    check_refused({"inspect", model(), "--batch", value},
                  "--batch: found \"" + value + "\", wanted a whole number from 1 to 1000000");
    check_refused({"simulate", model(), "--machine", kMachine, "--intra", value},
                  "--intra: found \"" + value + "\"");
  }
  check_refused({"simulate", model(), "--machine", kMachine, "--inter", "-3"}, "--inter: found \"-3\"");
  check_refused({"simulate", model(), "--machine", kMachine, "--instances", "0"}, "--instances: found \"0\"");
  check_refused({"tune", model(), "--machine", kMachine, "--top", "0"}, "--top: found \"0\"");
  check_refused({"tune", model(), "--machine", kMachine, "--jobs", "-2"}, "--jobs: found \"-2\"");
  check_refused({"simulate", model(), "--machine", kMachine, "--intra", "60000", "--instances", "60000"},
                "at most");
}

TEST_CASE("an empty value is not taken for an absent option") {
  const std::vector<std::string> line{"simulate", model(), "--machine", kMachine};
  for (const std::string option : {"--batch", "--inter", "--intra", "--mode", "--top", "--trace"}) {
    auto arguments = line;
    arguments.insert(arguments.end(), {option, ""});
    check_refused(arguments, option + ": found \"\", wanted ");
  }
  check_refused({"machine", "show", kMachine, "-o", ""}, "--output: found \"\"");
}

TEST_CASE("words that an option does not know") {
  check_refused({"tune", model(), "--objective", "latncy"},
                "--objective: found \"latncy\", wanted latency or throughput (did you mean");
  check_refused({"tune", model(), "--snippet", "caffe"}, "--snippet: found \"caffe\"");
  check_refused({"simulate", model(), "--mode", "serial"},
                "--mode: found \"serial\", wanted sequential or parallel");
  check_refused({"simulate", model(), "--smt", "yes"}, "--smt: found \"yes\", wanted on or off");
  check_refused({"simulate", model(), "--placement", "close"}, "--placement: ");
  check_refused({"tune", model(), "--machine", kMachine, "--runtime", "onnxruntme"},
                "--runtime: unknown runtime \"onnxruntme\" (did you mean \"onnxruntime\"?)");
  check_refused({"tune", model(), "--machine", kMachine, "--runtime", "no/such.json"}, "no/such.json: ");
}

TEST_CASE("shapes that are none") {
  const auto refuse = [](const std::string& shape, const std::string& message) {
    check_refused({"inspect", model(), "--shape", shape}, message);
  };
  refuse("1x3x224x224", "--shape: \"1x3x224x224\" has no \"=\" (wanted name=1x3x224x224");
  refuse("=1x3", "has no name before \"=\"");
  refuse("x=", "dimension 1 is \"\"");
  refuse("x=1x", "dimension 2 is \"\"");
  refuse("x=1x-3", "dimension 2 is \"-3\"");
  refuse("x=0", "dimension 1 is \"0\"");
  refuse("x=1x99999999999999999999", "dimension 2 is \"99999999999999999999\"");
  check_refused({"inspect", model(), "--shape", "x=1", "--shape", "x=2"},
                "the shape of \"x\" is given twice");
  check_refused({"inspect", "inception_v3", "--shape", "x=1"},
                "has its shapes written in (--batch sets its batch)");
  check_refused({"inspect", "lstm", "--shape", "x=1"},
                "has its shapes written in (--batch sets its batch, --seq the length of its sequence)");
}

TEST_CASE("changes of a what-if that are none") {
  const auto refuse = [](const std::string& change, const std::string& message) {
    check_refused({"whatif", model(), "--machine", kMachine, "--set", change}, message);
  };
  refuse("memory.bandwidth", "--set: ");
  refuse("memory.bandwith=+50%", "did you mean \"memory.bandwidth\"?");
  refuse("memory.bandwidth=50", "--set: ");
  refuse("memory.bandwidth=-100%", "--set: ");
  refuse("topology.cores_per_socket=0", "--set: ");
  refuse("=1", "--set: ");
}

TEST_CASE("files that cannot be written are found before the work, and nothing is left behind") {
  const Folder folder;
  const std::vector<std::string> simulate{"simulate", model(), "--machine", kMachine, "--trace"};
  const auto with = [&](const std::string& path) {
    auto arguments = simulate;
    arguments.push_back(path);
    return arguments;
  };
  check_refused(with(folder.path("")), "--trace: ");
  check_refused(with(folder.path("no/such/t.json")), "cannot write");
  check_refused({"model", "inception_v3", "-o", folder.path("no/such/m.json")}, "cannot write");
  const std::string copy = folder.write("graph.json", corecast::read_file(model()));
  check_refused({"simulate", copy, "--machine", kMachine, "--trace", copy},
                "is the file that is read: it would be overwritten");
  const std::string runtime =
      folder.write("runtime.json", corecast::read_file(data("runtimes/onnxruntime.json")));
  check_refused({"simulate", model(), "--machine", kMachine, "--runtime", runtime, "--trace", runtime},
                "is the file that is read: it would be overwritten");
  check_refused(with("/dev/full"), "cannot write");
  // A failure after the check leaves an older trace as it was.
  const std::string old = folder.write("old.json", "old");
  check_refused({"simulate", model(), "--machine", "no-such-machine", "--trace", old}, "no-such-machine");
  CHECK(corecast::read_file(old) == "old");
  CHECK(folder.names() == std::vector<std::string>{"graph.json", "old.json", "runtime.json"});
}

TEST_CASE("a data directory that is none") {
  const Folder folder;
  const Output output = program({"runtime", "list"}, {{"CORECAST_DATA", folder.path("x")}});
  CHECK(output.code == 2);
  CHECK(has(output.err, "corecast: CORECAST_DATA: "));
}

TEST_CASE("usage mistakes begin with the program's name, like all others") {
  const std::vector<std::vector<std::string>> lines{
      {}, {"tuen"}, {"tune"}, {"machine"}, {"tune", model(), "--no-such"}, {"tune", model(), "--top"}};
  for (const auto& line : lines) {
    const Output output = program(line);
    INFO(output.err);
    CHECK(output.code == 1);
    CHECK(output.out.empty());
    CHECK(output.err.starts_with("corecast: "));
    CHECK(output.err.ends_with("\nRun with --help for more information.\n"));
  }
}

TEST_CASE("help and version that cannot be written are a failure") {
  for (const std::string option : {"--help", "--version", "tune --help"}) {
    const Output output = shell("\"$corecast\" " + option + " > /dev/full");
    INFO(option);
    CHECK(output.code == 2);
    CHECK(output.err == "corecast: cannot write to standard output: No space left on device\n");
  }
}

TEST_CASE("\"-\" is standard output where a file is all there is to print, and refused beside a report") {
  const Folder folder;
  const std::string cd = "cd " + folder.path("") + " && \"$corecast\" ";
  const std::string machine = data("machines/two-sockets.json");
  CHECK(shell(cd + "model inception_v3 -o -").out == program({"model", "inception_v3"}).out);
  (void)program({"machine", "show", machine, "-o", folder.path("m.json")});
  CHECK(shell(cd + "machine show " + machine + " -o -").out == corecast::read_file(folder.path("m.json")));
  const Output trace = shell(cd + "simulate " + model() + " --machine " + machine + " --trace -");
  CHECK(trace.code == 2);
  CHECK(has(trace.err, "corecast: --trace: found \"-\""));
  CHECK(has(trace.err, "give the name of a file"));
  CHECK(folder.names() == std::vector<std::string>{"m.json"});
}

TEST_CASE("a model that memory does not hold has no feasible setting: exit code 3, with what it needs") {
  const Folder folder;
  const std::string text = corecast::read_file(data("machines/two-sockets.json"));
  const std::string machine =
      folder.write("small.json", replaced(text, "\"memory\": {", "\"memory\": {\"capacity\": \"1 kB\", "));
  for (const std::string objective : {"latency", "throughput"}) {
    const Output output = program({"tune", model(), "--machine", machine, "--objective", objective});
    INFO(output.err);
    CHECK(output.code == 3);
    CHECK(output.out.empty());
    CHECK(output.err.starts_with("corecast: no setting is feasible: one instance needs "));
    CHECK(has(output.err, "the machine has 2.00 kB"));
  }
  const Output simulated = program({"simulate", model(), "--machine", machine, "--intra", "2"});
  CHECK(simulated.code == 0);
  CHECK(has(simulated.out, "MEMORY_CAPACITY: one instance needs"));
}
