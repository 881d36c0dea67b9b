// Which program `calibrate --runtime` starts for which runtime, with adaptors that measure nothing.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "calibration/adaptor/temporary_folder.hpp"
#include "calibration/runtime_fit/suite_run.hpp"
#include "cli/calibrate_runtime_program.hpp"
#include "tests/support/variable.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;
using test::Variable;

// An adaptor in the shell's language: refuses any mode but torchscript, else answers that a PyTorch with a BLAS measured nothing.
constexpr const char* kAdaptor = R"(
if ! grep -q '"mode":"torchscript"' "$2"; then echo "measure_suite: another mode" >&2; exit 2; fi
echo '{"schema": "corecast.suite_runs/1", "context": {"cpu_model": "A CPU", "python_version": "3.11", "pytorch_version": "1.13.1",
  "blas": "openblas-openmp", "onednn_version": "2.6.3", "cpu_capability": "AVX512"}, "runs": []}' > "$4"
)";

struct Scripts {
  Scripts() {
    fs::create_directories(folder.path() / "pytorch");
    write_file(folder.path() / "measure_onnxruntime.mjs", "");  // marks the folder
    write_file(folder.path() / "measure_suite.mjs", "");
    write_file(folder.path() / "pytorch" / "measure_suite.py", kAdaptor);
  }
  adaptor::TemporaryFolder folder;
  Variable scripts{"CORECAST_SCRIPTS", folder.path().string()};
  Variable python{"CORECAST_PYTHON", "/bin/sh"};
  Variable node{"CORECAST_NODE", "/bin/sh"};
};

std::string answer_of(const std::string& runtime) {
  try {
    const SuiteProgram& program = suite_program(runtime);
    runtime_fit::SuiteRunOptions options;
    options.program = command_of(program);
    options.mode = program.mode;
    const runtime_fit::Runs runs = runtime_fit::run_suite({}, options);
    std::string text = runs.framework_version + " on " + runs.cpu;
    for (const std::string& library : runs.libraries) text += ", " + library;
    return text;
  } catch (const InputError& error) {
    return std::string(error.what()) + error.hint();
  }
}

TEST_CASE("a runtime's suite is timed by its framework's program") {
  const Scripts scripts;
  const std::string folder = scripts.folder.path().string();
  using Command = std::vector<std::string>;
  CHECK(command_of(suite_program("onnxruntime")) == Command{"/bin/sh", folder + "/measure_suite.mjs"});
  CHECK(suite_program("onnxruntime-1.13").version == "legacy");
  CHECK(command_of(suite_program("pytorch")) == Command{"/bin/sh", folder + "/pytorch/measure_suite.py"});
  CHECK(suite_program("pytorch").mode == "eager");
  CHECK(command_of(suite_program("torchscript")) == command_of(suite_program("pytorch")));
}

TEST_CASE("the program is told the mode, and its answer says framework, libraries and CPU") {
  const Scripts scripts;
  CHECK(answer_of("torchscript") == "1.13.1 on A CPU, openblas-openmp, oneDNN 2.6.3");
  CHECK(answer_of("pytorch").find("measure_suite: another mode") != std::string::npos);
}

TEST_CASE("a runtime without a program and an interpreter that is none are refused") {
  const Scripts scripts;
  CHECK(answer_of("llama").find("torchscript") != std::string::npos);
  const Variable python("CORECAST_PYTHON", "/nonexistent/python3");
  const std::string message = answer_of("pytorch");
  CHECK(message.find("--runtime pytorch") != std::string::npos);
  CHECK(message.find("CORECAST_PYTHON is \"/nonexistent/python3\"") != std::string::npos);
}

}  // namespace
}  // namespace corecast::cli
