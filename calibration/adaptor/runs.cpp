#include "calibration/adaptor/runs.hpp"

#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"

namespace corecast::adaptor {
namespace {

constexpr std::string_view kSchema = "corecast.measured_runs/1";
constexpr std::int64_t kMostThreads = 1'000'000;
constexpr double kMostMilliseconds = 1e12;

std::string text_of(json::Object& object, std::string_view key) {
  const std::optional<json::Value> value = object.optional(key);
  return value && value->is_text() ? value->text() : "";  // null where the host does not tell
}

std::optional<double> number_of(json::Object& object, std::string_view key) {
  const std::optional<json::Value> value = object.optional(key);
  if (!value || !value->is_number()) return std::nullopt;
  return value->number(0.0, kMostMilliseconds);
}

int count_of(json::Object& object, std::string_view key) {
  return static_cast<int>(object.required(key).whole(1, kMostThreads));
}

PlanSetting setting_of(json::Object object) {
  PlanSetting setting;
  setting.mode = object.required("mode").text();
  setting.instances = count_of(object, "instances");
  setting.inter_op = count_of(object, "inter_op");
  setting.intra_op = count_of(object, "intra_op");
  setting.spin = text_of(object, "spin") != "off";
  setting.batch = object.required("batch").whole(1, INT64_MAX);
  setting.allocator = text_of(object, "allocator");
  setting.cpu_quota = number_of(object, "cpu_quota");
  if (const auto cpus = object.optional("cpus"); cpus && cpus->is_array()) {
    for (const json::Value& instance : cpus->array()) {
      std::vector<int> list;
      for (const json::Value& cpu : instance.array())
        list.push_back(static_cast<int>(cpu.whole(0, kMostThreads)));
      setting.cpus.push_back(std::move(list));
    }
  }
  return setting;
}

std::optional<double> most_others(json::Object& run) {
  std::optional<double> most;
  for (const json::Value& round : run.required("rounds").array()) {
    json::Object object = round.object();
    if (const auto others = number_of(object, "other_cpus")) most = std::max(most.value_or(0.0), *others);
  }
  return most;
}

Run run_of(json::Object object) {
  Run run;
  run.model = object.required("model").text();
  run.model_sha256 = object.required("model_sha256").text();
  json::Object setting = object.required("setting").object();
  run.runtime = setting.required("runtime").text();
  run.setting = setting_of(object.required("setting").object());
  run.rounds = static_cast<int>(object.required("rounds").array().size());
  run.other_cpus = most_others(object);
  if (run.rounds > 0) {
    const auto latency = [&](const char* key) { return object.required(key).number(0.0, kMostMilliseconds); };
    run.latencies =
        Latencies{latency("latency_ms_mean"), latency("latency_ms_median"), latency("latency_ms_min"),
                  latency("latency_ms_max"), number_of(object, "spread")};
  }
  if (const auto failures = object.optional("failures")) {
    for (const json::Value& failure : failures->array())
      run.failure = failure.object().required("error").text();
  }
  return run;
}

}  // namespace

MeasuredRuns parse_runs(std::string_view text, const std::string& file, const std::string& framework) {
  const json::Document document = json::parse(text, file);
  json::Object root = document.root().object();
  const std::string schema = root.required("schema").text();
  if (schema != kSchema)
    throw InputError(file, fmt::format("found the schema {}, wanted {}", quote(schema), kSchema));
  json::Object context = root.required("context").object();
  MeasuredRuns result;
  result.cpu_model = text_of(context, "cpu_model");
  result.framework = framework;
  if (const std::string version = text_of(context, framework + "_version"); !version.empty())
    result.framework += "-" + version;
  result.kernel = text_of(context, "kernel");
  result.granted_cpus = text_of(context, "granted_cpus");
  result.cpu_quota = number_of(context, "cpu_quota");
  for (const json::Value& run : root.required("runs").array()) result.runs.push_back(run_of(run.object()));
  return result;
}

MeasuredRuns read_runs(const std::filesystem::path& file, const std::string& framework) {
  return parse_runs(read_file(file), file.string(), framework);
}

}  // namespace corecast::adaptor
