#include "cli/measure_settings.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/quantity_text.hpp"
#include "cli/cpu_numbers.hpp"
#include "cli/option_values.hpp"
#include "cli/words.hpp"
#include "graphs/builtin.hpp"
#include "sim/forecast.hpp"

namespace corecast::cli {
namespace {

constexpr std::size_t kMostSettings = 4096;  // a typing error such as 1-100000 is refused, not measured
constexpr double kLeastQuota = 0.01, kMostQuota = 65'536.0;

// In the order in which axes vary, the last fastest.
const std::vector<std::string> kNesting{"quota",     "instances", "batch", "allocator", "memory", "smt",
                                        "placement", "pinning",   "mode",  "inter",     "intra",  "spin"};

bool is_number(const std::string& key) {
  static const std::set<std::string> numbers{"instances", "batch", "inter", "intra"};
  return numbers.contains(key);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  if (text.empty() || text.back() == at) parts.emplace_back();
  return parts;
}

// "4", "1-4" (each), "1-16*2" (doubling) of a whole number.
std::vector<std::string> range_of(const std::string& place, const std::string& text) {
  const std::size_t dash = text.find('-', 1);
  if (dash == std::string::npos) return {text};
  const std::size_t star = text.find('*', dash);
  const long long first = count_of(place, text.substr(0, dash), kMostThreads);
  const long long last = count_of(
      place, text.substr(dash + 1, star == std::string::npos ? star : star - dash - 1), kMostThreads, first);
  const long long factor =
      star == std::string::npos ? 0 : count_of(place, text.substr(star + 1), kMostThreads, 2);
  std::vector<std::string> values;
  for (long long value = first; value <= last; value = factor > 0 ? value * factor : value + 1) {
    values.push_back(std::to_string(value));
    if (values.size() > kMostSettings)
      throw InputError(place, fmt::format("{} has more than {} values", quote(text), kMostSettings));
  }
  return values;
}

std::vector<std::string> values_of(const std::string& place, const std::string& key,
                                   const std::string& list) {
  std::vector<std::string> values;
  for (const std::string& part : split(list, ',')) {
    const std::vector<std::string> more = is_number(key) ? range_of(place, part) : std::vector{part};
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

double quota_of(const std::string& place, const std::string& text) {
  const std::string wanted = fmt::format("a number of CPUs from {} on, or none", kLeastQuota);
  try {
    const double value = parse_number(text, wanted);
    if (value >= kLeastQuota && value <= kMostQuota) return value;
  } catch (const InputError&) {
  }
  throw InputError(place, fmt::format("found {}, wanted {}", quote(text), wanted));
}

std::string mode_of(const std::string& place, const std::string& text, const MeasureWords& known) {
  if (std::find(known.modes.begin(), known.modes.end(), text) != known.modes.end()) return text;
  throw InputError(place, fmt::format("found {}, wanted {}", quote(text), fmt::join(known.modes, " or ")),
                   did_you_mean(text, known.modes));
}

std::vector<std::vector<int>> cpus_of(const MeasureSetting& setting, const MachineInput& machine,
                                      const sim::Runtime& runtime) {
  if (!setting.pinned) return {};
  sim::Setting asked = setting.setting;
  const bool stacked = asked.pinning == sim::Pinning::stacked;
  if (stacked) asked.instances = 1;
  std::vector<std::vector<int>> cpus;
  for (const InstanceCpus& instance : instance_cpus(machine, runtime, asked)) cpus.push_back(instance.cpus);
  if (stacked && !cpus.empty())
    cpus.resize(static_cast<std::size_t>(setting.setting.instances), cpus.front());
  return cpus;
}

}  // namespace

const std::vector<std::string>& measure_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all = setting_keys();
    all.insert(all.end(), {"batch", "quota"});
    return all;
  }();
  return keys;
}

MeasureSetting setting_of_words(const std::map<std::string, std::string>& words, const std::string& place,
                                const MeasureWords& known) {
  MeasureSetting result;
  AskedSetting asked;
  sim::Setting base;
  base.batch = known.batch;
  result.mode = known.modes.front();
  bool has_mode = false;
  for (const auto& [key, text] : words) {
    const std::string at = fmt::format("{} {}", place, key);
    if (key == "quota") {
      if (text != "none") result.quota = quota_of(at, text);
    } else if (key == "batch") {
      base.batch = count_of(at, text, graphs::kMostBatch);
      if (!known.batch_is_free && base.batch != known.batch) {
        throw InputError(at,
                         fmt::format("found {}, but the model is made for a batch of {}", text, known.batch),
                         "--batch makes it for another");
      }
    } else if (key == "mode") {
      result.mode = mode_of(at, text, known);
      has_mode = true;
    } else if (key == "pinning" && text == "none") {
      result.pinned = false;
    } else {
      set_member(asked, key, at, text);
    }
  }
  result.setting = completed(asked, base);
  if (result.setting.memory == sim::MemoryPolicy::interleave) {
    throw InputError(place + " memory", "measure does not set where pages lie",
                     "start it under `numactl --interleave=all`");
  }
  // Only onnxruntime has the two modes that are a setting's own; of others the framework's word goes along.
  const auto has = [&](const char* mode) {
    return std::find(known.modes.begin(), known.modes.end(), mode) != known.modes.end();
  };
  if (has("parallel")) {
    if (has_mode) {
      result.setting.mode = result.mode == "parallel" ? sim::Mode::parallel : sim::Mode::sequential;
    }
    result.mode = std::string(name_of(result.setting.mode));
    if (result.setting.mode == sim::Mode::sequential) result.setting.inter_op = 1;  // it makes no such pool
  }
  return result;
}

std::vector<MeasureSetting> settings_of_axes(const std::string& text, const MeasureWords& known) {
  std::map<std::string, std::vector<std::string>> axes;
  std::istringstream stream(text);
  for (std::string part; stream >> part;) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const auto& keys = measure_keys();
    if (equals == std::string::npos)
      throw InputError("--axes", fmt::format("found {}, wanted KEY=LIST", quote(part)),
                       "for example intra=1,2,4");
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw InputError("--axes",
                       fmt::format("found the key {}, wanted one of {}", quote(key), fmt::join(keys, ", ")),
                       did_you_mean(key, keys));
    }
    if (axes.contains(key)) throw InputError("--axes", fmt::format("{} is given twice", quote(key)));
    axes[key] = values_of("--axes " + key, key, part.substr(equals + 1));
  }
  if (axes.empty()) throw InputError("--axes", "is empty", "for example intra=1,2,4");
  std::vector<std::map<std::string, std::string>> combinations(1);
  for (const std::string& key : kNesting) {
    const auto axis = axes.find(key);
    if (axis == axes.end()) continue;
    if (combinations.size() * axis->second.size() > kMostSettings)
      throw InputError("--axes", fmt::format("{} are more than {} settings", quote(text), kMostSettings));
    std::vector<std::map<std::string, std::string>> more;
    for (const auto& one : combinations) {
      for (const std::string& value : axis->second) {
        more.push_back(one);
        more.back()[key] = value;
      }
    }
    combinations = std::move(more);
  }
  std::vector<MeasureSetting> settings;
  for (const auto& words : combinations) {
    const MeasureSetting setting = setting_of_words(words, "--axes", known);
    if (std::find(settings.begin(), settings.end(), setting) == settings.end()) settings.push_back(setting);
  }
  return settings;
}

std::vector<std::string> grid_axes(const MeasureWords& known) {
  std::set<int> intra;
  for (int threads = 1; threads <= 2 * known.cpus; threads *= 2) intra.insert(threads);
  for (const int threads : {known.cores - 1, known.cores, known.cores + 1}) {
    if (threads >= 1) intra.insert(threads);
  }
  const std::string threads = fmt::format("intra={}", fmt::join(intra, ","));
  const std::string rest = fmt::format("instances=1,2{}", known.can_spin_off ? " spin=on,off" : "");
  std::vector<std::string> axes{fmt::format("{} {}", threads, rest)};
  if (known.has_parallel_mode) axes.push_back(fmt::format("mode=parallel inter=2,4 {} {}", threads, rest));
  return axes;
}

adaptor::PlanSetting plan_setting_of(const MeasureSetting& setting, const MachineInput& machine,
                                     const sim::Runtime& runtime) {
  adaptor::PlanSetting plan;
  plan.mode = setting.mode;
  plan.instances = setting.setting.instances;
  plan.inter_op = setting.setting.inter_op;
  plan.intra_op = setting.setting.intra_op;
  plan.spin = setting.setting.spin;
  plan.batch = setting.setting.batch;
  if (setting.setting.allocator != sim::Allocator::framework)
    plan.allocator = name_of(setting.setting.allocator);
  plan.cpu_quota = setting.quota;
  plan.cpus = cpus_of(setting, machine, runtime);
  return plan;
}

std::string text_of(const MeasureSetting& setting) {
  sim::Setting plain = setting.setting;
  std::string mode;
  if (setting.mode != "sequential" && setting.mode != "parallel") {
    if (plain.inter_op > 1) mode = fmt::format(", inter {}", plain.inter_op);
    mode += ", " + setting.mode;
    plain.mode = sim::Mode::sequential;  // its words stand behind
  }
  std::string text = setting_text(plain) + mode;
  if (!setting.pinned) text += ", not pinned";
  if (setting.quota) text += fmt::format(", quota {}", *setting.quota);
  return text;
}

}  // namespace corecast::cli
