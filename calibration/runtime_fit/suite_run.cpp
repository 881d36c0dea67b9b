#include "calibration/runtime_fit/suite_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "calibration/adaptor/temporary_folder.hpp"
#include "graphs/onnx_export.hpp"

extern char** environ;

namespace corecast::runtime_fit {
namespace {

namespace fs = std::filesystem;
using Tree = nlohmann::ordered_json;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0)
      throw InputError("", fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close_writer();
    ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

using Line = std::function<void(const std::string&)>;

// Exit code; its standard error goes to `line`, its standard output nowhere.
int run_program(const std::vector<std::string>& command, const Line& line) {
  Pipe pipe;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.writer(), STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw InputError("--runtime",
                     fmt::format("cannot start {}: {}", quote(command.front()), std::strerror(error)),
                     "scripts/measure/README.md says what measuring needs");
  pipe.close_writer();
  std::string partial;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(pipe.reader(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    partial.append(buffer, static_cast<std::size_t>(got));
    for (std::size_t end = partial.find('\n'); end != std::string::npos; end = partial.find('\n')) {
      line(partial.substr(0, end));
      partial.erase(0, end + 1);
    }
  }
  if (!partial.empty()) line(partial);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string plan_of(const std::vector<Case>& suite, const SuiteRunOptions& options, const fs::path& folder) {
  Tree models = Tree::array();
  for (const Case& one : suite) {
    const fs::path file = folder / (one.name + ".onnx");
    write_file(file, graphs::to_onnx(one.model));
    models.push_back({{"name", one.name}, {"file", file.string()}});
  }
  Tree plan{{"schema", "corecast.suite_plan/1"}};
  if (!options.version.empty()) plan["version"] = options.version;
  if (!options.mode.empty()) plan["mode"] = options.mode;
  plan["rounds"] = options.rounds;
  plan["min_seconds"] = options.min_seconds;
  plan["threads"] = options.threads;
  plan["models"] = std::move(models);
  return plan.dump() + "\n";
}

}  // namespace

std::vector<int> thread_grid(int cores) {
  std::vector<int> grid;
  for (int threads = 1; threads < cores; threads *= 2) grid.push_back(threads);
  grid.push_back(cores);
  return grid;
}

Runs parse_suite_runs(std::string_view text, const std::string& file, const std::vector<Case>& suite) {
  const json::Document document = json::parse(text, file);
  json::Object root = document.root().object();
  const json::Value schema = root.required("schema");
  if (schema.text() != "corecast.suite_runs/1")
    schema.fail("wanted \"corecast.suite_runs/1\", found " + quote(schema.text()));
  Runs runs;
  json::Object context = root.required("context").object();
  for (const auto& [key, value] : context.entries()) {
    if (!value.is_text()) continue;
    if (key == "cpu_model") runs.cpu = value.text();
    if (key == "blas") runs.libraries.push_back(value.text());
    if (key == "onednn_version") runs.libraries.push_back("oneDNN " + value.text());
    const bool of_others = key == "node_version" || key == "python_version" || key == "onednn_version";
    if (key.ends_with("_version") && !of_others) runs.framework_version = value.text();
  }
  std::map<std::pair<std::string, int>, Run> found;
  for (const json::Value& item : root.required("runs").array()) {
    json::Object object = item.object();
    const std::string name = object.required("model").text();
    const int threads = static_cast<int>(object.required("threads").whole(1, 1 << 20));
    Run& run = found[{name, threads}];
    run.name = name;
    run.threads = threads;
    if (const auto error = object.optional("error")) {
      run.error = error->text();
      continue;
    }
    const double median = object.required("median_ms").number(0.0, 1e9) * 1e-3;
    if (!(median > 0.0)) item.fail("\"median_ms\" is not above zero");
    run.seconds.push_back(median);
    runs.rounds = std::max(runs.rounds, static_cast<int>(run.seconds.size()));
  }
  for (const Case& one : suite) {
    for (auto& [key, run] : found) {
      if (key.first == one.name) runs.runs.push_back(std::move(run));
    }
  }
  return runs;
}

Runs run_suite(const std::vector<Case>& suite, const SuiteRunOptions& options) {
  const adaptor::TemporaryFolder folder;
  const fs::path plan = folder.path() / "plan.json", answer = folder.path() / "runs.json";
  write_file(plan, plan_of(suite, options, folder.path()));
  std::vector<std::string> command = options.program;
  for (const std::string& word :
       {std::string("--plan"), plan.string(), std::string("--output"), answer.string()})
    command.push_back(word);
  std::string last;
  const int code = run_program(command, [&](const std::string& line) {
    double done = 0.0;
    char what[256] = "";
    if (std::sscanf(line.c_str(), "progress %lf %255s", &done, what) == 2) {
      if (options.progress) options.progress(what, done);
    } else if (!line.empty()) {
      last = line;
    }
  });
  if (code != 0) {
    throw InputError(options.program.back(), last.empty() ? fmt::format("ended with code {}", code) : last,
                     "scripts/measure/README.md says what measuring needs");
  }
  return parse_suite_runs(read_file(answer), "answer of " + options.program.back(), suite);
}

}  // namespace corecast::runtime_fit
