// Before clocks are fitted: flop per cycle of each type and extension, and at which core counts a clock gets
// a point.
#pragma once

#include "calibration/fit/calibration.hpp"

namespace corecast::calibration {

// Flop per cycle is a design number, so it is not fitted but chosen: the machine's (or the power of two
// nearest to rate over clock for a pair that it does not list), its half or its double, whichever puts the
// clock under that extension nearest to the scalar clock with as many cores busy, and not above the highest
// clock by more than 15 % (two rows of 3 % noise stand against each other). The half is what a processor with
// one 512-bit unit has.
void choose_peaks(const Measurements& measurements, Calibration& calibration);

// Clock points of each extension that rows show: at one core, two, all measured, and where the rest is more
// than 4 % and four times the curve's own noise off the line between its neighbours, five at most. Points for
// more cores than were measured stay.
void choose_clock_points(const Measurements& measurements, Calibration& calibration);

}  // namespace corecast::calibration
