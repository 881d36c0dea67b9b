// The command line that starts a program on its CPUs: numactl where memory has more than one domain, else
// taskset.
#pragma once

#include <string>
#include <vector>

#include "cli/cpu_numbers.hpp"

namespace corecast::cli {

// One line an instance, a loop when there are many. `cpus` empty: says that there is nothing to pin. -m binds
// memory to the domains of the CPUs when they are not all the machine has. `host` false: a comment says which
// numbering is meant.
[[nodiscard]] std::string launch_text(const std::vector<InstanceCpus>& cpus, int domains, bool host);

}  // namespace corecast::cli
