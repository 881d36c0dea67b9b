// One event of a Chrome trace, from its JSON. Internal to the reader.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "calibration/profile/trace.hpp"

namespace corecast::calibration::profile {

// Nothing for an event of another kind. `place` stands before messages: "run.json: event 12".
[[nodiscard]] std::optional<Event> event_of(const nlohmann::json& event, const std::string& place);

}  // namespace corecast::calibration::profile
