#include "cli/profile_input.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "calibration/profile/trace.hpp"
#include "cli/option_values.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

namespace prof = calibration::profile;

sim::Setting setting_of(const ProfileChoice& choice, const prof::Profile& profile, const ModelInput& model,
                        const sim::Runtime& runtime) {
  const std::optional<int>& asked = choice.setting.intra_op;
  if (!asked && !profile.intra_op) {
    throw InputError("--profile-setting",
                     fmt::format("{} does not tell how many threads its run had", quote(profile.file)),
                     "give them, for instance --profile-setting intra=1");
  }
  if (asked && profile.intra_op && *asked != *profile.intra_op) {
    throw InputError("--profile-setting",
                     fmt::format("found intra={}, but the run in {} had {}", *asked, quote(profile.file),
                                 counted(*profile.intra_op, "thread")));
  }
  sim::Setting base;
  base.runtime = runtime.name;
  base.batch = model.graph.batch;
  base.intra_op = profile.intra_op.value_or(1);
  return completed(choice.setting, base);
}

double milliseconds(Seconds t) {
  return t.value() * 1e3;
}

std::string class_table(const prof::ProfileFit& fit, int width) {
  std::vector<Row> rows;
  for (const prof::ClassFactor& c : fit.classes) {
    rows.push_back({{std::string(name_of(c.kernel)), std::to_string(c.operators), to_short_text(c.measured),
                     to_short_text(c.forecast), fmt::format("{:.2f}", c.factor)},
                    ""});
  }
  return table({{"class", Align::left, true},
                {"operators", Align::right},
                {"measured", Align::right},
                {"forecast without", Align::right},
                {"median factor", Align::right}},
               rows, width);
}

}  // namespace

ProfileInput load_profile(const ProfileChoice& choice, const ModelInput& model, const MachineInput& machine,
                          const sim::Runtime& runtime) {
  ProfileInput input;
  input.profile = prof::profile_of(prof::read_trace(choice.file), prof::heavy_operators(model.graph));
  const sim::Setting setting = setting_of(choice, input.profile, model, runtime);
  input.fit = prof::fit_profile(input.profile, model.graph, machine.target, runtime, setting);
  return input;
}

std::string profile_text(const ProfileInput& input, int width) {
  const prof::Profile& p = input.profile;
  const prof::ProfileFit& f = input.fit;
  const prof::Matching& m = f.matching;
  std::string text = "\nProfile\n";
  text += wrapped(
      fmt::format("{}: {}, {} of {} used, {}; {}", std::filesystem::path(p.file).filename().string(),
                  name_of(p.source), p.used, counted(p.runs, "run"),
                  counted(static_cast<std::int64_t>(p.nodes.size()), "node"), setting_text(f.setting)),
      width, "  file     ");
  text += wrapped(fmt::format("{} of the time, {} of {} operators ({} by name, {} by shape, {} by order)",
                              percent_text(m.time_share), m.groups.size(), m.operators, m.by_name, m.by_shape,
                              m.by_order),
                  width, "  matched  ");
  text += wrapped(
      fmt::format(
          "{} as profiled, {} without what profiling costs; forecast {} without the profile, {} with it",
          to_short_text(p.run), to_short_text(f.measured), to_short_text(f.before), to_short_text(f.after)),
      width, "  one run  ");
  return text + class_table(f, width);
}

Tree profile_tree(const ProfileInput& input) {
  const prof::Profile& p = input.profile;
  const prof::ProfileFit& f = input.fit;
  const prof::Matching& m = f.matching;
  Tree tree = {{"file", std::filesystem::path(p.file).filename().string()},
               {"source", prof::name_of(p.source)},
               {"setting", tree_of(f.setting)},
               {"runs", p.runs},
               {"runs_used", p.used},
               {"nodes", p.nodes.size()},
               {"event_cost_us", number(p.event_cost.value() * 1e6)},
               {"matched_time_share", number(m.time_share)},
               {"matched_operators", m.groups.size()},
               {"operators", m.operators},
               {"matched_by", {{"name", m.by_name}, {"shape", m.by_shape}, {"order", m.by_order}}},
               {"profiled_ms", number(milliseconds(p.run))},
               {"measured_ms", number(milliseconds(f.measured))},
               {"forecast_without_ms", number(milliseconds(f.before))},
               {"forecast_ms", number(milliseconds(f.after))}};
  tree["classes"] = Tree::array();
  for (const prof::ClassFactor& c : f.classes) {
    tree["classes"].push_back({{"class", name_of(c.kernel)},
                               {"operators", c.operators},
                               {"measured_ms", number(milliseconds(c.measured))},
                               {"forecast_without_ms", number(milliseconds(c.forecast))},
                               {"median_factor", number(c.factor)}});
  }
  tree["operator_factors"] = Tree::object();
  for (const auto& [name, factor] : f.runtime.operator_factors) {
    tree["operator_factors"][name] = {{"factor", number(factor.factor)},
                                      {"serial_us", number(factor.serial.value() * 1e6)},
                                      {"relative_error", number(factor.relative_error)}};
  }
  return tree;
}

}  // namespace corecast::cli
