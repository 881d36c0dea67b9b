// `corecast measure` with an adaptor that measures nothing: rows, context, resuming, interruption, bad input.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "calibration/evidence/measured.hpp"
#include "tests/cli/process.hpp"

using namespace corecast;
using namespace corecast::test;

namespace {

Environment fake(const std::string& behaviour = "") {
  return {{"CORECAST_NODE", CORECAST_FAKE_ADAPTOR}, {"FAKE_ADAPTOR", behaviour}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Workshop {
  std::vector<std::string> line(std::vector<std::string> more) const {
    std::vector<std::string> all{"measure", "fc_512", "-o", folder.path("runs.csv"), "--processes", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Output measure(const std::vector<std::string>& more, const std::string& behaviour = "") const {
    return program(line(more), fake(behaviour));
  }
  std::string csv() const { return read_file(folder.path("runs.csv")); }
  evidence::MeasuredTable table() const { return evidence::read_measured(folder.path("runs.csv")); }
  Folder folder;
};

const std::vector<std::string> kThree{"--axes", "intra=1,2,4 pinning=none"};

std::vector<std::string> plus(std::vector<std::string> list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

}  // namespace

TEST_CASE("measured settings become rows that validate reads, below the context they were measured in") {
  const Workshop shop;
  const Output output = shop.measure(plus(kThree, {"--date", "a Thursday"}));
  INFO(output.err);
  CHECK(output.code == 0);
  const evidence::MeasuredTable table = shop.table();
  REQUIRE(table.rows.size() == 3);
  const evidence::MeasuredRow& row = table.rows[1];
  CHECK(row.source == "corecast measure");
  CHECK(row.framework == "onnxruntime-9.9");
  CHECK(row.runtime == "onnxruntime");
  CHECK(row.model == "fc_512");
  CHECK(row.intra_op == 2);
  CHECK(row.batch == 1);
  CHECK(row.pinning == "none");
  CHECK(row.spin == true);
  CHECK(row.rounds == 2);
  // Rounds of 4 and 4.04 ms (8 over two threads, 1 % more in the second).
  CHECK(*row.latency_ms == doctest::Approx(4.02));
  CHECK(*row.throughput_per_s == doctest::Approx(1000.0 / 4.02));
  CHECK(*row.spread == doctest::Approx(0.04 / 4.02));
  CHECK(table.ignored_columns.empty());
  const std::string csv = shop.csv();
  for (const char* line : {"# corecast: ", "# framework: onnxruntime-9.9\n", "# model: fc_512, built in\n",
                           "# model_checksum: fnv1a64:", "# machine: ", "# granted_cpus: ", "# cpu_quota: ",
                           "# kernel: ", "# method: ", "# date: a Thursday\n"})
    CHECK(has(csv, line));
  CHECK(has(output.out, "fc_512: batch 1"));
  CHECK(has(output.out, "intra 4, not pinned"));
  CHECK(has(output.out, "best"));
  CHECK(has(output.err, "3 settings in 2 processes each, 6 of 6 measurements to do"));
}

TEST_CASE("the report as JSON has every setting, and which is best") {
  const Workshop shop;
  const Output output = shop.measure(plus(kThree, {"--json"}));
  REQUIRE(output.code == 0);
  const auto tree = nlohmann::json::parse(output.out);
  CHECK(tree["schema"] == "corecast.measure/1");
  REQUIRE(tree["results"].size() == 3);
  CHECK(tree["results"][2]["best_latency"] == true);
  CHECK(tree["results"][0]["best_latency"] == false);
  CHECK(tree["results"][2]["setting"]["pinning"] == "none");
  CHECK(tree["results"][0]["noisy"] == false);
  CHECK(tree["remaining"] == 0);
}

TEST_CASE("the same command measures nothing again, and the same bytes come out") {
  const Workshop shop;
  const Output first = shop.measure(kThree);
  const std::string csv = shop.csv();
  const Output again = shop.measure(kThree);
  CHECK(again.code == 0);
  CHECK(again.out == first.out);
  CHECK(shop.csv() == csv);
  CHECK(has(again.err, "0 of 6 measurements to do"));
}

TEST_CASE("an adaptor that dies loses nothing that was measured") {
  const Workshop shop;
  const Output broken = shop.measure(kThree, "crash");
  CHECK(broken.code == 2);
  CHECK(has(broken.err, "was ended by signal 9"));
  CHECK(shop.table().rows.size() == 2);
  const Output rest = shop.measure(kThree);
  CHECK(rest.code == 0);
  CHECK(has(rest.err, "4 of 6 measurements to do"));
  CHECK(shop.table().rows.size() == 3);
}

TEST_CASE("Ctrl-C keeps what is there and ends with 130, and the same command goes on") {
  const Workshop shop;
  // The shell ends `corecast` as a terminal would, as soon as there is a row.
  const std::string command = "\"$corecast\" measure fc_512 -o '" + shop.folder.path("runs.csv") +
                              "' --axes 'intra=1-8 pinning=none' & "
                              "while ! [ -s '" +
                              shop.folder.path("runs.csv") +
                              "' ]; do sleep 0.05; done; "
                              "kill -TERM $!; wait $!";
  const Output output = shell(command, fake("slow"));
  CHECK(output.code == 130);
  CHECK(has(output.err, "interrupted: "));
  CHECK(has(output.err, "the same command goes on"));
  const std::size_t rows = shop.table().rows.size();
  CHECK(rows >= 1);
  CHECK(rows < 8);
  const Output rest = program(
      {"measure", "fc_512", "-o", shop.folder.path("runs.csv"), "--axes", "intra=1-8 pinning=none"}, fake());
  INFO(rest.err);
  CHECK(rest.code == 0);
  CHECK(shop.table().rows.size() == 8);
}

TEST_CASE("a budget ends it with a report that says what remains") {
  const Workshop shop;
  const Output output = shop.measure({"--axes", "intra=1-8 pinning=none", "--budget", "1"}, "slow");
  CHECK(output.code == 0);
  CHECK(has(output.out, "The budget is spent: "));
  CHECK(has(output.out, "of 16 measurements remain."));
  CHECK(has(output.out, "open"));
}

TEST_CASE("settings that fail are named, and only when all do there is no answer") {
  const Workshop shop;
  const Output some = shop.measure(kThree, "fail");
  CHECK(some.code == 0);
  CHECK(has(some.out, "two threads, two faults"));
  CHECK(shop.table().rows.size() == 2);
  const Workshop other;
  const Output all = other.measure({"--axes", "intra=2"}, "fail");
  CHECK(all.code == 3);
  CHECK(has(all.err, "every setting failed; intra 2: two threads, two faults"));
}

TEST_CASE("what was measured on this host is validated on it without being told so") {
  const Workshop shop;
  REQUIRE(shop.measure(kThree).code == 0);
  const std::string runs = shop.folder.path("runs.csv");
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--machine", "host"}}) {
    const Output output = program(plus({"validate", "--measured", runs, "--json"}, more));
    INFO(output.err);
    REQUIRE(output.code == 0);
    CHECK(nlohmann::json::parse(output.out)["rows_used"] == 3);
  }
}

TEST_CASE("a program that ends well without a word has not measured") {
  const Workshop shop;
  const Output output = program(shop.line(kThree), {{"CORECAST_NODE", "/bin/true"}});
  CHECK(output.code == 3);
  CHECK(output.out.empty());
  CHECK(has(output.err, "ended well, but measured nothing"));
  CHECK(shop.folder.names().empty());
}

TEST_CASE("more settings are added to a file, and what it held stays in it") {
  const Workshop shop;
  REQUIRE(shop.measure(kThree).code == 0);
  REQUIRE(shop.measure({"--axes", "intra=3 pinning=none"}).code == 0);
  CHECK(shop.table().rows.size() == 4);
  CHECK(shop.table().rows.front().intra_op == 3);  // those asked for stand first
}

TEST_CASE("another model, method or framework does not go into the same file") {
  const Workshop shop;
  REQUIRE(shop.measure(kThree).code == 0);
  const Output batch = shop.measure(plus(kThree, {"--batch", "4"}));
  CHECK(batch.code == 2);
  CHECK(has(batch.err, "cannot be continued: model_checksum was"));
  CHECK(has(shop.measure(plus(kThree, {"--seed", "2"})).err, "cannot be continued: method was"));
  CHECK(has(shop.measure(plus(kThree, {"--framework-version", "legacy"})).err,
            "cannot be continued: adaptor was"));
  std::filesystem::remove(shop.folder.path("runs.csv.json"));
  CHECK(has(shop.measure(kThree).err, "exists without \"runs.csv.json\""));
  CHECK(shop.table().rows.size() == 3);  // nothing of it was overwritten
}

TEST_CASE("the grid has the sizes of the host, and instances get CPUs of their own or none") {
  const Workshop shop;
  REQUIRE(shop.measure({"--json"}).code == 0);
  const auto runs = nlohmann::json::parse(read_file(shop.folder.path("runs.csv.json")));
  bool one = false, two = false, off = false;
  for (const auto& run : runs["runs"]) {
    const auto& setting = run["setting"];
    one = one || setting["instances"] == 1;
    two = two || setting["instances"] == 2;
    off = off || setting["spin"] == "off";
    if (!setting.contains("cpus")) continue;
    REQUIRE(setting["cpus"].size() == setting["instances"].get<std::size_t>());
    for (const auto& cpus : setting["cpus"]) CHECK(cpus.size() == setting["intra_op"].get<std::size_t>());
    if (setting["instances"] == 2) CHECK(setting["cpus"][0] != setting["cpus"][1]);
  }
  CHECK(one);
  CHECK(two);
  CHECK(off);
}

TEST_CASE("settings come from a CSV with the columns of measurements, and from JSON") {
  const Workshop shop;
  const std::string csv = shop.folder.write(
      "s.csv",
      "# of somewhere\nmachine,intra_op,mode,inter_op,spin,placement,note\nm,1,,,,sequential/numactl,\"a, "
      "b\"\n"
      "m,2,parallel,3,off,,\nm,2,parallel,3,off,,again\n");
  REQUIRE(shop.measure({"--settings", csv}).code == 0);
  const auto rows = shop.table().rows;
  REQUIRE(rows.size() == 2);  // the last one is there already
  CHECK(rows[1].mode == "parallel");
  CHECK(rows[1].inter_op == 3);
  CHECK(rows[1].spin == false);
  const Workshop other;
  const std::string json = other.folder.write(
      "s.json",
      R"([{"intra": 2, "quota": 0.5, "spin": false}, {"intra_op": 1, "instances": 2, "pinning": "stacked"}])");
  const Output output = other.measure({"--settings", json});
  INFO(output.err);
  REQUIRE(output.code == 0);
  CHECK(other.table().rows[0].quota_cpus == 0.5);
  CHECK(other.table().rows[1].pinning == "stacked");
}

TEST_CASE("bad input of measure says what was found and wanted") {
  const Workshop shop;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part) {
    const Output output = shop.measure(more);
    INFO(output.err);
    CHECK(output.code == 2);
    CHECK(has(output.err, part));
    CHECK(output.out.empty());
  };
  refused({"--axes", "intra"}, "--axes: found \"intra\", wanted KEY=LIST");
  refused({"--axes", "intre=1"}, "did you mean \"intra\"?");
  refused({"--axes", "intra=1,x"}, "--axes intra: found \"x\"");
  refused({"--axes", "intra=1 intra=2"}, "is given twice");
  refused({"--axes", "intra=1-4096 inter=1-4096 batch=1-4096"},
          "more than 4096 settings");  // at once, not after 69 billion
  refused({"--axes", "intra=1-1000000"}, "--axes intra");
  refused({"--axes", "intra=1 spin=maybe"}, "wanted on or off");
  refused({"--axes", "mode=eager"}, "wanted sequential or parallel");
  refused({"--axes", "intra=1 batch=4"}, "the model is made for a batch of 1");
  refused({"--axes", "intra=1 quota=0"}, "wanted a number of CPUs");
  refused({"--axes", "intra=1 memory=interleave"}, "numactl");
  refused({"--axes", " "}, "--axes: is empty");
  refused({"--settings", "nowhere.csv"}, "no file is called \"nowhere.csv\"");
  refused({"--settings", shop.folder.write("a.csv", "threads\n1\n")}, "there is no column \"intra_op\"");
  refused({"--settings", shop.folder.write("b.csv", "intra_op,spin\n1\n")},
          "line 2: found 1 cells, wanted 2");
  refused({"--settings", shop.folder.write("c.csv", "intra_op\n")}, "holds no setting");
  refused({"--settings", shop.folder.write("d.json", R"([{"intre": 1}])")}, "did you mean \"intra\"?");
  refused({"--framework", "tensorflow"}, "--framework: found \"tensorflow\"");
  refused({"--framework", "pytorch", "--framework-version", "legacy"}, "--framework-version");
  refused({"--stable", "-1"}, "--stable: found \"-1\"");
  refused({"--budget", "x"}, "--budget: found \"x\"");
  refused({"--timeout", "2"}, "--timeout: found 2 s");
  refused({"--value", "x"}, "--value: found \"x\"");
  refused({"--shape", "x=1x2"}, "--shape");
  const auto of = [&](const std::string& model, const std::string& part) {
    const Output output = program({"measure", model, "-o", shop.folder.path("x.csv")}, fake());
    INFO(output.err);
    CHECK(output.code == 2);
    CHECK(has(output.err, part));
  };
  of("fc_51", "did you mean \"fc_512\"?");
  of(shop.folder.write("g.json", "{}"), "is a graph, which no framework runs");
  of(shop.folder.write("m.pt", "x"), "--framework pytorch runs it");
  CHECK(shop.measure({}, "refuse").code == 2);
  CHECK(has(shop.measure({}, "refuse").err, "the moon is not installed"));
  CHECK(program({"measure", "fc_512"}, fake()).code == 1);  // where to?
  CHECK(program({"measure", "fc_512", "-o", "-"}, fake()).code == 2);
  const Output no_node = program(shop.line({}), {{"CORECAST_NODE", "/nonexistent/node"}});
  CHECK(no_node.code == 2);
  CHECK(has(no_node.err, "setup.sh"));
}

TEST_CASE("the real onnxruntime runs a built-in model, where it is installed") {
  const Workshop shop;
  const Output output = program({"measure", "fc_512", "-o", shop.folder.path("runs.csv"), "--axes", "intra=1",
                                 "--processes", "1", "--repetitions", "3", "--stable", "0"});
  if (output.code == 2 && has(output.err, "setup.sh")) {
    MESSAGE("skipped: " << output.err);
    return;
  }
  INFO(output.err);
  CHECK(output.code == 0);
  const evidence::MeasuredTable table = shop.table();
  REQUIRE(table.rows.size() == 1);
  CHECK(*table.rows[0].latency_ms > 0.0);
  CHECK(table.rows[0].runtime == "onnxruntime");
}
