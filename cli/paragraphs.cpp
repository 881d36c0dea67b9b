#include "cli/paragraphs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"
#include "hwmodels/cpu_list.hpp"

namespace corecast::cli {
namespace {

std::string granted_text(const MachineInput& machine) {
  const sim::Target& target = machine.target;
  if (!machine.host) {
    return fmt::format("all of it: {}", counted(target.cpus(), "CPU"));
  }
  const hwmodels::Grant& grant = machine.host->grant;
  std::string text =
      fmt::format("CPUs {} of {}", hwmodels::cpu_list_text(grant.usable()), grant.online.size());
  text += grant.quota_cpus
              ? fmt::format(", quota {:.4g}: {} at once", *grant.quota_cpus, counted(target.cpus(), "thread"))
              : std::string(", no quota");
  if (grant.pids_limit) text += fmt::format(", {} processes at most", *grant.pids_limit);
  return text;
}

std::string calibration_text(const MachineInput& machine) {
  if (!machine.calibration) return "not calibrated: `corecast calibrate` measures this host";
  const HostCalibration& calibration = *machine.calibration;
  std::string text =
      calibration.date.empty() ? "calibrated, at a date not stated" : "calibrated " + calibration.date;
  if (calibration.age_days) {
    text += *calibration.age_days == 0 ? ", today"
                                       : fmt::format(", {} ago", counted(*calibration.age_days, "day"));
  }
  return fmt::format("{} ({})", text, calibration.file.string());
}

// "sequence 128, int8, training step, "; nothing for a file, which is as it is.
std::string form_text(const ModelInput& model) {
  if (!model.form) return "";
  std::string text;
  if (model.form->sequence) text += fmt::format("sequence {}, ", *model.form->sequence);
  return text +
         fmt::format("{}, {}", name_of(model.form->type), model.form->training ? "training step, " : "");
}

}  // namespace

std::string heading_of(const ModelInput& model, int width) {
  const graphs::Graph& graph = model.graph;
  return wrapped(fmt::format("{}{}: batch {}, {}{}, {}, {} parameters", model.name,
                             model.origin == "built-in" ? " (built in)" : "", graph.batch, form_text(model),
                             counted(static_cast<std::int64_t>(graph.size()), "operator"),
                             to_short_text(graph.total_flops()),
                             count_text(static_cast<double>(graph.total_parameters()))),
                 width);
}

std::string header_lines(const MachineInput& machine, const sim::Runtime& runtime, int width) {
  const hwmodels::Machine& m = machine.machine;
  std::string text = wrapped(fmt::format("{}: {}", m.name, m.description), width, "machine  ");
  text += wrapped(fmt::format("{}, {}, {}", counted(m.sockets, "socket"), counted(m.cores(), "core"),
                              counted(m.logical_cpus(), "logical CPU")),
                  width, "         ");
  if (machine.host) text += wrapped(calibration_text(machine), width, "measured ");
  text += wrapped(granted_text(machine), width, "granted  ");
  text += wrapped(fmt::format("{}: {}", runtime.name, runtime.description), width, "runtime  ");
  if (runtime.library_kernels.empty()) return text;
  return text + wrapped(fmt::format("of {} as measured on this machine: {}", runtime.library,
                                    fmt::join(measured_kernels(runtime), ", ")),
                        width, "kernels  ");
}

std::string messages_text(std::string_view title, const std::vector<sim::Message>& messages, int width) {
  if (messages.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  for (const sim::Message& message : messages)
    text += wrapped(fmt::format("{}: {}", message.code, message.text), width, "  ");
  return text;
}

std::vector<sim::Message> notes_of(const graphs::Graph& graph) {
  std::vector<sim::Message> messages;
  for (const graphs::Note& note : graph.notes) messages.push_back({note.code, note.text});
  return messages;
}

std::vector<sim::Message> distinct(std::vector<sim::Message> messages) {
  std::vector<sim::Message> out;
  for (sim::Message& message : messages) {
    if (std::find(out.begin(), out.end(), message) == out.end()) out.push_back(std::move(message));
  }
  return out;
}

}  // namespace corecast::cli
