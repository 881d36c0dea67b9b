// From the options of `validate` and the names in its files to machines, runtimes and models.
#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "cli/data_directory.hpp"
#include "cli/host_calibration.hpp"
#include "cli/validate_report.hpp"
#include "graphs/builtin.hpp"
#include "hwmodels/host.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::cli {
namespace {

using Names = std::set<std::string>;

// InputError when the data has no such name.
void check_name(const char* option, const std::string& name, const char* what, const Names& names) {
  if (names.contains(name)) return;
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("it has {}", fmt::join(names, ", "));
  throw InputError(option, fmt::format("the data has no {} {}", what, quote(name)), hint);
}

// The catalogue's name for it, or the name itself.
std::string catalogue_name(const std::vector<hwmodels::Machine>& catalogue, const std::string& name) {
  try {
    return hwmodels::find_machine(catalogue, name).name;
  } catch (const InputError&) {
    return name;
  }
}

// What `measure` calls this host; empty where it cannot be told.
std::string name_of_host() {
  try {
    return calibration_name(hwmodels::detect_host());
  } catch (const InputError&) {
    return "";
  }
}

void use(const std::string& name, const std::string& machine, evidence::Request& request,
         ValidateReport& report) {
  MachineInput input = load_machine_input(machine);
  request.machines[name] = {input.machine, input.target};
  report.warnings.insert(report.warnings.end(), input.warnings.begin(), input.warnings.end());
  report.machines[name] = std::move(input);
}

void choose_machines(const ValidateOptions& options, const Names& names, evidence::Request& request,
                     ValidateReport& report) {
  const auto catalogue = hwmodels::read_catalogue(data_directory() / "machines");
  std::optional<std::string> here;  // looked for only where a name is not known otherwise
  const auto is_host = [&](const std::string& name) {
    if (name == "host") return true;
    if (!here) here = name_of_host();
    return !name.empty() && name == *here;
  };
  std::string plain;
  for (const NamedChoice& choice : options.machines) {
    if (choice.name.empty()) {
      if (!plain.empty())
        throw InputError("--machine",
                         fmt::format("{} and {} are both for all rows", quote(plain), quote(choice.value)),
                         "NAME=M is for the rows of one name");
      plain = choice.value;
      continue;
    }
    check_name("--machine", choice.name, "machine", names);
    use(choice.name, choice.value, request, report);
  }
  bool plain_used = plain.empty();
  for (const std::string& name : names) {
    if (request.machines.contains(name)) continue;
    if (!plain.empty()) {
      if (names.size() == 1 || name == plain || (is_host(plain) && is_host(name)) ||
          catalogue_name(catalogue, name) == catalogue_name(catalogue, plain)) {
        use(name, plain, request, report);
        plain_used = true;
      } else {
        request.unusable_machines[name] =
            fmt::format("machine {} is not the one of --machine {}", quote(name, 40), plain);
      }
      continue;
    }
    const bool known = catalogue_name(catalogue, name) != name ||
                       std::any_of(catalogue.begin(), catalogue.end(),
                                   [&](const hwmodels::Machine& one) { return one.name == name; });
    if (known) {
      use(name, name, request, report);
    } else if (is_host(name)) {
      use(name, "host", request, report);
    } else {
      request.unusable_machines[name] =
          name.empty()
              ? "machine is not stated"
              : fmt::format("machine {} is unknown (--machine {}=FILE names it)", quote(name, 40), name);
    }
  }
  if (!plain_used) {
    throw InputError(
        "--machine", fmt::format("no row is of the machine {}", quote(plain)),
        fmt::format("the data has {}; NAME={} says which of them it is", fmt::join(names, ", "), plain));
  }
}

// A file takes the place of the runtime of its name, which it returns.
std::string use_file(const std::string& file, evidence::Request& request) {
  const sim::Runtime read = load_runtime(file);
  const auto namesake = std::find_if(request.runtimes.begin(), request.runtimes.end(),
                                     [&](const sim::Runtime& runtime) { return runtime.name == read.name; });
  if (namesake == request.runtimes.end()) {
    request.runtimes.push_back(read);
  } else {
    *namesake = read;
  }
  return read.name;
}

void choose_runtimes(const ValidateOptions& options, const Names& keys, evidence::Request& request) {
  for (const NamedChoice& choice : options.runtimes) {
    if (!choice.name.empty()) check_name("--runtime", choice.name, "mode or framework", keys);
    std::string name = choice.value;
    try {
      if (looks_like_a_file(choice.value)) {
        name = use_file(choice.value, request);
        if (choice.name.empty()) continue;
      }
      (void)sim::find_runtime(request.runtimes, name);
    } catch (const InputError& error) {
      if (!error.where().empty()) throw;
      throw error.within("--runtime");
    }
    if (!request.runtime_choices.emplace(choice.name, name).second)
      throw InputError("--runtime", fmt::format("{} is given twice", quote(choice.name)));
  }
}

void choose_graphs(const ValidateOptions& options, const Names& models, evidence::Request& request) {
  for (const NamedChoice& choice : options.graphs) {
    check_name("--graph", choice.name, "model", models);
    std::error_code code;
    if (std::filesystem::is_directory(choice.value, code))
      throw InputError("--graph", fmt::format("{} is a directory, wanted a model", quote(choice.value)));
    if (!std::filesystem::exists(choice.value, code)) {
      try {
        (void)graphs::builtin_named(choice.value);
      } catch (const InputError& error) {
        throw InputError("--graph",
                         fmt::format("no file and no built-in model is called {}", quote(choice.value)),
                         error.hint());
      }
    }
    if (!request.graphs.emplace(choice.name, choice.value).second)
      throw InputError("--graph", fmt::format("{} is given twice", quote(choice.name)));
  }
}

void choose_profiles(const ValidateOptions& options, const Names& models, evidence::Request& request,
                     ValidateReport& report) {
  for (const NamedChoice& choice : options.profiles) {
    check_name("--profile", choice.name, "model", models);
    if (!request.profiles.emplace(choice.name, choice.value).second)
      throw InputError("--profile", fmt::format("{} is given twice", quote(choice.name)));
    report.profiles[choice.name] = std::filesystem::path(choice.value).filename().string();
  }
}

// Rows given twice would count twice.
void check_distinct(const std::vector<std::filesystem::path>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      std::error_code code;
      if (std::filesystem::equivalent(files[k], files[i], code))
        throw InputError("--measured", fmt::format("{} is given twice", quote(files[i].string())));
    }
  }
}

}  // namespace

evidence::Request request_of(const ValidateOptions& options, ValidateReport& report) {
  check_distinct(options.measured);
  evidence::Request request;
  Names machines, models, keys;
  for (const auto& file : options.measured) {
    evidence::MeasuredTable table = evidence::read_measured(file);
    for (const evidence::MeasuredRow& row : table.rows) {
      machines.insert(row.machine);
      models.insert(row.model);
      for (const std::string& key : {row.mode, evidence::plain_mode(row.mode), row.framework,
                                     evidence::framework_of(row.framework).name}) {
        if (!key.empty()) keys.insert(key);
      }
    }
    report.files.push_back(
        {file.filename().string(), table.rows.size(), table.context, table.ignored_columns});
    request.tables.push_back(std::move(table));
  }
  request.runtimes = sim::read_runtimes(data_directory() / "runtimes");
  choose_machines(options, machines, request, report);
  // As `tune` on this host: with what this host's own calibration says of a framework.
  if (report.machines.size() == 1 && report.machines.begin()->second.host) {
    const MachineInput& machine = report.machines.begin()->second;
    for (sim::Runtime& runtime : request.runtimes) {
      if (calibrated_runtime(*machine.host, runtime.name)) runtime = load_runtime(runtime.name, machine);
    }
  }
  choose_runtimes(options, keys, request);
  choose_graphs(options, models, request);
  choose_profiles(options, models, request, report);
  request.anchor = options.anchor;
  request.by_mode = options.by_mode;
  request.by_inter_op = options.by_inter_op;
  request.by_spin = options.by_spin;
  request.by_runtime = options.by_runtime;
  return request;
}

}  // namespace corecast::cli
