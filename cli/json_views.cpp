#include "cli/json_views.hpp"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

constexpr std::size_t kLine = 240;  // columns up to which a value stays on one line

// With a blank after ':' and ',', unlike dump().
std::string on_one_line(const Tree& tree) {
  if (!tree.is_structured()) return tree.dump(-1, ' ', false, Tree::error_handler_t::replace);
  const bool object = tree.is_object();
  std::string out(1, object ? '{' : '[');
  for (const auto& [key, value] : tree.items()) {
    if (out.size() > 1) out += ", ";
    if (object) out += on_one_line(key) + ": ";
    out += on_one_line(value);
  }
  return out + (object ? '}' : ']');
}

// A setting or a forecast on one line, so that a ranking can be read.
void print(std::string& out, const Tree& tree, std::size_t indent) {
  std::string line = on_one_line(tree);
  if (!tree.is_structured() || tree.empty() || (indent > 0 && indent + line.size() <= kLine)) {
    out += line;
    return;
  }
  const bool object = tree.is_object();
  out += object ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, value] : tree.items()) {
    out += separator + std::string(indent + 2, ' ');
    if (object) out += on_one_line(key) + ": ";
    print(out, value, indent + 2);
    separator = ",\n";
  }
  out += "\n" + std::string(indent, ' ') + (object ? '}' : ']');
}

}  // namespace

Tree report(const std::string& name) {
  return {{"schema", "corecast." + name + "/1"}, {"version", CORECAST_VERSION}};
}

Tree number(double value) {
  CORECAST_CHECK(std::isfinite(value), "value={}", value);
  if (value == std::trunc(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Tree tree_of(const sim::Setting& setting) {
  return {{"runtime", setting.runtime},
          {"mode", name_of(setting.mode)},
          {"instances", setting.instances},
          {"inter_op", setting.inter_op},
          {"intra_op", setting.intra_op},
          {"smt", setting.smt},
          {"placement", name_of(setting.placement)},
          {"batch", setting.batch},
          {"spin", setting.spin},
          {"memory", name_of(setting.memory)},
          {"allocator", name_of(setting.allocator)},
          {"pinning", name_of(setting.pinning)}};
}

Tree tree_of(const sim::Forecast& forecast) {
  const auto milliseconds = [](Seconds t) { return number(t.value() * 1e3); };
  return {{"latency_ms", milliseconds(forecast.latency)},
          {"latency_low_ms", milliseconds(forecast.low)},
          {"latency_high_ms", milliseconds(forecast.high)},
          {"throughput_per_s", number(forecast.throughput_per_s)},
          {"time_share",
           {{"compute", number(forecast.share.compute)},
            {"memory", number(forecast.share.memory)},
            {"overhead", number(forecast.share.overhead)},
            {"wait", number(forecast.share.wait)},
            {"idle", number(forecast.share.idle)}}},
          {"bound_by", forecast.bound_by}};
}

Tree tree_of(const std::vector<sim::Message>& messages) {
  Tree tree = Tree::array();
  for (const sim::Message& message : messages)
    tree.push_back({{"code", message.code}, {"text", message.text}});
  return tree;
}

Tree tree_of(const sim::Advice& advice) {
  Tree tree = {{"code", advice.code}, {"text", advice.text}};
  if (!advice.cause.empty()) tree["cause"] = advice.cause;
  if (advice.better) {
    tree["gain"] = number(advice.gain);
    tree["setting"] = tree_of(*advice.better);
  }
  return tree;
}

Tree tree_of(const ModelInput& model) {
  Tree tree = {{"name", model.name},
               {"origin", model.origin},
               {"checksum", model.checksum},
               {"batch", model.graph.batch}};
  if (model.form) add_form(tree, *model.form);
  tree["operators"] = model.graph.size();
  tree["flop"] = number(model.graph.total_flops().value());
  tree["parameters"] = model.graph.total_parameters();
  tree["bytes"] = number(model.graph.total_traffic().value());
  return tree;
}

void add_form(Tree& tree, const ModelForm& form) {
  if (form.sequence) tree["sequence"] = *form.sequence;
  tree["dtype"] = name_of(form.type);
  tree["training"] = form.training;
}

Tree tree_of(const MachineInput& machine) {
  const sim::Target& target = machine.target;
  Tree tree = {{"name", machine.machine.name},
               {"origin", machine.origin},
               {"checksum", machine.checksum},
               {"description", machine.machine.description},
               {"family", machine.machine.family},
               {"sockets", machine.machine.sockets},
               {"cores", machine.machine.cores()},
               {"logical_cpus", machine.machine.logical_cpus()},
               {"usable_cores", target.physical_cores()},
               {"usable_cpus", target.cpus()}};
  if (machine.calibration) {
    tree["calibration"] = {{"date", machine.calibration->date}, {"file", machine.calibration->file.string()}};
  }
  if (target.quota_cpus) tree["quota_cpus"] = number(*target.quota_cpus);
  // The limit, not what is left of it: that differs from run to run.
  if (machine.host && machine.host->grant.pids_limit) tree["pids_limit"] = *machine.host->grant.pids_limit;
  tree["value_origins"] = tree_of(origins_of(target.machine));
  return tree;
}

Tree tree_of(const sim::Runtime& runtime) {
  return {{"name", runtime.name},
          {"framework", runtime.framework},
          {"library", runtime.library},
          {"library_kernels_measured", measured_kernels(runtime)},
          {"versions", runtime.versions},
          {"description", runtime.description},
          {"inter_op_works", runtime.inter_op_works},
          {"intra_op_pool", runtime.own_teams ? "own" : "shared"},
          {"value_origins", tree_of(origins_of(runtime))}};
}

Tree tree_of(const OriginCounts& origins) {
  Tree tree;
  for (std::size_t i = 0; i < origins.counts.size(); ++i) {
    tree[std::string(name_of(static_cast<hwmodels::Origin>(i)))] = origins.counts[i];
  }
  return tree;
}

Tree tree_of(const Confidence& confidence) {
  return {{"calibrated", confidence.calibrated},
          {"interval", number(confidence.interval)},
          {"within_2_percent", confidence.within_2_percent},
          {"text", confidence.text}};
}

Tree tree_of_candidate(const sim::Candidate& candidate) {
  return {{"setting", tree_of(candidate.setting)},
          {"forecast", tree_of(candidate.forecast)},
          {"loss", number(candidate.loss)},
          {"why", candidate.why}};
}

std::string text_of(const Tree& tree) {
  std::string out;
  print(out, tree, 0);
  return out + "\n";
}

}  // namespace corecast::cli
