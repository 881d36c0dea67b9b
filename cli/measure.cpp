// `corecast measure`: the real framework over a list of settings, through its adaptor.
#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/file.hpp"
#include "calibration/adaptor/adaptor.hpp"
#include "calibration/adaptor/temporary_folder.hpp"
#include "cli/commands.hpp"
#include "cli/host_calibration.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupted.hpp"
#include "cli/measure_context.hpp"
#include "cli/measure_report.hpp"
#include "cli/progress_bar.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "hwmodels/cpu_list.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;

// Starting a process and loading a model of usual size, for the estimate.
constexpr double kStartOfNode_s = 0.6, kStartOfPython_s = 2.5;
// On top of a process' own timeout: the adaptor's part.
constexpr double kPatience_s = 60.0;

// The runtime whose threads an instance of the setting has.
std::string runtime_name_of(const MeasureOptions& options, const adaptor::Framework& framework,
                            const std::string& mode) {
  if (framework.reports_as == "pytorch") return mode == "torchscript" ? "torchscript" : "pytorch";
  return is_before_1_14(options.version) ? "onnxruntime-1.13" : "onnxruntime";
}

MeasureWords words_of(const MeasureOptions& options, const adaptor::Framework& framework,
                      const MeasuredModel& model, const hwmodels::Host& host) {
  MeasureWords words;
  if (framework.reports_as == "pytorch") {
    words.modes = model.torchscript ? std::vector<std::string>{"torchscript"}
                                    : std::vector<std::string>{"eager", "torchscript"};
  } else {
    words.modes = {"sequential", "parallel"};
    words.has_parallel_mode = is_before_1_14(options.version);
    words.can_spin_off = !words.has_parallel_mode;  // its binding for Node has no such option
  }
  words.batch = model.batch;
  words.batch_is_free = model.batch_is_free;
  words.cpus = host.grant.cpus();
  words.cores = host.grant.cores();
  return words;
}

std::vector<MeasureSetting> settings_of(const MeasureOptions& options, const MeasureWords& words) {
  if (options.axes.empty() && options.settings != "grid") return settings_of_file(options.settings, words);
  std::vector<MeasureSetting> all;
  for (const std::string& axes : options.axes.empty() ? grid_axes(words) : options.axes) {
    for (const MeasureSetting& setting : settings_of_axes(axes, words)) {
      if (std::find(all.begin(), all.end(), setting) == all.end()) all.push_back(setting);
    }
  }
  return all;
}

// Settings that differ in words that change nothing of what runs are one row.
std::vector<MeasureRow> rows_of(const MeasureOptions& options, const adaptor::Framework& framework,
                                const MeasuredModel& model, const MachineInput& machine) {
  std::vector<MeasureRow> rows;
  for (const MeasureSetting& setting :
       settings_of(options, words_of(options, framework, model, *machine.host))) {
    const std::string name = runtime_name_of(options, framework, setting.mode);
    MeasureRow row;
    row.asked = setting;
    row.asked.setting.runtime = name;
    row.plan = plan_setting_of(setting, machine, load_runtime(name));
    const bool known =
        std::any_of(rows.begin(), rows.end(), [&](const auto& one) { return one.plan == row.plan; });
    if (!known) rows.push_back(std::move(row));
  }
  return rows;
}

void check_model(const adaptor::Framework& framework, const MeasuredModel& model) {
  if (model.torchscript && framework.reports_as != "pytorch")
    throw InputError("--framework " + framework.name,
                     fmt::format("{} is a TorchScript file", quote(model.file.filename().string())),
                     "--framework pytorch runs it");
}

std::string duration_text(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

class Measurement {
 public:
  explicit Measurement(const MeasureOptions& options)
      : options_(options), framework_(adaptor::framework_named(options.framework)) {
    check_output("--output", options.output, {options.model.model});
    request_.command = adaptor::command_of(framework_, options.version);
    machine_ = load_machine_input("host");
    report_.model = measured_model(options.model, folder_.path());
    check_model(framework_, report_.model);
    report_.framework = framework_.reports_as;
    report_.machine = calibration_name(*machine_.host);
    report_.cpus = hwmodels::cpu_list_text(machine_.host->grant.usable());
    report_.quota = machine_.host->grant.quota_cpus;
    report_.method = options.method;
    report_.csv = options.output;
    report_.state = options.output.string() + ".json";
    report_.rows = rows_of(options, framework_, report_.model, machine_);
    continue_earlier();
  }

  std::string run() {
    write_file(folder_.path() / "plan.json", to_json_text(plan()));
    request_.plan = folder_.path() / "plan.json";
    request_.result = report_.state;
    request_.patience_s = options_.method.timeout_s + kPatience_s;
    request_.budget_s = options_.budget_s;
    announce();
    const adaptor::Answer answer = [&] {
      ProgressBar bar("measure");
      request_.on_step = [&](const adaptor::Step& step) { on_step(step, bar); };
      return adaptor::run(request_);
    }();
    report_.warnings = answer.warnings;
    report_.out_of_budget = answer.outcome == adaptor::Outcome::out_of_budget;
    take_state();
    if (answer.outcome == adaptor::Outcome::interrupted) fail_interrupted();
    fail_if_all_failed();
    return options_.json ? json_of(report_) : text_of(report_, terminal_width());
  }

 private:
  adaptor::Plan plan() const {
    adaptor::Plan plan;
    plan.model_name = report_.model.name;
    plan.model_file = report_.model.file;
    plan.framework = framework_.reports_as;
    for (const MeasureRow& row : report_.rows) plan.settings.push_back(row.plan);
    plan.method = options_.method;
    plan.shapes = report_.model.shapes;
    plan.values = options_.values;
    return plan;
  }

  ContextLines context() const { return measure_context(options_, report_, *machine_.host); }

  // The state is the adaptor's; that it is of the same question is checked here, where the words for it are.
  void continue_earlier() {
    std::error_code code;
    const bool rows = fs::is_regular_file(report_.csv, code) && fs::file_size(report_.csv, code) > 0;
    const bool state = fs::exists(report_.state, code);
    if (rows && !state) {
      throw InputError("--output",
                       fmt::format("{} exists without {}, so it cannot be continued and would be overwritten",
                                   quote(report_.csv.string()), quote(report_.state.filename().string())),
                       "name another file");
    }
    if (rows) check_same_question(report_.csv, context_of(read_file(report_.csv)), context());
    if (state) assign(adaptor::read_runs(report_.state, framework_.reports_as));
  }

  void assign(adaptor::MeasuredRuns runs) {
    report_.framework = runs.framework;
    report_.others.clear();
    for (adaptor::Run& run : runs.runs) {
      const auto row = std::find_if(report_.rows.begin(), report_.rows.end(),
                                    [&](const MeasureRow& one) { return one.plan == run.setting; });
      if (row != report_.rows.end()) {
        row->run = std::move(run);
      } else if (run.latencies) {
        report_.others.push_back(std::move(run));
      }
    }
  }

  void take_state() {
    std::error_code code;
    if (!fs::exists(report_.state, code)) return;  // stopped before the first round was done
    assign(adaptor::read_runs(report_.state, framework_.reports_as));
    write_file(report_.csv, csv_of(report_, context()));
  }

  void on_step(const adaptor::Step& step, ProgressBar& bar) {
    take_state();
    const auto count = static_cast<int>(report_.rows.size());
    const int index = step.done > 0 ? (step.done - 1) % count : 0;
    const std::string what = text_of(report_.rows[static_cast<std::size_t>(index)].asked);
    const std::string result = !step.error.empty() ? "failed"
                               : step.latency_ms   ? fmt::format("{:.3g} ms", *step.latency_ms)
                                                   : "";
    bar.step(fmt::format("{}: {}", what, result), step.total > 0 ? double(step.done) / step.total : 0.0);
  }

  void announce() const {
    const auto all = static_cast<double>(report_.rows.size()) * options_.method.processes;
    const bool python = framework_.interpreter != "node";
    adaptor::Duration time = adaptor::estimated_duration(plan(), python ? kStartOfPython_s : kStartOfNode_s);
    const int left = report_.remaining();
    const double part = all > 0.0 ? left / all : 0.0;
    time = {time.least_s * part, time.most_s * part};
    if (options_.budget_s)
      time = {std::min(time.least_s, *options_.budget_s), std::min(time.most_s, *options_.budget_s)};
    std::string line = fmt::format("corecast: {} in {}, {} of {:.0f} measurements to do",
                                   counted(static_cast<std::int64_t>(report_.rows.size()), "setting"),
                                   options_.method.processes == 1
                                       ? "1 process each"
                                       : fmt::format("{} processes each", options_.method.processes),
                                   left, all);
    if (left > 0) line += fmt::format(": {} to {}", duration_text(time.least_s), duration_text(time.most_s));
    std::fputs((line + "\n").c_str(), stderr);
  }

  [[noreturn]] void fail_interrupted() const {
    const auto all = static_cast<int>(report_.rows.size()) * options_.method.processes;
    if (all == report_.remaining()) throw Interrupted("interrupted before the first result: nothing is kept");
    throw Interrupted(
        fmt::format("interrupted: {} of {} measurements are done and kept in {}; the same command goes on",
                    all - report_.remaining(), all, report_.csv.string()));
  }

  void fail_if_all_failed() const {
    if (std::any_of(report_.rows.begin(), report_.rows.end(), [](const auto& row) { return row.measured(); }))
      return;
    for (const MeasureRow& row : report_.rows) {
      if (!row.run.failure.empty())
        throw NoAnswer(fmt::format("every setting failed; {}: {}", text_of(row.asked), row.run.failure));
    }
    if (!report_.out_of_budget)
      throw NoAnswer("the program that runs the framework ended well, but measured nothing");
  }

  const MeasureOptions& options_;
  const adaptor::Framework& framework_;
  adaptor::TemporaryFolder folder_;
  adaptor::Request request_;
  MachineInput machine_;
  MeasureReport report_;
};

}  // namespace

std::string run(const MeasureOptions& options) {
  return Measurement(options).run();
}

}  // namespace corecast::cli
