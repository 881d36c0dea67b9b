#include "cli/measure_context.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/error.hpp"

namespace corecast::cli {
namespace {

std::string kernel_text() {
  utsname names{};
  if (::uname(&names) != 0) return "unknown";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

std::string method_text(const adaptor::Method& method) {
  std::string text = fmt::format("{} warm-up runs, {} timed runs, {} s of each at least, {} s at most",
                                 method.warmup, method.repetitions, method.min_time_s, method.budget_s);
  if (method.stable > 0.0)
    text += fmt::format(", until the median's 95 % interval is within {:.3g} %", 100.0 * method.stable);
  return text + fmt::format("; seed {}", method.seed);
}

}  // namespace

ContextLines measure_context(const MeasureOptions& options, const MeasureReport& report,
                             const hwmodels::Host& host) {
  ContextLines lines{
      {"corecast", CORECAST_VERSION},
      {"framework", report.framework},
      {"adaptor", options.framework + (options.version.empty() ? "" : ", version " + options.version)},
      {"model",
       report.model.built_in ? report.model.name + ", built in" : report.model.file.filename().string()},
      {"model_checksum", report.model.checksum}};
  const auto list = [&](const char* key, const std::vector<std::string>& texts) {
    if (!texts.empty()) lines.emplace_back(key, fmt::format("{}", fmt::join(texts, " ")));
  };
  list("shapes", report.model.shapes);
  list("values", options.values);
  lines.emplace_back("machine", report.machine);
  lines.emplace_back("cpu", host.cpu_name);
  lines.emplace_back("granted_cpus", report.cpus);
  lines.emplace_back("cpu_quota", report.quota ? fmt::format("{:.6g}", *report.quota) : "none");
  lines.emplace_back("kernel", kernel_text());
  lines.emplace_back("method", method_text(report.method));
  lines.emplace_back("processes", fmt::format("{}", report.method.processes));
  if (!options.date.empty()) lines.emplace_back("date", options.date);
  return lines;
}

void check_same_question(const std::filesystem::path& file, const ContextLines& found,
                         const ContextLines& now) {
  const std::string place = fmt::format("--output: {}", file.string());
  const auto value_in = [](const ContextLines& lines, const std::string& key) -> std::string {
    for (const auto& [name, value] : lines) {
      if (name == key) return value;
    }
    return "";
  };
  if (value_in(found, "model_checksum").empty())
    throw InputError(place, "was not written by `corecast measure`, and would be overwritten",
                     "name another file");
  for (const char* key : {"adaptor", "model", "model_checksum", "shapes", "values", "machine", "cpu",
                          "granted_cpus", "cpu_quota", "kernel", "method"}) {
    const std::string before = value_in(found, key);
    const std::string wanted = value_in(now, key);
    if (before == wanted) continue;
    throw InputError(
        place, fmt::format("cannot be continued: {} was {}, now it is {}", key, quote(before), quote(wanted)),
        "name another file");
  }
}

bool is_before_1_14(const std::string& version) {
  if (version == "legacy") return true;
  int major = 0;
  int minor = 0;
  const char* end = version.data() + version.size();
  const auto first = std::from_chars(version.data(), end, major);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return false;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  return second.ec == std::errc{} && major == 1 && minor < 14;
}

}  // namespace corecast::cli
