// The settings ranked, what goes with them, and their two views.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/confidence.hpp"
#include "cli/inputs.hpp"
#include "cli/profile_input.hpp"
#include "cli/snippets.hpp"
#include "sim/advice.hpp"
#include "sim/search.hpp"

namespace corecast::cli {

// The setting that the user has now (--current).
struct CurrentSetting {
  sim::Candidate candidate;         // loss against the best
  std::vector<sim::Advice> advice;  // what is wrong with it
};

struct TuneReport {
  ModelInput model;
  MachineInput machine;
  sim::Runtime runtime;
  sim::Objective objective = sim::Objective::latency;
  sim::SearchResult result;
  std::optional<CurrentSetting> current;
  std::optional<ProfileInput> profile;
  Confidence confidence;
  std::vector<sim::Message> advice;  // that goes with the best
  std::vector<sim::Message> warnings;
  std::vector<Snippet> snippets;
  std::string snippet_choice;     // --snippet
  std::optional<double> seconds;  // of the search; only where it was asked for: it differs from run to run
};

[[nodiscard]] std::string text_of(const TuneReport& report, int width);
[[nodiscard]] std::string json_of(const TuneReport& report);

}  // namespace corecast::cli
