#include "cli/host_calibration.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include "base/error.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  // The specification: a relative path in the variable is invalid and to be ignored.
  if (value == nullptr || value[0] != '/') return std::nullopt;
  return fs::path(value);
}

std::optional<fs::path> directory_if_known() {
  if (const auto data = absolute_path_in("XDG_DATA_HOME")) return *data / "corecast" / "calibrations";
  if (const auto home = absolute_path_in("HOME"))
    return *home / ".local" / "share" / "corecast" / "calibrations";
  return std::nullopt;
}

// Lower case, runs of anything but letters and digits become one dash.
std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      out += static_cast<char>(std::tolower(byte));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

bool same_topology(const hwmodels::Machine& a, const hwmodels::Machine& b) {
  if (a.sockets != b.sockets || a.domains_per_socket != b.domains_per_socket || a.family != b.family)
    return false;
  if (a.groups.size() != b.groups.size()) return false;
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    if (a.groups[i].cores_per_socket != b.groups[i].cores_per_socket || a.groups[i].smt != b.groups[i].smt)
      return false;
  }
  return true;
}

// Detection advises to calibrate where it had to guess.
constexpr std::string_view kAdvice = "; \"corecast calibrate\" measures";

// The date part of ISO 8601: YYYY-MM-DD, whatever follows.
std::optional<std::chrono::sys_days> date_of(const std::string& text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t length) -> std::optional<int> {
    int value = 0;
    const char* end = text.data() + at + length;
    const auto result = std::from_chars(text.data() + at, end, value);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return value;
  };
  const auto year = number(0, 4);
  const auto month = number(5, 2);
  const auto day = number(8, 2);
  if (!year || !month || !day || *month < 1 || *day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

}  // namespace

fs::path calibration_directory() {
  if (const auto directory = directory_if_known()) return *directory;
  throw InputError("calibration", "neither XDG_DATA_HOME nor HOME is set to an absolute path",
                   "set one, or name the file with -o");
}

std::string calibration_name(const hwmodels::Host& host) {
  const hwmodels::Machine& machine = host.machine;
  std::string name = slug(host.cpu_name);
  if (!name.empty()) name += '-';
  name += slug(machine.family);
  for (const hwmodels::CoreGroup& group : machine.groups) {
    name += fmt::format("-{}x{}", machine.sockets, group.cores_per_socket);
    if (group.smt > 1) name += fmt::format("-smt{}", group.smt);
  }
  if (machine.domains_per_socket > 1) name += fmt::format("-nps{}", machine.domains_per_socket);
  return name;
}

CalibrationFiles calibration_files(const hwmodels::Host& host) {
  const fs::path directory = calibration_directory();
  const std::string name = calibration_name(host);
  return {directory / (name + ".json"), directory / (name + ".measurements.json")};
}

RuntimeCalibrationFiles runtime_calibration_files(const hwmodels::Host& host, const std::string& runtime) {
  const fs::path directory = calibration_directory();
  const std::string name = calibration_name(host) + "." + runtime;
  return {directory / (name + ".json"), directory / (name + ".measurements.json")};
}

std::optional<fs::path> calibrated_runtime(const hwmodels::Host& host, const std::string& runtime) {
  if (!directory_if_known()) return std::nullopt;
  fs::path file = runtime_calibration_files(host, runtime).runtime;
  std::error_code code;
  if (!fs::exists(file, code)) return std::nullopt;
  return file;
}

std::optional<HostCalibration> apply_calibration(hwmodels::Host& host) {
  if (!directory_if_known()) return std::nullopt;
  const fs::path file = calibration_files(host).machine;
  std::error_code code;
  if (!fs::exists(file, code)) return std::nullopt;
  hwmodels::Machine machine;
  try {
    machine = hwmodels::read_machine(file);
  } catch (const InputError& error) {
    throw InputError(error.where(), error.problem(), "remove the file, or run `corecast calibrate` again");
  }
  if (!same_topology(machine, host.machine)) {
    host.warnings.push_back(fmt::format(
        "the calibration in {} is of another topology and is left out: run `corecast calibrate` again",
        file.string()));
    return std::nullopt;
  }
  machine.name = host.machine.name;
  machine.description = host.machine.description;
  HostCalibration result{file, machine.calibration ? machine.calibration->date : "", std::nullopt};
  result.age_days = days_between(result.date, now_text());
  host.machine = std::move(machine);
  drop_advice_to_calibrate(host.warnings);
  return result;
}

void drop_advice_to_calibrate(std::vector<std::string>& warnings) {
  for (std::string& warning : warnings) warning.resize(std::min(warning.find(kAdvice), warning.size()));
}

std::optional<int> days_between(const std::string& from, const std::string& to) {
  const auto first = date_of(from);
  const auto last = date_of(to);
  if (!first || !last) return std::nullopt;
  return static_cast<int>((*last - *first).count());
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace corecast::cli
