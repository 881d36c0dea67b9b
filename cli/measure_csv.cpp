// Rows in the columns that measurements of whole models have, those of `corecast validate`.
#include <algorithm>
#include <array>
#include <sstream>

#include "cli/measure_report.hpp"

namespace corecast::cli {
namespace {

// latency_ms is the mean. The columns behind `note` are corecast's own.
constexpr std::array kColumns{"source",
                              "machine",
                              "framework",
                              "model",
                              "mode",
                              "seq_len",
                              "batch",
                              "instances",
                              "inter_op",
                              "intra_op",
                              "smt",
                              "placement",
                              "memory",
                              "allocator",
                              "latency_ms",
                              "latency_min_ms",
                              "latency_max_ms",
                              "throughput_per_s",
                              "note",
                              "spin",
                              "runtime",
                              "cpu_quota",
                              "latency_ms_median",
                              "spread",
                              "rounds",
                              "pinning"};

std::string quoted(const std::string& cell) {
  if (cell.find_first_of("\",\n\r") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

std::string number_text(double value) {
  return fmt::format("{:.7g}", value);
}
std::string number_text(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}

std::string pinning_of(const adaptor::PlanSetting& plan) {
  if (plan.cpus.empty()) return "none";
  return plan.cpus.size() > 1 && plan.cpus[0] == plan.cpus[1] ? "stacked" : "distinct";
}

std::string cpus_note(const adaptor::PlanSetting& plan) {
  if (plan.cpus.empty()) return "";
  std::vector<std::string> lists;
  for (const std::vector<int>& cpus : plan.cpus) lists.push_back(fmt::format("{}", fmt::join(cpus, " ")));
  return fmt::format("on CPUs {}", fmt::join(lists, " | "));
}

// `asked`: none for a run of an earlier call, whose words are not known any more.
std::string line_of(const MeasureReport& report, const adaptor::Run& run, const sim::Setting* asked) {
  const adaptor::PlanSetting& plan = run.setting;
  const adaptor::Latencies& latencies = *run.latencies;
  const auto word = [&](auto of) { return asked == nullptr ? std::string() : std::string(of(*asked)); };
  const std::array<std::string, kColumns.size()> cells{
      "corecast measure",
      report.machine,
      report.framework,
      report.model.name,
      plan.mode,
      report.model.sequence ? std::to_string(*report.model.sequence) : "",
      std::to_string(plan.batch),
      std::to_string(plan.instances),
      std::to_string(plan.inter_op),
      std::to_string(plan.intra_op),
      word([](const sim::Setting& setting) { return setting.smt ? "on" : "off"; }),
      word([](const sim::Setting& setting) { return name_of(setting.placement); }),
      word([](const sim::Setting& setting) { return name_of(setting.memory); }),
      plan.allocator.empty() ? "framework" : plan.allocator,
      number_text(latencies.mean),
      number_text(latencies.least),
      number_text(latencies.most),
      number_text(throughput_of(run)),
      cpus_note(plan),
      plan.spin ? "on" : "off",
      run.runtime,
      number_text(plan.cpu_quota),
      number_text(latencies.median),
      number_text(latencies.spread),
      std::to_string(run.rounds),
      pinning_of(plan)};
  std::vector<std::string> out;
  for (const std::string& cell : cells) out.push_back(quoted(cell));
  return fmt::format("{}\n", fmt::join(out, ","));
}

}  // namespace

std::string csv_of(const MeasureReport& report, const ContextLines& context) {
  std::string text;
  for (const auto& [key, value] : context) {
    std::string line = value;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text += fmt::format("# {}: {}\n", key, line);
  }
  text += fmt::format("{}\n", fmt::join(kColumns, ","));
  for (const MeasureRow& row : report.rows) {
    if (row.measured()) text += line_of(report, row.run, &row.asked.setting);
  }
  for (const adaptor::Run& run : report.others) text += line_of(report, run, nullptr);
  return text;
}

ContextLines context_of(const std::string& csv) {
  ContextLines lines;
  std::istringstream stream(csv);
  for (std::string line; std::getline(stream, line) && line.starts_with("# ");) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) lines.emplace_back(line.substr(2, colon - 2), line.substr(colon + 2));
  }
  return lines;
}

}  // namespace corecast::cli
