#include "calibration/evidence/names.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/builtin.hpp"

namespace corecast::evidence {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Lower case, '_' for everything that is neither letter nor digit.
std::string word_of(std::string_view text) {
  std::string out = lower(text);
  for (char& c : out) {
    if (!is_digit(c) && !(c >= 'a' && c <= 'z')) c = '_';
  }
  return out;
}

std::string without(std::string text, char unwanted) {
  text.erase(std::remove(text.begin(), text.end(), unwanted), text.end());
  return text;
}

// "1.13.1" -> 1, 13, 1
std::vector<int> parts_of(const std::string& version) {
  std::vector<int> parts(1, 0);
  for (const char c : version) {
    if (is_digit(c)) {
      if (parts.back() < 100'000'000) parts.back() = 10 * parts.back() + (c - '0');
    } else if (c == '.') {
      parts.push_back(0);
    } else {
      break;
    }
  }
  return parts;
}

// Whether `version` is at most `limit`, in as many parts as the limit states.
bool up_to(const std::string& version, const std::string& limit) {
  std::vector<int> given = parts_of(version);
  const std::vector<int> most = parts_of(limit);
  given.resize(most.size(), 0);
  return given <= most;
}

const sim::Runtime* named(const std::vector<sim::Runtime>& runtimes, std::string_view name) {
  const auto found =
      std::find_if(runtimes.begin(), runtimes.end(), [&](const auto& one) { return one.name == name; });
  return found == runtimes.end() ? nullptr : &*found;
}

// NAME-VERSION of the lowest version that is not below the given one, else NAME.
const sim::Runtime* of_framework(const std::vector<sim::Runtime>& runtimes, const Framework& framework) {
  const sim::Runtime* best = named(runtimes, framework.name);
  if (framework.version.empty()) return best;
  std::vector<int> best_version;
  for (const sim::Runtime& one : runtimes) {
    const Framework own = framework_of(one.name);
    if (own.name != framework.name || own.version.empty() || !up_to(framework.version, own.version)) continue;
    if (!best_version.empty() && parts_of(own.version) >= best_version) continue;
    best = &one;
    best_version = parts_of(own.version);
  }
  return best;
}

// One of several spellings of the values of a setting; the part after '/' says by which tool.
template <typename T>
struct Spelling {
  std::string_view text;
  T value;
};

template <typename T, std::size_t n>
Or<T> spelled(const char* column, const std::string& text, const std::array<Spelling<T>, n>& spellings,
              T not_stated) {
  const std::string word = lower(std::string_view(text).substr(0, text.find('/')));
  if (word.empty()) return not_stated;
  for (const auto& one : spellings) {
    if (one.text == word) return one.value;
  }
  return Reason{fmt::format("{} {}: a setting has no such word", column, quote(text, 40))};
}

constexpr std::array<Spelling<sim::Placement>, 5> kPlacements{{{"compact", sim::Placement::compact},
                                                               {"sequential", sim::Placement::compact},
                                                               {"scatter", sim::Placement::scatter},
                                                               {"interleave", sim::Placement::scatter},
                                                               {"interleaved", sim::Placement::scatter}}};
constexpr std::array<Spelling<sim::MemoryPolicy>, 5> kMemories{
    {{"local", sim::MemoryPolicy::first_touch},
     {"first-touch", sim::MemoryPolicy::first_touch},
     {"first_touch", sim::MemoryPolicy::first_touch},
     {"interleave", sim::MemoryPolicy::interleave},
     {"interleaved", sim::MemoryPolicy::interleave}}};
constexpr std::array<Spelling<sim::Allocator>, 9> kAllocators{{{"default", sim::Allocator::framework},
                                                               {"framework", sim::Allocator::framework},
                                                               {"system", sim::Allocator::system},
                                                               {"malloc", sim::Allocator::system},
                                                               {"glibc", sim::Allocator::system},
                                                               {"caching", sim::Allocator::caching},
                                                               {"tcmalloc", sim::Allocator::caching},
                                                               {"jemalloc", sim::Allocator::caching},
                                                               {"mimalloc", sim::Allocator::caching}}};
constexpr std::array<Spelling<sim::Pinning>, 3> kPinnings{{{"distinct", sim::Pinning::distinct},
                                                           {"none", sim::Pinning::distinct},
                                                           {"stacked", sim::Pinning::stacked}}};

}  // namespace

Framework framework_of(std::string_view text) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if ((text[i] == '-' || text[i] == ' ' || text[i] == '=') && is_digit(text[i + 1])) {
      std::string_view name = text.substr(0, i);
      while (!name.empty() && name.back() == '=') name.remove_suffix(1);
      return {lower(name), std::string(text.substr(i + 1))};
    }
  }
  return {lower(text), ""};
}

std::string plain_mode(std::string_view text) {
  std::string mode = lower(text.substr(0, text.find('(')));
  while (!mode.empty() && mode.back() == ' ') mode.pop_back();
  return mode;
}

Or<std::string> builtin_named_like(std::string_view name) {
  const std::string wanted = word_of(name);
  std::vector<std::string> longer, all;
  for (const graphs::BuiltinModel& model : graphs::builtin_models()) {
    if (without(model.name, '_') == without(wanted, '_')) return model.name;
    if (!wanted.empty() && model.name.starts_with(wanted + "_")) longer.push_back(model.name);
    all.push_back(model.name);
  }
  if (longer.size() == 1) return longer.front();
  if (!longer.empty()) {
    return Reason{fmt::format("model {} could be {}: say which by --graph {}={}", quote(name, 40),
                              fmt::join(longer, " or "), name, longer.front())};
  }
  const std::string near = did_you_mean(wanted, all);
  return Reason{fmt::format("model {} is not built in{}: --graph {}=FILE.onnx names it", quote(name, 40),
                            near.empty() ? "" : " (" + near + ")", name)};
}

Or<std::string> runtime_named(const MeasuredRow& row, const std::vector<sim::Runtime>& runtimes,
                              const RuntimeChoices& choices) {
  if (!row.runtime.empty()) {
    if (named(runtimes, row.runtime) != nullptr) return row.runtime;
    return Reason{fmt::format("runtime {} is unknown", quote(row.runtime, 40))};
  }
  const Framework framework = framework_of(row.framework);
  const std::string mode = plain_mode(row.mode);
  std::vector<std::string> keys;
  for (const std::string& key : {row.mode, mode, row.framework, framework.name}) {
    if (!key.empty()) keys.push_back(key);
  }
  keys.emplace_back();  // all rows
  for (const std::string& key : keys) {
    if (const auto choice = choices.find(key); choice != choices.end()) return choice->second;
  }
  const sim::Runtime* by_mode = mode.empty() ? nullptr : named(runtimes, mode);
  if (by_mode != nullptr && by_mode->framework == framework.name) return mode;
  const sim::Runtime* own = of_framework(runtimes, framework);
  if (own == nullptr)
    return Reason{fmt::format("framework {}: no runtime of that name (--runtime {}=R names one)",
                              quote(row.framework, 40), framework.name)};
  for (const std::string_view known : {"", "eager", "graph", "sequential", "parallel"}) {
    if (mode == known) return own->name;
  }
  return Reason{fmt::format("mode {} of {}: no runtime is of it (--runtime {}=R names one)",
                            quote(row.mode, 40), row.framework, mode)};
}

Or<sim::Setting> setting_of(const MeasuredRow& row, const sim::Runtime& runtime) {
  if (!row.intra_op) return Reason{"intra_op is not stated"};
  if (!row.batch) return Reason{"batch is not stated"};
  sim::Setting setting;
  setting.runtime = runtime.name;
  setting.batch = *row.batch;
  setting.instances = static_cast<int>(row.instances.value_or(1));
  setting.inter_op = static_cast<int>(row.inter_op.value_or(1));
  setting.intra_op = static_cast<int>(*row.intra_op);
  const std::string mode = plain_mode(row.mode);
  const bool parallel = runtime.framework == "onnxruntime" ? mode == "parallel" : setting.inter_op > 1;
  setting.mode = parallel ? sim::Mode::parallel : sim::Mode::sequential;
  setting.smt = row.smt.value_or(false);
  setting.spin = row.spin.value_or(true);
  const auto placement =
      spelled<sim::Placement>("placement", row.placement, kPlacements, sim::Placement::compact);
  const auto memory =
      spelled<sim::MemoryPolicy>("memory", row.memory, kMemories, sim::MemoryPolicy::first_touch);
  const auto allocator =
      spelled<sim::Allocator>("allocator", row.allocator, kAllocators, sim::Allocator::framework);
  const auto pinning = spelled<sim::Pinning>("pinning", row.pinning, kPinnings, sim::Pinning::distinct);
  if (const auto* reason = std::get_if<Reason>(&placement)) return *reason;
  if (const auto* reason = std::get_if<Reason>(&memory)) return *reason;
  if (const auto* reason = std::get_if<Reason>(&allocator)) return *reason;
  if (const auto* reason = std::get_if<Reason>(&pinning)) return *reason;
  setting.placement = std::get<sim::Placement>(placement);
  setting.memory = std::get<sim::MemoryPolicy>(memory);
  setting.allocator = std::get<sim::Allocator>(allocator);
  setting.pinning = std::get<sim::Pinning>(pinning);
  return setting;
}

}  // namespace corecast::evidence
