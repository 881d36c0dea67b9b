// The parts that JSON reports share; field names are the output contract: fields may be added, never renamed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/confidence.hpp"
#include "cli/inputs.hpp"
#include "sim/advice.hpp"
#include "sim/forecast.hpp"
#include "sim/search.hpp"

namespace corecast::cli {

using Tree = nlohmann::ordered_json;

// {"schema": "corecast.NAME/1", "version": "0.1.0"}
[[nodiscard]] Tree report(const std::string& name);

// Whole numbers exact, others rounded to six significant digits: more than a forecast has, and the same bytes
// wherever it is computed. Aborts on NaN and infinity.
[[nodiscard]] Tree number(double value);

[[nodiscard]] Tree tree_of(const sim::Setting& setting);
[[nodiscard]] Tree tree_of(const sim::Forecast& forecast);
[[nodiscard]] Tree tree_of(const std::vector<sim::Message>& messages);
// code, text; cause, gain and setting where there are some.
[[nodiscard]] Tree tree_of(const sim::Advice& advice);
[[nodiscard]] Tree tree_of(const ModelInput& model);
void add_form(Tree& tree, const ModelForm& form);  // sequence (where there is one), dtype, training
[[nodiscard]] Tree tree_of(const MachineInput& machine);
[[nodiscard]] Tree tree_of(const sim::Runtime& runtime);
[[nodiscard]] Tree tree_of(const OriginCounts& origins);
[[nodiscard]] Tree tree_of(const Confidence& confidence);
[[nodiscard]] Tree tree_of_candidate(const sim::Candidate& candidate);  // setting, forecast, loss, why

// Indented text with a line end. Broken UTF-8 in names becomes U+FFFD.
[[nodiscard]] std::string text_of(const Tree& tree);

}  // namespace corecast::cli
