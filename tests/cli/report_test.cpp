// Reports: kept goldens, fields that others read, the same bytes every time.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/golden.hpp"

using namespace corecast::test;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

using Line = std::vector<std::string>;

std::string model() {
  return data("two_branches.json");
}

// The commands whose reports are kept: on a machine, a runtime and a model of the tests' own, all in round
// numbers.
std::vector<std::pair<std::string, Line>> commands() {
  const std::string machine = data("machines/two-sockets.json");
  return {{"inspect", {"inspect", model()}},
          {"tune", {"tune", model(), "--machine", machine, "--top", "3"}},
          {"tune_throughput",
           {"tune", model(), "--machine", machine, "--top", "2", "--objective", "throughput", "--runtime",
            "onnxruntime-1.13", "--snippet", "pytorch"}},
          {"simulate",
           {"simulate", model(), "--machine", machine, "--runtime", "onnxruntime-1.13", "--inter", "3",
            "--intra", "4"}},
          {"whatif", {"whatif", model(), "--machine", machine, "--set", "memory.bandwidth=+50%", "smt=off"}},
          {"validate",
           {"validate", "--measured", data("runs.csv"), "--graph", "branches=" + model(), "--top", "3"}},
          {"machine_show", {"machine", "show", machine}},
          {"machine_list", {"machine", "list"}},
          {"runtime_list", {"runtime", "list"}}};
}

Line with(Line line, const Line& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

std::string printed(const Line& line) {
  const Output output = program(line);
  INFO(output.err);
  REQUIRE(output.code == 0);
  CHECK(output.err.empty());
  return output.out;
}

// Every path of a document once, with the type that stands there; elements of arrays are all alike.
void collect_fields(const ordered_json& node, const std::string& path, std::vector<std::string>& fields,
                    std::set<std::string>& seen) {
  const std::string line = path + " " + (node.is_number() ? "number" : node.type_name());
  if (seen.insert(line).second) fields.push_back(line);
  if (!node.is_structured()) return;  // items() of a plain value is the value itself, without end
  for (const auto& [key, value] : node.items()) {
    collect_fields(value, path + (node.is_array() ? "/*" : "/" + key), fields, seen);
  }
}

std::string fields_of(const std::string& text) {
  std::vector<std::string> fields;
  std::set<std::string> seen;
  collect_fields(ordered_json::parse(text), "", fields, seen);
  std::string out;
  for (const std::string& field : fields) out += field + "\n";
  return out;
}

void check_finite(const json& node) {
  CHECK_FALSE(node.is_null());
  for (const auto& [key, value] : node.items()) {
    if (value.is_structured()) check_finite(value);
    CHECK_FALSE(value.is_null());
  }
}

}  // namespace

TEST_CASE("text reports are as kept") {
  for (const auto& [name, line] : commands()) {
    const std::string difference = golden_difference("cli_" + name + "/report.txt", printed(line));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}

TEST_CASE("small JSON reports are as kept") {
  for (const auto& [name, line] : commands()) {
    if (name.starts_with("tune") || name.starts_with("machine_show")) continue;
    const std::string difference =
        golden_difference("cli_" + name + "/report.json", printed(with(line, {"--json"})));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}

TEST_CASE("JSON reports keep their fields") {
  for (const auto& [name, line] : commands()) {
    const std::string difference =
        golden_difference("cli_" + name + "/fields.txt", fields_of(printed(with(line, {"--json"}))));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}

TEST_CASE("JSON begins with schema and version, and holds no null") {
  for (const auto& [name, line] : commands()) {
    const ordered_json report = ordered_json::parse(printed(with(line, {"--json"})));
    const std::string schema = "corecast." + name.substr(0, name.find("_throughput")) + "/1";
    REQUIRE(report.size() > 2);
    CHECK(report.begin().key() == "schema");
    CHECK(std::next(report.begin()).key() == "version");
    CHECK(report["schema"] == schema);
    check_finite(json::parse(report.dump()));
  }
}

TEST_CASE("the same command gives the same bytes, whatever the number of threads of the search") {
  for (const auto& [name, line] : commands()) {
    for (const Line& view : {Line{}, Line{"--json"}})
      CHECK(printed(with(line, view)) == printed(with(line, view)));
    if (!name.starts_with("tune") && name != "whatif") continue;
    const std::string one = printed(with(line, {"--json", "--jobs", "1"}));
    for (const std::string jobs : {"2", "7"}) CHECK(printed(with(line, {"--json", "--jobs", jobs})) == one);
  }
}

TEST_CASE("the ranking is sorted, the best stands first, and no rule inside the space beats it") {
  const json report =
      json::parse(printed({"tune", model(), "--machine", "two-sockets", "--top", "9", "--json"}));
  double last = 0.0;
  for (const json& row : report["ranking"]) {
    CHECK(row["loss"].get<double>() >= last);
    last = row["loss"].get<double>();
    CHECK(row["forecast"]["latency_low_ms"] <= row["forecast"]["latency_ms"]);
    CHECK(row["forecast"]["latency_ms"] <= row["forecast"]["latency_high_ms"]);
    double shares = 0.0;
    for (const auto& [name, share] : row["forecast"]["time_share"].items()) shares += share.get<double>();
    CHECK(shares == doctest::Approx(1.0).epsilon(1e-4));
  }
  CHECK(report["best"] == report["ranking"][0]);
  CHECK(report["best"]["loss"] == 0);
  const json& search = report["search"];
  CHECK(search["covered"].get<int>() == search["merged"].get<int>() + search["infeasible"].get<int>() +
                                            search["pruned"].get<int>() + search["simulated"].get<int>());
  CHECK(report["baselines"].size() >= 9);
  for (const json& rule : report["baselines"]) CHECK_FALSE(rule["source"].get<std::string>().empty());
}

TEST_CASE("simulating the setting that tune found gives tune's forecast") {
  const json best = json::parse(printed({"tune", model(), "--machine", "two-sockets", "--json"}))["best"];
  const json& s = best["setting"];
  const json again = json::parse(printed({"simulate", model(), "--machine", "two-sockets", "--intra",
                                          s["intra_op"].dump(), "--smt", s["smt"].get<bool>() ? "on" : "off",
                                          "--placement", s["placement"].get<std::string>(), "--json"}));
  CHECK(again["forecast"] == best["forecast"]);
}

TEST_CASE("time is told only where it is asked for") {
  const Output plain = program({"tune", model(), "--machine", "two-sockets", "--timing"});
  CHECK(plain.code == 0);
  CHECK(plain.err.starts_with("corecast: read and searched in "));
  const Output structured = program({"tune", model(), "--machine", "two-sockets", "--timing", "--json"});
  CHECK(structured.err.empty());
  CHECK(json::parse(structured.out)["search"]["seconds"].get<double>() >= 0.0);
}

TEST_CASE("a trace is written whole and loads as JSON") {
  const Folder folder;
  const std::string trace = folder.path("t.json");
  (void)printed({"simulate", model(), "--machine", "two-sockets", "--intra", "4", "--trace", trace});
  const json events = json::parse(corecast::read_file(trace))["traceEvents"];
  std::set<std::string> names;
  for (const json& event : events) names.insert(event["name"].get<std::string>());
  CHECK(names.contains("left"));
  CHECK(folder.names() == std::vector<std::string>{"t.json"});
}

TEST_CASE("a built-in model that is written is the one that is read by name") {
  const Folder folder;
  const std::string file = folder.path("m.json");
  (void)printed({"model", "inception_v3", "--batch", "2", "-o", file});
  json written = json::parse(printed({"inspect", file, "--json"}));
  json named = json::parse(printed({"inspect", "inception_v3", "--batch", "2", "--json"}));
  CHECK(written["model"]["checksum"] == named["model"]["checksum"]);
  written.erase("model");
  named.erase("model");
  CHECK(written == named);
  CHECK(printed({"model", "inception_v3", "--batch", "2"}) == corecast::read_file(file));
}

TEST_CASE(
    "every form of a built-in model that can be written can be read by name, and is told in the report") {
  const Folder folder;
  const std::string file = folder.path("m.json");
  const std::vector<Line> forms{{},
                                {"--seq", "64"},
                                {"--dtype", "bf16", "--training"},
                                {"--seq", "32", "--batch", "3", "--dtype", "int8"}};
  for (const Line& form : forms) {
    const json told = json::parse(printed(with({"model", "bert_base", "--json", "-o", file}, form)));
    const json named = json::parse(printed(with({"inspect", "bert_base", "--json"}, form)))["model"];
    const json read = json::parse(printed({"inspect", file, "--json"}))["model"];
    CHECK(named["checksum"] == read["checksum"]);
    CHECK_FALSE(read.contains("dtype"));  // a file does not say what it was made of
    for (const char* field : {"batch", "sequence", "dtype", "training"}) CHECK(named[field] == told[field]);
    const auto given = [&](const std::string& option) {
      const auto at = std::find(form.begin(), form.end(), option);
      return at == form.end() ? std::string() : *std::next(at);
    };
    CHECK(named["sequence"] == std::stoi(given("--seq").empty() ? "128" : given("--seq")));
    CHECK(named["dtype"] == (given("--dtype").empty() ? "fp32" : given("--dtype")));
    CHECK(named["training"] == (std::find(form.begin(), form.end(), "--training") != form.end()));
  }
}

TEST_CASE(
    "the heading says which form was tuned, simulated or changed, and that onnxruntime does not train it") {
  const Line form{"--machine", "two-sockets", "--batch", "2", "--training", "--dtype", "bf16"};
  const std::vector<Line> lines{{"tune", "lstm", "--seq", "4"},
                                {"simulate", "lstm", "--seq", "4"},
                                {"whatif", "lstm", "--seq", "4", "--set", "clock=+10%"}};
  for (const Line& line : lines) {
    const std::string text = printed(with(line, form));
    INFO(text);
    CHECK(text.starts_with("lstm (built in): batch 2, sequence 4, bf16, training step, "));
    CHECK(text.find("NO_TRAINING: onnxruntime runs no training step") != std::string::npos);
  }
  const std::string inference = printed({"simulate", "lstm", "--machine", "two-sockets"});
  CHECK(inference.starts_with("lstm (built in): batch 1, sequence 35, fp32, 10 operators"));
  CHECK(inference.find("NO_TRAINING") == std::string::npos);
  CHECK(printed({"inspect", "alexnet"}).starts_with("alexnet (built in): batch 1, fp32, "));
}

TEST_CASE("a machine that is written is the one that is read") {
  const Folder folder;
  const std::string file = folder.path("m.json");
  (void)printed({"machine", "show", "two-sockets-alias", "-o", file});
  const auto best = [](const std::string& machine) {
    return json::parse(printed({"tune", model(), "--machine", machine, "--json"}))["best"];
  };
  CHECK(best(file) == best("two-sockets"));
}

TEST_CASE("asking a current onnxruntime for inter-op threads is warned about by code") {
  const json report = json::parse(
      printed({"simulate", model(), "--machine", "two-sockets", "--inter", "3", "--intra", "2", "--json"}));
  CHECK(report["setting"]["mode"] == "parallel");
  CHECK(report["effective_setting"]["mode"] == "sequential");
  REQUIRE(report["warnings"].size() == 1);
  CHECK(report["warnings"][0]["code"] == "ORT_INTEROP_NOOP");
}

TEST_CASE("a quota-free host is tuned without a machine named") {
  const json report = json::parse(printed({"tune", model(), "--json"}));
  CHECK(report["machine"]["origin"] == "host");
  CHECK(report["machine"]["usable_cpus"].get<int>() >= 1);
  CHECK(report["best"]["setting"]["intra_op"].get<int>() <= report["machine"]["usable_cpus"].get<int>());
}

TEST_CASE("a what-if of a value that enters no term says so, one that does is silent") {
  const auto codes = [](const Line& changes) {
    Line line{"whatif", model(), "--machine", "two-sockets", "--json", "--set"};
    const json report = json::parse(printed(with(line, changes)));
    std::vector<std::string> texts;
    for (const json& warning : report["warnings"]) {
      if (warning["code"] == "NO_EFFECT") texts.push_back(warning["text"].get<std::string>());
    }
    return texts;
  };
  for (const std::string path : {"memory.latency", "memory.page_fault", "threads.wake_up"}) {
    INFO(path);
    const auto texts = codes({path + "=*3"});
    REQUIRE(texts.size() == 1);
    CHECK(texts[0].starts_with(path + " enters no term of this forecast: "));
  }
  CHECK(codes({"threads.wake_up=*3"})[0].find("idle threads spin") != std::string::npos);
  CHECK(codes({"memory.capacity=64 GB"}).size() == 1);
  CHECK(codes({"l1.size=*2"})[0].find("largest cache that is private") != std::string::npos);
  CHECK(codes({"clock=+10%"}).empty());
  CHECK(codes({"cores_per_socket=8"}).empty());
  // Of several changes only the one without effect is named.
  const auto mixed = codes({"clock=+10%", "memory.latency=*2"});
  REQUIRE(mixed.size() == 1);
  CHECK(mixed[0].starts_with("memory.latency "));
}

TEST_CASE("no ranking cuts away that a setting uses SMT") {
  for (const std::string runtime : {"onnxruntime", "onnxruntime-1.13"}) {
    for (const std::string objective : {"latency", "throughput"}) {
      const Line line{"tune",  "inception_v3", "--machine", "two-sockets", "--runtime",
                      runtime, "--objective",  objective,   "--top",       "40"};
      const json ranking = json::parse(printed(with(line, {"--json"})))["ranking"];
      const std::string text = printed(line);
      int place = 0;
      for (const json& row : ranking) {
        const std::size_t begin =
            text.find(fmt::format("\n  {:>{}}  ", ++place, ranking.size() < 10 ? 1 : 2));
        REQUIRE(begin != std::string::npos);
        const std::string shown = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
        INFO(shown);
        CHECK((shown.find("SMT") != std::string::npos) == row["setting"]["smt"].get<bool>());
      }
    }
  }
}

TEST_CASE("settings with SMT say so in setting, reason and OpenVINO's snippet alike") {
  const json report = json::parse(printed(
      {"tune", model(), "--machine", "two-sockets", "--objective", "throughput", "--top", "500", "--json"}));
  const int cores = report["machine"]["cores"].get<int>();
  for (const json& row : report["ranking"]) {
    const json& s = row["setting"];
    const bool shared = s["instances"].get<int>() * s["intra_op"].get<int>() > cores;
    if (shared) CHECK(s["smt"] == true);
  }
  const bool smt = report["best"]["setting"]["smt"].get<bool>();
  const std::string openvino = report["snippets"]["openvino"].get<std::string>();
  CHECK((openvino.find("\"ENABLE_HYPER_THREADING\": True") != std::string::npos) == smt);
}
