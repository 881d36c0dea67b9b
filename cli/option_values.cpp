#include "cli/option_values.hpp"

#include <algorithm>
#include <set>

#include "base/quantity_text.hpp"

namespace corecast::cli {
namespace {

constexpr long long kMostDimension = 1LL << 40;
constexpr std::size_t kMostDimensions = 32;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

int threads_of(std::string_view option, const std::string& text) {
  return static_cast<int>(count_of(option, text, kMostThreads));
}

template <typename T>
T named(std::string_view option, const std::string& text, const std::vector<T>& values) {
  std::vector<std::pair<std::string, T>> words;
  for (const T value : values) words.emplace_back(name_of(value), value);
  return word_of<T>(option, text, words);
}

struct Member {
  std::string key;
  void (*set)(AskedSetting& setting, std::string_view option, const std::string& text);
};

// The order in which help and messages list them.
const std::vector<Member>& members() {
  using Option = std::string_view;
  using Text = const std::string&;
  static const std::vector<Member> table{
      {"inter", [](AskedSetting& s, Option o, Text t) { s.inter_op = threads_of(o, t); }},
      {"intra", [](AskedSetting& s, Option o, Text t) { s.intra_op = threads_of(o, t); }},
      {"mode",
       [](AskedSetting& s, Option o, Text t) {
         s.mode = named<sim::Mode>(o, t, {sim::Mode::sequential, sim::Mode::parallel});
       }},
      {"instances", [](AskedSetting& s, Option o, Text t) { s.instances = threads_of(o, t); }},
      {"smt", [](AskedSetting& s, Option o, Text t) { s.smt = switch_of(o, t); }},
      {"placement",
       [](AskedSetting& s, Option o, Text t) {
         s.placement = named<sim::Placement>(o, t, {sim::Placement::compact, sim::Placement::scatter});
       }},
      {"spin", [](AskedSetting& s, Option o, Text t) { s.spin = switch_of(o, t); }},
      {"memory",
       [](AskedSetting& s, Option o, Text t) {
         s.memory =
             named<sim::MemoryPolicy>(o, t, {sim::MemoryPolicy::first_touch, sim::MemoryPolicy::interleave});
       }},
      {"allocator",
       [](AskedSetting& s, Option o, Text t) {
         s.allocator = named<sim::Allocator>(
             o, t, {sim::Allocator::framework, sim::Allocator::system, sim::Allocator::caching});
       }},
      {"pinning", [](AskedSetting& s, Option o, Text t) {
         s.pinning = named<sim::Pinning>(o, t, {sim::Pinning::distinct, sim::Pinning::stacked});
       }}};
  return table;
}

}  // namespace

const std::vector<std::string>& setting_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> out;
    for (const Member& member : members()) out.push_back(member.key);
    return out;
  }();
  return keys;
}

void set_member(AskedSetting& setting, const std::string& key, std::string_view option,
                const std::string& text) {
  const auto& table = members();
  const auto member = std::find_if(table.begin(), table.end(), [&](const Member& m) { return m.key == key; });
  CORECAST_CHECK(member != table.end(), "key={}", key);
  member->set(setting, option, text);
}

AskedSetting setting_of(std::string_view option, const std::string& text) {
  const std::string place(option);
  AskedSetting setting;
  std::set<std::string> given;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const auto& keys = setting_keys();
    if (equals == std::string::npos) {
      const std::string inside = part == text ? "" : " in " + quote(text);
      throw InputError(place, fmt::format("found {}{}, wanted key=value", quote(part), inside),
                       "for example inter=2,intra=8,spin=off");
    }
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw InputError(place,
                       fmt::format("found the key {}, wanted one of {}", quote(key), fmt::join(keys, ", ")),
                       did_you_mean(key, keys));
    }
    if (!given.insert(key).second) throw InputError(place, fmt::format("{} is given twice", quote(key)));
    set_member(setting, key, fmt::format("{} {}", option, key), part.substr(equals + 1));
  }
  return setting;
}

sim::Setting completed(const AskedSetting& asked, sim::Setting base) {
  if (asked.inter_op) {
    base.inter_op = *asked.inter_op;
    base.mode = *asked.inter_op > 1 ? sim::Mode::parallel : sim::Mode::sequential;
  }
  if (asked.mode) {
    base.mode = *asked.mode;
    if (base.mode == sim::Mode::sequential && !asked.inter_op) base.inter_op = 1;
  }
  base.intra_op = asked.intra_op.value_or(base.intra_op);
  base.instances = asked.instances.value_or(base.instances);
  base.smt = asked.smt.value_or(base.smt);
  base.placement = asked.placement.value_or(base.placement);
  base.spin = asked.spin.value_or(base.spin);
  base.memory = asked.memory.value_or(base.memory);
  base.allocator = asked.allocator.value_or(base.allocator);
  base.pinning = asked.pinning.value_or(base.pinning);
  return base;
}

long long count_of(std::string_view option, const std::string& text, long long most, long long least) {
  try {
    return parse_whole(text, "a whole number", least, most);
  } catch (const InputError&) {
    throw InputError(std::string(option),
                     fmt::format("found {}, wanted a whole number from {} to {}", quote(text), least, most));
  }
}

bool switch_of(std::string_view option, const std::string& text) {
  return word_of<bool>(option, text, {{"on", true}, {"off", false}});
}

std::pair<std::string, std::vector<std::int64_t>> shape_of(const std::string& text) {
  const auto fail = [&](std::string what) -> InputError {
    return InputError("--shape", std::move(what),
                      "wanted name=1x3x224x224: the input's name and its dimensions");
  };
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) throw fail(fmt::format("{} has no \"=\"", quote(text)));
  if (equals == 0) throw fail(fmt::format("{} has no name before \"=\"", quote(text)));
  std::vector<std::int64_t> shape;
  for (const std::string& dimension : split(text.substr(equals + 1), 'x')) {
    try {
      shape.push_back(parse_whole(dimension, "a dimension", 1, kMostDimension));
    } catch (const InputError&) {
      throw fail(fmt::format("{}: dimension {} is {}, not a whole number from 1 to {}", quote(text),
                             shape.size() + 1, quote(dimension), kMostDimension));
    }
  }
  if (shape.size() > kMostDimensions)
    throw fail(fmt::format("{} has more than {} dimensions", quote(text), kMostDimensions));
  return {text.substr(0, equals), std::move(shape)};
}

std::map<std::string, std::vector<std::int64_t>> shapes_of(const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const std::string& text : texts) {
    auto [name, shape] = shape_of(text);
    if (!shapes.emplace(name, std::move(shape)).second) {
      throw InputError("--shape", fmt::format("the shape of {} is given twice", quote(name)));
    }
  }
  return shapes;
}

}  // namespace corecast::cli
