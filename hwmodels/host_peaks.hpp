// Peaks of the vector extensions this host has, from those its family has.
#pragma once

#include <string>
#include <vector>

#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {

// Drops peaks and clock points of extensions that are not in `extensions` (a virtual machine or the operating system may
// hide them), and guesses those the family lacks, each with a warning. No change when `extensions` is empty (unknown).
// The group keeps an fp32 peak and a clock point in any case.
void fit_extensions(CoreGroup& group, const std::vector<Extension>& extensions,
                    std::vector<std::string>& warnings);

}  // namespace corecast::hwmodels
