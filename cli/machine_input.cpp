#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/checksum.hpp"
#include "cli/data_directory.hpp"
#include "cli/inputs.hpp"
#include "hwmodels/cpu_list.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;
using sim::Message;

std::vector<Message> messages(const char* code, const std::vector<std::string>& texts) {
  std::vector<Message> out;
  for (const std::string& text : texts) out.push_back({code, text});
  return out;
}

void append(std::vector<Message>& to, std::vector<Message> more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Threads that can still be created: the limit less what runs already, this program's own threads too.
std::optional<long long> thread_limit(const hwmodels::Grant& grant) {
  if (!grant.pids_limit) return std::nullopt;
  return std::max(0LL, *grant.pids_limit - grant.pids_used.value_or(0));
}

// Of a calibrated machine, wherever it comes from.
void add_doubts(MachineInput& input) {
  if (!input.machine.calibration || input.machine.calibration->warnings.empty()) return;
  const std::vector<std::string>& doubts = input.machine.calibration->warnings;
  const std::string more = doubts.size() == 1 ? "" : fmt::format(" (and {} more)", doubts.size() - 1);
  input.warnings.push_back(
      {"CALIBRATION_DOUBTFUL",
       fmt::format("the calibration in use is doubtful: {}{}; {}", doubts.front(), more,
                   input.origin == "host" ? "`corecast calibrate` on a quiet machine replaces it"
                                          : "calibration.warnings of the machine file has them all")});
}

MachineInput load_host() {
  MachineInput input;
  try {
    input.host = hwmodels::detect_host();
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw InputError("host", error.what(), "give a machine of the catalogue or a file to --machine");
  }
  input.calibration = apply_calibration(*input.host);
  const hwmodels::Host& host = *input.host;
  hwmodels::GrantedMachine granted = hwmodels::restrict_to_grant(host);
  input.origin = "host";
  input.machine = host.machine;
  input.target.machine = std::move(granted.machine);
  input.target.quota_cpus = host.grant.quota_cpus;
  input.target.thread_limit = thread_limit(host.grant);
  append(input.warnings, messages("HOST_DETECTION", host.warnings));
  append(input.warnings, messages("GRANT_UNCLEAR", host.grant.warnings));
  append(input.warnings, messages("GRANT_UNEVEN", granted.warnings));
  if (!input.calibration) {
    input.advice.push_back(
        {"NOT_CALIBRATED",
         "nobody has measured this host yet: `corecast calibrate` does, in about two minutes, and "
         "later runs use what it finds"});
  }
  const std::vector<int> usable = host.grant.usable();
  if (usable.size() < host.grant.online.size()) {
    input.advice.push_back(
        {"CPUSET",
         fmt::format(
             "only CPUs {} of {} are granted (affinity mask or cpuset), and a framework's default thread "
             "count may not see that: set it explicitly",
             hwmodels::cpu_list_text(usable), host.grant.online.size())});
  }
  return input;
}

}  // namespace

bool looks_like_a_file(const std::string& name) {
  return name.find('/') != std::string::npos || fs::path(name).extension() == ".json";
}

MachineInput load_machine_input(const std::string& name) {
  MachineInput input;
  if (name == "host") {
    input = load_host();
  } else if (looks_like_a_file(name)) {
    input.machine = hwmodels::read_machine(name);
    input.origin = "file";
  } else {
    const auto catalogue = hwmodels::read_catalogue(data_directory() / "machines");
    try {
      input.machine = hwmodels::find_machine(catalogue, name);
      input.origin = "catalogue";
    } catch (const InputError& error) {
      std::error_code code;
      if (!fs::exists(name, code)) {
        throw InputError(
            "--machine", fmt::format("no machine of the catalogue and no file is called {}", quote(name)),
            error.hint().empty() ? "`corecast machine list` names them; `host` is this one" : error.hint());
      }
      input.machine = hwmodels::read_machine(name);
      input.origin = "file";
    }
  }
  if (input.origin != "host") input.target.machine = input.machine;
  add_doubts(input);
  Checksum sum;
  sum.add(hwmodels::to_json_text(input.target.machine));
  sum.add(input.target.quota_cpus.value_or(0.0));
  input.checksum = sum.text();
  return input;
}

sim::Runtime load_runtime(const std::string& name) {
  if (looks_like_a_file(name)) {
    return sim::parse_runtime_json(read_file(name), name, sim::read_runtimes(data_directory() / "runtimes"));
  }
  try {
    return sim::find_runtime(sim::read_runtimes(data_directory() / "runtimes"), name);
  } catch (const InputError& error) {
    if (!error.where().empty()) throw;
    throw error.within("--runtime");
  }
}

sim::Runtime load_runtime(const std::string& name, const MachineInput& machine) {
  sim::Runtime runtime = load_runtime(name);
  const bool may_be_own = machine.host && !looks_like_a_file(name);
  const auto own = may_be_own ? calibrated_runtime(*machine.host, name) : std::nullopt;
  if (own) {
    try {
      const std::string text = read_file(*own);
      runtime =
          sim::parse_runtime_json(text, own->string(), sim::read_runtimes(data_directory() / "runtimes"));
    } catch (const InputError& error) {
      throw InputError(error.where(), error.problem(),
                       fmt::format("remove the file, or run `corecast calibrate --runtime {}` again", name));
    }
  }
  return sim::with_kernels_of(std::move(runtime), machine.machine);
}

void check_output(const char* option, const fs::path& path, const std::vector<std::string>& inputs) {
  std::error_code code;
  if (fs::is_directory(path, code))
    throw InputError(option, fmt::format("{} is a directory, wanted a file", quote(path.string())));
  for (const std::string& input : inputs) {
    if (input.empty() || !fs::equivalent(path, input, code)) continue;
    throw InputError(
        option, fmt::format("{} is the file that is read: it would be overwritten", quote(path.string())));
  }
  if (fs::exists(path, code) && !fs::is_regular_file(path, code)) return;  // a pipe: writing will tell
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  // The file is written beside its final place and renamed, so it is the folder that must be writable.
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw InputError(option, fmt::format("cannot write {}: {}", quote(path.string()), std::strerror(errno)));
  }
}

}  // namespace corecast::cli
