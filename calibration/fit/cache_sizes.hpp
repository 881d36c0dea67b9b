// Do the stated cache sizes agree with bandwidth and latency over the working set?
#pragma once

#include "calibration/fit/calibration.hpp"

namespace corecast::calibration {

// For each shared cache: beyond 1.5 times the level before, rates of one thread stay on a plateau and fall
// where the cache ends. A fall (to 0.7 of the plateau's rate, or to 2.5 times its latency, for good) below
// half the stated size, or beyond 2.5 times it, contradicts what is stated: hypervisors report what they
// like. Latency is asked only
// where no rates reach that far: under a hypervisor it rises where the translation of pages ends. The size is then taken
// from the fall and a warning says so, because which level a row shows depends
// on it. Not for private caches: they are stated right, and the fall behind them is too gentle.
void check_cache_sizes(const Measurements& measurements, Calibration& calibration);

}  // namespace corecast::calibration
