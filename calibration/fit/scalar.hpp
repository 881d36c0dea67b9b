// The scalar that closed forms are evaluated with besides double: a value and its derivatives.
#pragma once

#include <ceres/jet.h>

namespace corecast::calibration {

// No closed form of ours takes more parameters than this.
inline constexpr int kMostUnknownsOfTerm = 10;
using Jet = ceres::Jet<double, kMostUnknownsOfTerm>;

}  // namespace corecast::calibration
