#include "calibration/evidence/grouping.hpp"

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "calibration/measurements.hpp"
#include "graphs/builtin.hpp"

namespace corecast::evidence {
namespace {

struct Usable {
  GroupKey key;
  ModelForm form;
  sim::Setting setting;
  const MeasuredRow* row = nullptr;
};

Or<ModelForm> form_of(const MeasuredRow& row, const Request& request) {
  if (!row.batch) return Reason{"batch is not stated"};
  ModelForm form;
  form.batch = *row.batch;
  if (const auto profile = request.profiles.find(row.model); profile != request.profiles.end())
    form.profile = profile->second;
  const auto named = request.graphs.find(row.model);
  if (named == request.graphs.end()) {
    auto builtin = builtin_named_like(row.model);
    if (const auto* reason = std::get_if<Reason>(&builtin)) return *reason;
    form.model = std::get<std::string>(std::move(builtin));
  } else {
    form.model = named->second;
    std::error_code code;
    form.file = std::filesystem::exists(form.model, code) || graphs::find_builtin(form.model) == nullptr;
  }
  if (form.file) return form;  // a file has its length written in
  form.sequence = row.sequence;
  if (row.sequence && !graphs::builtin_named(form.model).sequence)
    return Reason{fmt::format("seq_len is stated, but {} has no sequence", form.model)};
  return form;
}

std::string switch_text(const std::optional<bool>& value) {
  return value ? (*value ? "on" : "off") : "";
}

GroupKey key_of(const MeasuredRow& row, const sim::Runtime& runtime, const sim::Setting& setting,
                const Request& request) {
  GroupKey key;
  key.machine = row.machine;
  key.framework = row.framework;
  key.model = row.model;
  key.mode = row.mode;
  if (runtime.framework == "onnxruntime") {
    key.framework = framework_of(row.framework).name;
    if (!request.by_mode) key.mode.clear();
  }
  key.batch = setting.batch;
  key.source = row.source;
  key.sequence = row.sequence.value_or(0);
  key.smt = switch_text(row.smt);
  key.placement = row.placement;
  key.memory = row.memory;
  key.allocator = row.allocator;
  key.pinning = row.pinning;
  key.quota_cpus = row.quota_cpus.value_or(0.0);
  std::vector<std::string> more;
  if (request.by_inter_op) more.push_back(fmt::format("inter_op {}", setting.inter_op));
  if (request.by_spin) more.push_back(fmt::format("spin {}", setting.spin ? "on" : "off"));
  if (request.by_runtime) more.push_back(fmt::format("runtime {}", runtime.name));
  key.more = fmt::format("{}", fmt::join(more, ", "));
  return key;
}

Or<Usable> usable(const MeasuredRow& row, const Request& request) {
  if (!request.machines.contains(row.machine)) {
    const auto why = request.unusable_machines.find(row.machine);
    return Reason{why != request.unusable_machines.end()
                      ? why->second
                      : fmt::format("machine {} is unknown", quote(row.machine, 40))};
  }
  auto form = form_of(row, request);
  if (const auto* reason = std::get_if<Reason>(&form)) return *reason;
  const auto runtime = runtime_named(row, request.runtimes, request.runtime_choices);
  if (const auto* reason = std::get_if<Reason>(&runtime)) return *reason;
  const sim::Runtime own = sim::find_runtime(request.runtimes, std::get<std::string>(runtime));
  auto setting = setting_of(row, own);
  if (const auto* reason = std::get_if<Reason>(&setting)) return *reason;
  if (!latency_ms_of(row)) return Reason{"neither a latency nor a throughput is stated"};
  Usable out;
  out.key = key_of(row, own, std::get<sim::Setting>(setting), request);
  out.form = std::get<ModelForm>(std::move(form));
  out.setting = std::get<sim::Setting>(std::move(setting));
  out.row = &row;
  return out;
}

// What distinguishes settings of one group; the rest is the same in all of them.
using SettingOrder = std::tuple<int, int, sim::Mode, int, bool, std::string>;

SettingOrder order_of(const sim::Setting& setting) {
  return {setting.instances, setting.intra_op, setting.mode,
          setting.inter_op,  !setting.spin,    setting.runtime};
}

std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return calibration::median(values);
}

Point measured_point(const std::vector<Usable>& rows) {
  Point point;
  point.setting = rows.front().setting;
  point.rows = static_cast<int>(rows.size());
  std::vector<double> latencies, throughputs, spreads, ranges;
  for (const Usable& one : rows) {
    const MeasuredRow& row = *one.row;
    latencies.push_back(latency_ms_of(row).value());
    throughputs.push_back(throughput_of(row).value());
    if (row.spread) spreads.push_back(*row.spread / 2.0);
    if (row.latency_min_ms && row.latency_max_ms && *row.latency_max_ms >= *row.latency_min_ms)
      ranges.push_back((*row.latency_max_ms - *row.latency_min_ms) / 2.0 / latencies.back());
  }
  point.measured_ms = calibration::median(latencies);
  point.measured_per_s = calibration::median(throughputs);
  if (rows.size() > 1) {
    const auto [least, most] = std::minmax_element(latencies.begin(), latencies.end());
    point.repeats = (*most - *least) / 2.0 / point.measured_ms;
  }
  point.spread = median_of(spreads);
  point.range = median_of(ranges);
  return point;
}

}  // namespace

std::vector<Group> groups_of(const Request& request, Forecaster& forecaster, ReasonCounts& skipped) {
  std::map<GroupKey, std::map<SettingOrder, std::vector<Usable>>> sorted;
  std::size_t settings = 0;
  for (const MeasuredTable& table : request.tables) {
    for (const MeasuredRow& row : table.rows) {
      auto made = usable(row, request);
      if (const auto* reason = std::get_if<Reason>(&made)) {
        ++skipped[reason->text];
        continue;
      }
      Usable& one = std::get<Usable>(made);
      auto& rows = sorted[one.key][order_of(one.setting)];
      settings += rows.empty();
      rows.push_back(std::move(one));
    }
  }
  std::vector<Group> groups;
  std::size_t done = 0;
  for (const auto& [key, by_setting] : sorted) {
    Group group;
    group.key = key;
    group.form = by_setting.begin()->second.front().form;
    std::map<std::string, int> points_of;
    for (const auto& entry : by_setting) {
      const std::vector<Usable>& rows = entry.second;
      request.progress(static_cast<double>(done++) / static_cast<double>(settings));
      Point point = measured_point(rows);
      auto made = forecaster.forecast(group.form, key.machine, rows.front().row->quota_cpus, point.setting);
      if (const auto* reason = std::get_if<Reason>(&made)) {
        skipped[reason->text] += point.rows;
        continue;
      }
      point.forecast = std::get<sim::Forecast>(std::move(made));
      point.forecast_ms = 1e3 * point.forecast.latency.value();
      point.forecast_per_s = static_cast<double>(point.setting.instances) *
                             static_cast<double>(point.setting.batch) / point.forecast.latency.value();
      group.rows += point.rows;
      ++points_of[point.setting.runtime];
      group.points.push_back(std::move(point));
    }
    if (group.points.empty()) continue;
    group.runtime = std::max_element(points_of.begin(), points_of.end(), [](const auto& a, const auto& b) {
                      return a.second < b.second;
                    })->first;
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace corecast::evidence
