#include <cstdlib>
#include <system_error>

#include "base/error.hpp"
#include "calibration/adaptor/adaptor.hpp"
#include "calibration/adaptor/child_process.hpp"

namespace corecast::adaptor {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMark = "measure_onnxruntime.mjs";  // is in every folder of adaptors

bool holds_scripts(const fs::path& directory) {
  std::error_code code;
  return fs::is_regular_file(directory / kMark, code);
}

std::string value_of(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

const std::vector<Framework>& frameworks() {
  static const std::vector<Framework> all{
      {"onnxruntime", "onnxruntime", "node", "CORECAST_NODE", kMark,
       "install Node 20 or newer; {}/setup.sh then installs onnxruntime for it", true},
      {"python-onnxruntime", "onnxruntime", "python3", "CORECAST_PYTHON",
       "python_onnxruntime/measure_onnxruntime.py",
       "activate the environment that has onnxruntime, or name its Python in CORECAST_PYTHON", false},
      {"pytorch", "pytorch", "python3", "CORECAST_PYTHON", "pytorch/measure_pytorch.py",
       "activate the environment that has PyTorch, or name its Python in CORECAST_PYTHON", false}};
  return all;
}

const Framework& framework_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Framework& one : frameworks()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw InputError("--framework",
                   fmt::format("found {}, wanted one of {}", quote(name), fmt::join(names, ", ")),
                   did_you_mean(name, names));
}

fs::path script_directory() {
  if (const std::string given = value_of("CORECAST_SCRIPTS"); !given.empty()) {
    if (holds_scripts(given)) return fs::absolute(given).lexically_normal();
    throw InputError("CORECAST_SCRIPTS",
                     fmt::format("{} is no folder of adaptors: {} is not in it", quote(given), quote(kMark)));
  }
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  const fs::path installed = program.parent_path() / ".." / "share" / "corecast" / "measure";
  if (!code && holds_scripts(installed)) return installed.lexically_normal();
  const fs::path source = CORECAST_SOURCE_SCRIPTS;
  if (holds_scripts(source)) return source;
  throw InputError("",
                   fmt::format("the adaptors are neither in {} nor in {}",
                               quote(installed.lexically_normal().string()), quote(source.string())),
                   "CORECAST_SCRIPTS names their folder");
}

std::vector<std::string> command_of(const Framework& framework, const std::string& version,
                                    const std::string& asked_by) {
  const std::string place = asked_by + " " + framework.name;
  const fs::path scripts = script_directory();
  const std::string hint = fmt::format(fmt::runtime(framework.needs), scripts.string());
  const std::string given = value_of(framework.variable);
  const std::string wanted = given.empty() ? framework.interpreter : given;
  const std::optional<std::string> program = find_program(wanted);
  if (!program) {
    throw InputError(place,
                     given.empty()
                         ? fmt::format("{} is not in PATH", quote(wanted))
                         : fmt::format("{} is {}, and no program", framework.variable, quote(given)),
                     hint);
  }
  const fs::path script = scripts / framework.script;
  std::error_code code;
  if (!fs::is_regular_file(script, code))
    throw InputError(place, fmt::format("its adaptor {} is missing", quote(script.string())));
  std::vector<std::string> command{*program, script.string()};
  if (framework.takes_version && !version.empty()) {
    command.emplace_back("--version");
    command.push_back(version);
  }
  return command;
}

}  // namespace corecast::adaptor
