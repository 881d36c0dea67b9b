#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/quantity_text.hpp"

namespace corecast::cli {

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string count_text(double count) {
  constexpr std::array<std::string_view, 6> prefixes{"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  while (std::abs(count) >= 999.5 && prefix + 1 < prefixes.size()) {
    count /= 1000.0;
    ++prefix;
  }
  return fmt::format("{:.3g}{}", count, prefixes[prefix]);
}

std::string percent_text(double share) {
  const double percent = 100.0 * share;
  return std::abs(percent) < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string loss_text(double loss) {
  if (loss < -0.00005) return fmt::format("{:.1f} %", 100.0 * loss);
  if (loss < 0.00005) return "best";
  if (loss < 0.0995) return fmt::format("+{:.1f} %", 100.0 * loss);
  if (loss < 0.995) return fmt::format("+{:.0f} %", 100.0 * loss);
  return fmt::format("{:.3g} x", 1.0 + loss);
}

std::string rate_text(double per_second) {
  return per_second < 999.5 ? fmt::format("{:.3g}", per_second) : fmt::format("{:.0f}", per_second);
}

std::string factor_text(double factor) {
  return fmt::format("{:.2f} x", factor);
}

std::string setting_text(const sim::Setting& setting) {
  std::string text = fmt::format("intra {}", setting.intra_op);
  const bool parallel = setting.mode == sim::Mode::parallel;
  if (parallel) text = fmt::format("inter {}, {}", setting.inter_op, text);
  if (setting.instances > 1) text = fmt::format("{} x {}", setting.instances, text);
  if (setting.smt) text = "SMT, " + text;  // first: narrow tables cut the end
  if (parallel) text += ", parallel";
  if (setting.placement == sim::Placement::scatter) text += ", scatter";
  if (!setting.spin) text += ", no spin";
  if (setting.memory == sim::MemoryPolicy::interleave) text += ", interleave";
  if (setting.allocator != sim::Allocator::framework)
    text += fmt::format(", {} allocator", name_of(setting.allocator));
  if (setting.pinning == sim::Pinning::stacked) text += ", stacked";
  return text;
}

std::string no_effect_text(std::string_view path) {
  // The end of a path and what is known about it; the first that fits.
  constexpr std::string_view hidden = "it counts bytes and bandwidths, and takes latency to be hidden";
  constexpr std::string_view cached = "the caches hold all that the settings compared touch";
  constexpr std::string_view alone = "no two threads of the settings compared share a core";
  constexpr std::string_view local = "the settings compared stay on one socket";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> reasons{
      {{"wake_up", "idle threads spin in the settings compared, none has to be woken"},
       {"page_fault", "it is of a model that has run before, whose pages are all there"},
       {"link.latency", local},
       {"link.bandwidth", local},
       {".latency", hidden},
       {"memory.bandwidth", cached},
       {"core_bandwidth", cached},
       {"saturation_shape", cached},
       {"cluster_bandwidth", "it draws from the whole socket's memory"},
       {"capacity", "memory only decides how many instances fit, and those compared do"},
       {"time_slice", "no setting compared has more threads than CPUs"},
       {"smt_gain.compute", alone},
       {"smt_gain.memory", alone},
       {"topology.smt", alone}}};
  std::string text = fmt::format("{} enters no term of this forecast", path);
  for (const auto& [end, why] : reasons) {
    if (path.ends_with(end)) return fmt::format("{}: {}", text, why);
  }
  if (path.find("l1") != std::string_view::npos)
    return text + ": it begins at the largest cache that is private to a core";
  return text + ": the settings compared do not use it, or the value is the one it had";
}

std::vector<sim::Message> messages_of(const std::vector<sim::Advice>& list) {
  std::vector<sim::Message> messages;
  for (const sim::Advice& advice : list) {
    messages.push_back(
        {advice.cause.empty() ? advice.code : fmt::format("{} ({})", advice.code, advice.cause),
         advice.text});
  }
  return messages;
}

std::vector<sim::Message> not_told(const std::vector<sim::Message>& messages,
                                   const std::vector<sim::Advice>& list) {
  std::vector<sim::Message> out;
  for (const sim::Message& message : messages) {
    if (std::none_of(list.begin(), list.end(), [&](const sim::Advice& a) { return a.code == message.code; }))
      out.push_back(message);
  }
  return out;
}

int online_cpus(const MachineInput& machine) {
  return machine.host ? static_cast<int>(machine.host->grant.online.size()) : 0;
}

std::string interval_text(const sim::Forecast& forecast) {
  return fmt::format("{} to {}", to_short_text(forecast.low), to_short_text(forecast.high));
}

std::vector<std::string> measured_kernels(const sim::Runtime& runtime) {
  std::vector<std::string> names;
  for (const auto& [kernel, model] : runtime.library_kernels) {
    names.push_back(fmt::format("{} {}", name_of(kernel.first), name_of(kernel.second)));
  }
  return names;
}

}  // namespace corecast::cli
