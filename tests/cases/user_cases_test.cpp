// Public reports of users against the forecasts: bars in checks.hpp, cases and what is known of them in data/user_cases.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "tests/cases/checks.hpp"
#include "tests/cases/user_cases.hpp"

using namespace corecast;
using cases::Case;
using cases::Check;

namespace {

const std::string kData = CORECAST_DATA_DIRECTORY;

const cases::UserCases& reports() {
  static const cases::UserCases all = cases::read_user_cases(kData + "/user_cases/cases.json");
  return all;
}

// What came out of one check; an input that cannot be had is a check that does not hold.
cases::Outcome outcome_of(cases::Forecaster& forecaster, const Case& one, const Check& check) {
  try {
    return forecaster.run(one, check);
  } catch (const InputError& error) {
    return {.forecast = error.what()};
  }
}

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

struct Counts {
  int cases = 0, expressible = 0, cases_that_hold = 0, checks = 0, hold = 0, overstated = 0;
};

}  // namespace

TEST_CASE("every report has a public address, and says why where it cannot be expressed or forecast") {
  std::set<std::string> ids;
  for (const Case& one : reports().cases) {
    CAPTURE(one.id);
    CHECK(ids.insert(one.id).second);
    CHECK(one.url.rfind("https://", 0) == 0);
    CHECK_FALSE(one.saw.empty());
    CHECK(one.expressible == one.reason.empty());
    for (const Check& check : one.checks) CHECK(check.holds == check.why.empty());
  }
}

TEST_CASE("what users reported is forecast, apart from the failures that are listed with the cases") {
  cases::Forecaster forecaster(kData, reports());
  Counts counts;
  fmt::print("{:<16} {:<13} {:<5} {:<40} {}\n", "case", "check", "holds", "forecast", "measured, or wanted");
  for (const Case& one : reports().cases) {
    ++counts.cases;
    if (!one.expressible) continue;
    ++counts.expressible;
    bool all = true;
    for (const Check& check : one.checks) {
      const cases::Outcome outcome = outcome_of(forecaster, one, check);
      const std::string mark = outcome.overstated ? " (overstated)" : "";
      fmt::print("{:<16} {:<13} {:<5} {:<40} {}\n", cut(one.id, 16), check.type, outcome.holds ? "yes" : "no",
                 outcome.forecast + mark, outcome.measured);
      ++counts.checks;
      counts.hold += outcome.holds ? 1 : 0;
      counts.overstated += outcome.overstated ? 1 : 0;
      all = all && outcome.holds;
      const std::string what =
          fmt::format("{}: {}: forecast {}, reported {}{}{}", one.id, check.type, outcome.forecast,
                      outcome.measured, check.why.empty() ? "" : "; listed as failing: ", check.why);
      CHECK_MESSAGE(outcome.holds == check.holds, what);
    }
    counts.cases_that_hold += all ? 1 : 0;
  }
  fmt::print("{} reports, {} expressible; of these {} hold ({:.0f} %), in {} of {} checks; {} overstated\n",
             counts.cases, counts.expressible, counts.cases_that_hold,
             100.0 * counts.cases_that_hold / counts.expressible, counts.hold, counts.checks,
             counts.overstated);
}
