// TorchScript's fork and wait over PyTorch's inter-op pool, with an operator that sleeps. All of PyTorch that the check
// includes is behind this header.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace corecast::check {

struct Ran {
  double start = 0.0;  // seconds since the function was called
  double end = 0.0;
  int thread = 0;  // numbered as they first ran an operator; 0: the caller of the function
};

// Once in a process, before anything runs.
void set_interop_threads(int threads);

// TorchScript source of functions; run(0) is called, twice with lengths of zero to be compiled, then with `lengths`. In it
// sleep(i, after) sleeps for lengths[i]; its integer argument and result make operators depend on each other. A fork must
// have an argument that is not a constant: the compiler of 1.13 fails otherwise.
[[nodiscard]] std::vector<Ran> run_script(const std::string& source, const std::vector<double>& lengths);

}  // namespace corecast::check
