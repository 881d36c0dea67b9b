// Properties over random tables of one operator's sweep.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "tests/evidence/evidence_support.hpp"

namespace corecast::evidence {
namespace {

struct Line {
  int source, instances, intra, microseconds;
};

std::vector<Line> any_lines() {
  std::vector<Line> lines;
  const int count = *rc::gen::inRange(1, 25);
  for (int i = 0; i < count; ++i)
    lines.push_back({*rc::gen::inRange(0, 2), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 9),
                     *rc::gen::inRange(100, 200'000)});
  return lines;
}

std::string rows_of(const std::vector<Line>& lines) {
  std::string rows;
  for (const Line& line : lines)
    rows += fmt::format("{},m,pytorch,one,,1,{},,{},{}\n", line.source, line.instances, line.intra,
                        line.microseconds / 1e3);
  return rows;
}

void check_no_regret_below_zero(const std::optional<Decision>& decision) {
  if (!decision) return;
  RC_ASSERT(decision->pick.regret >= 0.0);
  for (const Choice& rule : decision->rules) RC_ASSERT(rule.regret >= 0.0);
}

TEST_CASE("no regret is below zero, and every row is used or counted") {
  CHECK(rc::check([] {
    Request asked = test::request(rows_of(any_lines()));
    if (*rc::gen::inRange(0, 2) == 1) asked.anchor = Anchor{*rc::gen::inRange(1, 9), {}, {}, {}};
    const Evidence found = examine(asked);
    std::int64_t skipped = 0;
    for (const Skipped& one : found.skipped) skipped += one.count;
    RC_ASSERT(found.rows == found.rows_used + skipped);
    for (const Group& group : found.groups) {
      check_no_regret_below_zero(group.latency);
      check_no_regret_below_zero(group.throughput);
      int anchors = 0;
      for (const Point& point : group.points) {
        anchors += point.anchor;
        if (point.anchor) RC_ASSERT(point.error() == 0.0);
      }
      RC_ASSERT(anchors == (asked.anchor ? 1 : 0));
    }
  }));
}

TEST_CASE("the order of rows in a file does not matter") {
  CHECK(rc::check([] {
    std::vector<Line> lines = any_lines();
    const Evidence one = examine(test::request(rows_of(lines)));
    std::reverse(lines.begin(), lines.end());
    const Evidence other = examine(test::request(rows_of(lines)));
    RC_ASSERT(one.groups.size() == other.groups.size());
    RC_ASSERT(one.overall.errors->median == other.overall.errors->median);
    for (std::size_t i = 0; i < one.groups.size(); ++i) {
      RC_ASSERT(one.groups[i].key == other.groups[i].key);
      RC_ASSERT(one.groups[i].points.size() == other.groups[i].points.size());
      for (std::size_t k = 0; k < one.groups[i].points.size(); ++k) {
        RC_ASSERT(one.groups[i].points[k].setting == other.groups[i].points[k].setting);
        RC_ASSERT(one.groups[i].points[k].measured_ms == other.groups[i].points[k].measured_ms);
      }
    }
  }));
}

TEST_CASE("measurements twice as long halve every ratio and leave every regret as it was") {
  CHECK(rc::check([] {
    std::vector<Line> lines = any_lines();
    const Evidence one = examine(test::request(rows_of(lines)));
    for (Line& line : lines) line.microseconds *= 2;
    const Evidence other = examine(test::request(rows_of(lines)));
    RC_ASSERT(std::abs(other.overall.bias / one.overall.bias - 0.5) < 1e-9);
    RC_ASSERT(one.overall.latency.has_value() == other.overall.latency.has_value());
    if (one.overall.latency)
      RC_ASSERT(std::abs(one.overall.latency->regret.max - other.overall.latency->regret.max) < 1e-9);
  }));
}

}  // namespace
}  // namespace corecast::evidence
