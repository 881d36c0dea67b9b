// One kernel of a library, ready to be called again and again.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace corecast::calibration::microbench {

// Repeated calls work on the same buffers: as much of them as a cache holds is warm there, and weights that
// fit are read from cache, as in a model that has nothing between two of its runs. Working set =
// bytes_of(problem).
struct LibraryCall {
  std::string refused;         // why the library has no such kernel here; the rest is empty then
  std::string implementation;  // what it dispatched
  std::function<void()> run;   // one call; returns when the result is there
  // The result in row-major order (images, channels, height, width), as fp32.
  std::function<std::vector<float>()> result;
};

}  // namespace corecast::calibration::microbench
