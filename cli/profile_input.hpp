// What --profile names, read and fitted, and its part of a report.
#pragma once

#include <string>

#include "calibration/profile/fit.hpp"
#include "calibration/profile/profile.hpp"
#include "cli/inputs.hpp"
#include "cli/json_views.hpp"
#include "cli/options.hpp"

namespace corecast::cli {

struct ProfileInput {
  calibration::profile::Profile profile;
  calibration::profile::ProfileFit fit;  // its runtime is what to forecast with
};

// InputError: see calibration/profile; a setting that the file contradicts, or that neither it nor the user tells.
[[nodiscard]] ProfileInput load_profile(const ProfileChoice& choice, const ModelInput& model,
                                        const MachineInput& machine, const sim::Runtime& runtime);

// "\nProfile\n...": what was matched, factors by kernel class, and what it changed.
[[nodiscard]] std::string profile_text(const ProfileInput& input, int width);
[[nodiscard]] Tree profile_tree(const ProfileInput& input);

}  // namespace corecast::cli
