// `corecast validate` as a user runs it: what is refused, which machine and runtime rows get, the files it writes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/cli/process.hpp"

using namespace corecast::test;
using nlohmann::json;

namespace {

const std::string kHead = "machine,framework,model,mode,batch,inter_op,intra_op,latency_ms\n";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

json validated(const std::string& file, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"validate", "--measured", file, "--json"});
  const Output output = program(more);
  INFO(output.err);
  REQUIRE(output.code == 0);
  return json::parse(output.out);
}

void check_refused(std::vector<std::string> more, const std::string& message, int code = 2) {
  more.insert(more.begin(), "validate");
  const Output output = program(more);
  INFO(output.err);
  CHECK(output.code == code);
  CHECK(output.out.empty());
  CHECK(has(output.err, message));
  CHECK(output.err.find('\n') == output.err.size() - 1);
}

}  // namespace

TEST_CASE("wrong options of validate are told with what was wanted") {
  const std::string runs = data("runs.csv");
  check_refused({"--measured", "no_such.csv"}, "no_such.csv");
  check_refused({"--measured", runs, "--machine", "two-sockets", "--machine", "other"},
                "are both for all rows");
  check_refused({"--measured", runs, "--machine", "elsewere=two-sockets"}, "did you mean \"elsewhere\"?");
  check_refused({"--measured", runs, "--graph", "branches"}, "wanted NAME=MODEL");
  check_refused({"--measured", runs, "--graph", "branches=nothing.onnx"}, "no file and no built-in model");
  check_refused({"--measured", runs, "--graph", "tree=resnet50"}, "the data has no model \"tree\"");
  check_refused({"--measured", runs, "--runtime", "onnxruntim"}, "--runtime");
  check_refused({"--measured", runs, "--runtime", "jax=onnxruntime"},
                "the data has no mode or framework \"jax\"");
  check_refused({"--measured", runs, "--anchor", "intraop=1"}, "did you mean \"intra_op\"?");
  check_refused({"--measured", runs, "--anchor", "intra_op=0"}, "--anchor intra_op");
  check_refused({"--measured", runs, "--anchor", "intra_op"}, "wanted KEY=COUNT");
  check_refused({"--measured", runs, "--by", "batch"}, "wanted mode or inter_op or spin or runtime");
  check_refused({"--measured", runs, "--plot", "-"}, "wanted the name of a file");
  check_refused({"--measured", runs, "--csv", runs}, "is the file that is read");
  const Folder folder;
  check_refused({"--measured", runs, "--graph", "branches=" + folder.path("")},
                "is a directory, wanted a model");
  const std::string out = folder.path("out");
  check_refused({"--measured", runs, "--csv", out, "--plot", folder.path("./out")},
                "is the file of --csv too");
  CHECK(folder.names().empty());
  const std::string copy = folder.path("link.csv");
  std::filesystem::create_symlink(runs, copy);
  check_refused({"--measured", runs, "--measured", copy}, "link.csv\" is given twice");
}

TEST_CASE("a bad cell is told with its place, and data of which nothing can be forecast is no answer") {
  const Folder folder;
  const std::string bad = folder.write("bad.csv", kHead + "two-sockets,onnxruntime,alexnet,,1,1,many,5\n");
  check_refused({"--measured", bad}, "line 2: column intra_op: \"many\"");
  const std::string none = folder.write("none.csv", kHead + "nowhere,onnxruntime,alexnet,,1,1,1,5\n");
  check_refused({"--measured", none}, "machine \"nowhere\" is unknown", 3);
  check_refused({"--measured", folder.write("head.csv", kHead)}, "the files have no rows", 3);
}

TEST_CASE(
    "a plain --machine is for all rows where the data names one machine, else for those of that machine") {
  const Folder folder;
  const std::string row = ",onnxruntime,alexnet,,1,1,1,5\n";
  const std::string one = folder.write("one.csv", kHead + "nowhere" + row);
  CHECK(validated(one, {"--machine", "two-sockets"})["rows_used"] == 1);
  const std::string two = folder.write("two.csv", kHead + "nowhere" + row + "two-sockets-alias" + row);
  const json some = validated(two, {"--machine", "two-sockets"});
  CHECK(some["rows_used"] == 1);
  CHECK(some["rows_skipped"][0]["reason"] == "machine \"nowhere\" is not the one of --machine two-sockets");
  CHECK(validated(two, {"--machine", "nowhere=two-sockets"})["rows_used"] == 2);
}

TEST_CASE("a runtime file stands in for the runtime of its name") {
  const Folder folder;
  const json plain = validated(data("runs.csv"));
  const std::string text = corecast::read_file(data("runtimes/onnxruntime.json"));
  const json same = validated(data("runs.csv"), {"--runtime", folder.write("same.json", text)});
  CHECK(same["overall"] == plain["overall"]);
  // Operators cost 10 ms more each, which shows.
  json slow = json::parse(text);
  slow["costs"]["dispatch"]["value"] = "10 ms";
  const std::string file = folder.write("slow.json", slow.dump());
  CHECK(validated(data("runs.csv"), {"--runtime", file})["overall"]["bias"] > plain["overall"]["bias"]);
  check_refused({"--measured", data("runs.csv"), "--runtime", file, "--csv", file},
                "is the file that is read");
  check_refused({"--measured", data("runs.csv"), "--runtime", folder.write("not.json", "{")}, "not.json");
}

TEST_CASE("files written beside the report: a line a setting, and a drawing") {
  const Folder folder;
  const std::string csv = folder.path("out.csv"), plot = folder.path("out.svg");
  const json report = validated(
      data("runs.csv"), {"--graph", "branches=" + data("two_branches.json"), "--csv", csv, "--plot", plot});
  const std::string table = corecast::read_file(csv);
  CHECK(std::count(table.begin(), table.end(), '\n') == 1 + report["overall"]["settings"].get<int>());
  const std::string drawing = corecast::read_file(plot);
  CHECK(drawing.starts_with("<svg "));
  CHECK(drawing.ends_with("</svg>\n"));
  CHECK_FALSE(has(drawing, "nan"));
  CHECK_FALSE(has(drawing, "inf"));
  CHECK(folder.names() == std::vector<std::string>{"out.csv", "out.svg"});
  // What was written can be read again, and says the same.
  const json again = validated(csv, {"--graph", "branches=" + data("two_branches.json")});
  CHECK(again["overall"]["error_median"] == report["overall"]["error_median"]);
}

TEST_CASE("--rows adds the settings to the JSON, --anchor says so and makes its row exact") {
  const json plain = validated(data("runs.csv"));
  CHECK_FALSE(plain["groups"][0].contains("points"));
  CHECK(plain["anchored"] == false);
  const json anchored = validated(data("runs.csv"), {"--rows", "--anchor", "intra_op=1"});
  CHECK(anchored["anchored"] == true);
  const json& first = anchored["groups"][0]["points"][0];
  CHECK(first["anchor"] == true);
  CHECK(first["error"] == 0);
}
