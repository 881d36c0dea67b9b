#include "calibration/evidence/evidence.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "tests/evidence/evidence_support.hpp"

namespace corecast::evidence {
namespace {

using test::request;

const std::string kSweep =
    "s,m,pytorch-2.0,one,eager,1,,,1,110\n"  // forecast 100: -1/11
    "s,m,pytorch-2.0,one,eager,1,,,2,50\n"   // 50: 0
    "s,m,pytorch-2.0,one,eager,1,,,4,20\n"   // 25: +1/4
    "s,m,pytorch-2.0,one,eager,1,,,8,25\n";  // 12.5: -1/2

TEST_CASE("errors, bias and regret of a sweep are those worked out by hand") {
  const Evidence found = examine(request(kSweep));
  CHECK(found.rows == 4);
  CHECK(found.rows_used == 4);
  CHECK(found.skipped.empty());
  REQUIRE(found.groups.size() == 1);
  const Group& group = found.groups.front();
  REQUIRE(group.points.size() == 4);
  CHECK(group.points[2].forecast_ms == doctest::Approx(25.0));
  CHECK(group.points[2].error() == doctest::Approx(0.25));
  // Absolute errors 0, 1/11, 1/4, 1/2. Median (1/11 + 1/4) / 2; p90 at h = 2.7: 0.25 + 0.7 x 0.25 = 0.425
  REQUIRE(group.errors);
  CHECK(group.errors->median == doctest::Approx(0.17045).epsilon(1e-4));
  CHECK(group.errors->p90 == doctest::Approx(0.425));
  CHECK(group.errors->max == doctest::Approx(0.5));
  CHECK(group.errors->bias == doctest::Approx(std::pow(100.0 / 110.0 * 1.25 * 0.5, 0.25)));
  // The least forecast is at 8 threads, measured 25; best 20: 0.25
  REQUIRE(group.latency);
  CHECK(group.latency->pick.regret == doctest::Approx(0.25));
  // Ranks measured 4 3 1 2, forecast 4 3 2 1: 1 - 6 x 2 / (4 x 15) = 0.8; Kendall: one of six pairs wrong, 4/6
  CHECK(group.spearman.value() == doctest::Approx(0.8));
  CHECK(group.kendall.value() == doctest::Approx(2.0 / 3.0));
  CHECK(group.pairs == 6);
  CHECK(group.pairs_right.value() == doctest::Approx(5.0 / 6.0));
  CHECK(group.noise.from == "none");
  CHECK_FALSE(group.throughput);
  CHECK(found.overall.latency->regret.max == doctest::Approx(0.25));
  CHECK(found.batch_1->errors->count == 4);
}

TEST_CASE("rules are judged on the same rows") {
  const Evidence found = examine(request(kSweep));
  const auto regret = [&](const std::string& name) {
    for (const Choice& rule : found.groups.front().latency->rules) {
      if (rule.name == name) return rule.regret;
    }
    FAIL("no rule " << name);
    return 0.0;
  };
  CHECK(regret("one_thread") == doctest::Approx(110.0 / 20.0 - 1.0));
  CHECK(regret("all_physical_cores") == doctest::Approx(0.25));  // 8 threads
  CHECK(regret("most_threads_measured") == doctest::Approx(0.25));
  CHECK(regret("socket_cores") == doctest::Approx(0.0));             // 4 threads
  CHECK(regret("socket_cores_minus_2") == doctest::Approx(1.5));     // 2 threads: 50 / 20
  CHECK(regret("physical_cores_minus_2") == doctest::Approx(0.25));  // 6: nearer to 8 than to 4
  // Not measured: 6 threads, and two or eight inter-op threads.
  const std::set<std::string> nearest{"intel_tensorflow", "physical_cores_minus_2", "tensorflow_default",
                                      "tensorflow_guide"};
  for (const RuleSummary& rule : found.overall.latency->rules) {
    INFO(rule.name);
    CHECK(rule.nearest == nearest.count(rule.name));
  }
}

TEST_CASE("repeated rows are one point, their median, and give the noise floor") {
  // 100, 90, 104: median 100, half range (104 - 90) / 2 = 7 of 100
  const Evidence found =
      examine(request("s,m,pytorch,one,,1,,,1,100\ns,m,pytorch,one,,1,,,1,90\ns,m,pytorch,one,,1,,,1,104\ns,"
                      "m,pytorch,one,,1,,,2,50\n"));
  REQUIRE(found.groups.size() == 1);
  const Group& group = found.groups.front();
  CHECK(group.rows == 4);
  REQUIRE(group.points.size() == 2);
  CHECK(group.points[0].rows == 3);
  CHECK(group.points[0].measured_ms == 100.0);
  CHECK(group.noise.from == "repeats");
  CHECK(group.noise.floor == doctest::Approx(0.07));
  CHECK_FALSE(group.latency);  // two settings: too few for a regret
  CHECK_FALSE(group.spearman);
  REQUIRE(group.errors);
  CHECK_FALSE(found.overall.latency);
}

TEST_CASE("a point measured under two sources tells how far sources differ") {
  const Evidence found =
      examine(request("a,m,pytorch,one,,1,,,1,100\nb,m,pytorch,one,,1,,,1,125\na,m,pytorch,one,,1,,,2,50\n"));
  CHECK(found.groups.size() == 2);
  REQUIRE(found.between_sources.size() == 1);
  CHECK(found.between_sources[0].difference.count == 1);
  CHECK(found.between_sources[0].difference.max == doctest::Approx(0.25));
}

TEST_CASE("an anchor makes its row exact, scales the others, and is no error") {
  Request asked = request(kSweep);
  asked.anchor = Anchor{1, {}, {}, {}};
  const Evidence found = examine(asked);
  REQUIRE(found.groups.size() == 1);
  const Group& group = found.groups.front();
  CHECK(group.points[0].anchor);
  CHECK(group.points[0].error() == 0.0);
  CHECK(group.points[1].forecast_ms == doctest::Approx(55.0));  // 50 x 110 / 100
  CHECK(group.errors->points == 3);
  CHECK(group.latency->pick.regret == doctest::Approx(0.25));  // the order is the same
  CHECK(found.not_anchored.empty());
}

TEST_CASE("groups without the anchor's row are listed and left out") {
  Request asked = request(kSweep + "t,m,pytorch-2.0,one,eager,1,,,2,50\n");
  asked.anchor = Anchor{1, {}, {}, {}};
  const Evidence found = examine(asked);
  CHECK(found.groups.size() == 1);
  REQUIRE(found.not_anchored.size() == 1);
  CHECK(found.not_anchored[0].source == "t");
  CHECK(found.rows_used == 4);
  REQUIRE(found.skipped.size() == 1);
  CHECK(found.skipped[0].reason == "its group has no row to anchor it (intra_op=1)");
}

TEST_CASE("an anchor of one batch scales the groups of the others") {
  Request asked = request("s,m,pytorch,fc,,8,,,1,10\ns,m,pytorch,fc,,2,,,1,5\n");
  asked.graphs = {{"fc", "fc_512"}};
  asked.anchor = Anchor{1, {}, {}, 8};
  const Evidence found = examine(asked);
  REQUIRE(found.groups.size() == 2);
  CHECK(found.groups[0].key.batch == 2);
  CHECK(found.groups[0].scale.value() == found.groups[1].scale.value());
  CHECK_FALSE(found.groups[0].points[0].anchor);
  CHECK(found.groups[1].points[0].forecast_ms == 10.0);
}

TEST_CASE("instances: the regret on throughput is told where they differ") {
  // 8 cores: 1 x 8 is forecast 12.5 ms (80 /s), 2 x 4 25 ms (80 /s), 8 x 1 100 ms (80 /s); of equal ones the fewest threads, then
  // the first: all have 8, so 1 x 8, measured 1 / 20 ms = 50 /s; the best is 8 / 110 ms = 72.7 /s.
  const Evidence found = examine(
      request("s,m,pytorch,one,,1,1,,8,20\ns,m,pytorch,one,,1,2,,4,30\ns,m,pytorch,one,,1,8,,1,110\n"));
  const Group& group = found.groups.front();
  REQUIRE(group.throughput);
  CHECK(group.points[group.throughput->best].setting.instances == 8);
  CHECK(group.throughput->pick.regret <= 8.0 / 110.0 * 20.0 - 1.0 + 1e-9);
  CHECK(group.latency->pick.regret == 0.0);
}

TEST_CASE("rows that cannot be forecast are counted by reason, most first") {
  const Evidence found =
      examine(request("s,m,pytorch,two,,1,,,1,1\ns,x,pytorch,one,,1,,,1,1\n"
                      "s,x,pytorch,one,,1,,,2,1\ns,m,pytorch,one,ipex,1,,,1,1\n"
                      "s,m,pytorch,one,,1,,,,1\ns,m,pytorch,one,,1,,,1,\n"));
  CHECK(found.rows == 6);
  CHECK(found.rows_used == 0);
  CHECK(found.groups.empty());
  REQUIRE(found.skipped.size() == 5);
  CHECK(found.skipped[0].reason == "machine \"x\" is unknown");
  CHECK(found.skipped[0].count == 2);
  CHECK_FALSE(found.overall.errors);
}

TEST_CASE("a graph that is written for another batch is a reason, not a failure") {
  const Evidence found = examine(request("s,m,pytorch,one,,4,,,1,1\n"));
  REQUIRE(found.skipped.size() == 1);
  CHECK(found.skipped[0].reason.find("written for batch 1, batch 4 was asked for") != std::string::npos);
}

TEST_CASE("spin splits groups where it is asked for, onnxruntime's mode is part of the setting") {
  Request asked = request("");
  asked.runtimes[0].name = "onnxruntime";
  asked.runtimes[0].framework = "onnxruntime";
  asked.runtimes[0].policy = "onnxruntime";
  asked.tables = {
      parse_measured("machine,framework,model,mode,batch,inter_op,intra_op,spin,latency_ms\n"
                     "m,onnxruntime,one,sequential,1,1,1,on,100\n"
                     "m,onnxruntime,one,parallel,1,2,1,on,100\n"
                     "m,onnxruntime,one,sequential,1,1,1,off,100\n",
                     "m.csv")};
  CHECK(examine(asked).groups.size() == 1);
  asked.by_inter_op = true;
  CHECK(examine(asked).groups.size() == 2);
  asked.by_inter_op = false;
  CHECK(examine(asked).groups[0].points.size() == 3);
  asked.by_spin = true;
  CHECK(examine(asked).groups.size() == 2);
  asked.by_mode = true;
  CHECK(examine(asked).groups.size() == 3);
}

}  // namespace
}  // namespace corecast::evidence
