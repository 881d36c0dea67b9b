// What-if: changes are made in the JSON tree, which the strict reader then reads again: all validation stands once.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "hwmodels/machine_json.hpp"
#include "hwmodels/machine_tree.hpp"
#include "hwmodels/priors.hpp"

namespace corecast::hwmodels {
namespace {

using Tree = nlohmann::json;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string written(const Change& change) {
  return change.path + "=" + change.value;
}

[[noreturn]] void refuse(const Change& change, std::string what, std::string hint = {}) {
  throw InputError(written(change), std::move(what), std::move(hint));
}

// The factor of "+50%", "-20%", "*1.5"; nothing for an absolute value.
std::optional<double> factor_of(const Change& change) {
  const std::string_view text = change.value;
  const char first = text.front();
  if (first == '*') return parse_number(trimmed(text.substr(1)), "a factor such as *1.5");
  if (first != '+' && first != '-') return std::nullopt;
  if (text.back() != '%') {
    refuse(change, fmt::format("{} is neither a value nor a relative change", quote(text)),
           "relative changes are written +50%, -20% or *1.5");
  }
  const double percent = parse_number(trimmed(text.substr(1, text.size() - 2)), "a percentage such as +50%");
  return 1.0 + (first == '-' ? -percent : percent) / 100.0;
}

std::vector<std::string> steps_of(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kShort{{
      {"smt", "topology.smt"},
      {"sockets", "topology.sockets"},
      {"domains_per_socket", "topology.domains_per_socket"},
      {"cores_per_socket", "topology.cores_per_socket"},
      {"cores", "topology.cores_per_socket"},
      {"l1.size", "caches.l1.size"},
      {"l2.size", "caches.l2.size"},
      {"l3.size", "caches.l3.size"},
      {"l2", "caches.l2.size"},
      {"l3", "caches.l3.size"},
  }};
  for (const auto& [name, full] : kShort) {
    if (path == name) path = full;
  }
  std::vector<std::string> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    steps.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps;
}

bool is_hybrid(const Tree& tree) {
  return tree.contains("groups");
}

// The objects that hold "smt" and "smt_gain": the topology and the root, or each group for both.
std::vector<std::pair<Tree*, Tree*>> core_holders(Tree& tree) {
  if (!is_hybrid(tree)) return {{&tree["topology"], &tree}};
  std::vector<std::pair<Tree*, Tree*>> holders;
  for (Tree& group : tree["groups"]) holders.emplace_back(&group, &group);
  return holders;
}

Tree* child(Tree& node, const std::string& step) {
  if (node.is_array()) {
    for (Tree& item : node) {
      if (item.is_object() && item.value("name", "") == step) return &item;
    }
    return nullptr;
  }
  if (!node.is_object() || is_value(node)) return nullptr;
  const auto found = node.find(step);
  return found == node.end() ? nullptr : &*found;
}

bool starts_with_step(const std::vector<std::string>& steps, std::string_view first) {
  return !steps.empty() && steps.front() == first;
}

// Names and the like are not quantities.
bool may_change(const std::vector<std::string>& steps) {
  constexpr std::array<std::string_view, 8> kSections{"topology", "clock",  "peak", "smt_gain",
                                                      "caches",   "memory", "link", "threads"};
  if (starts_with_step(steps, "groups")) return steps.size() > 2 && steps.back() != "name";
  return std::any_of(kSections.begin(), kSections.end(),
                     [&](std::string_view section) { return starts_with_step(steps, section); });
}

void collect_paths(const Tree& node, const std::string& path, std::vector<std::string>& out) {
  if (!path.empty()) out.push_back(path);
  if (is_value(node)) return;
  if (node.is_array()) {
    for (const Tree& item : node) {
      if (item.is_object()) collect_paths(item, path + "." + item.value("name", ""), out);
    }
  } else if (node.is_object()) {
    for (const auto& [key, value] : node.items())
      collect_paths(value, path.empty() ? key : fmt::format("{}.{}", path, key), out);
  }
}

[[noreturn]] void refuse_unknown(const Change& change, const Tree& tree) {
  if (change.path.starts_with("link."))
    refuse(change, "the machine has no link between sockets", "set sockets=2 with it");
  std::vector<std::string> known;
  collect_paths(tree, "", known);
  std::erase_if(known, [](const std::string& path) { return !may_change(steps_of(path)); });
  for (const char* name : {"smt", "sockets", "cores_per_socket", "threads.all"}) known.emplace_back(name);
  throw InputError(written(change), "unknown path " + quote(change.path), did_you_mean(change.path, known));
}

std::string text_of(const Tree& value) {
  const Tree& plain = value.is_object() ? value["value"] : value;
  return plain.is_string() ? plain.get<std::string>() : plain.dump();
}

// "128 GB/s" times 1.5 = "192 GB/s".
std::string scaled_text(const std::string& text, double factor, const Change& change) {
  double number = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  CORECAST_CHECK(code == std::errc{}, "{}", text);
  number *= factor;
  if (!std::isfinite(number)) refuse(change, "makes a value that is out of range");
  return fmt::format("{}{}", number,
                     std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)));
}

// Counts: whole numbers, without origin.
void change_count(Tree& node, const Change& change) {
  const auto factor = factor_of(change);
  if (!factor) {
    try {
      node = parse_whole(change.value, "a count", 0, 1'048'576);
    } catch (const InputError& error) {
      refuse(change, error.problem(), error.hint());
    }
    return;
  }
  const double product = node.get<double>() * *factor;
  if (!(std::abs(product - std::round(product)) < 1e-9 * std::max(1.0, std::abs(product)) &&
        std::abs(product) < 1e9)) {
    refuse(change, fmt::format("makes it {}, which is not a whole number", product));
  }
  node = static_cast<std::int64_t>(std::round(product));
}

void change_value(Tree& node, const Change& change) {
  const std::string before = text_of(node);
  Tree& plain = node["value"];  // the writer gives every value as an object
  if (const auto factor = factor_of(change)) {
    if (plain.is_string()) {
      plain = scaled_text(before, *factor, change);
    } else {
      plain = plain.get<double>() * *factor;
      if (!std::isfinite(plain.get<double>())) refuse(change, "makes a value that is out of range");
    }
  } else {
    if (plain.is_string()) {
      plain = change.value;  // the reader sees to its unit
    } else {
      plain = parse_number(change.value, "a number without unit");
    }
    node.erase("relative_error");
  }
  const std::string from = node.value("from", "");
  node["from"] =
      fmt::format("what-if: {}, was {}{}{}", written(change), before, from.empty() ? "" : "; ", from);
}

void change_node(Tree& node, const Change& change) {
  if (node.is_number()) {
    change_count(node, change);
  } else if (is_value(node)) {
    change_value(node, change);
  } else {
    for (auto& item : node) change_node(item, change);
  }
}

// Caches private to a core run at its clock.
void take_private_caches_along(Tree& tree, const Change& change) {
  const double factor = *factor_of(change);
  if (!(factor > 0.0) || !std::isfinite(1.0 / factor)) return;  // the clock itself will be refused
  for (auto& cache : tree["caches"]) {
    if (cache["shared_by_cores"] != 1) continue;
    change_value(cache["bandwidth_per_core"], change);
    change_value(cache["latency"], {change.path, fmt::format("*{}", 1.0 / factor)});
  }
}

void change_smt(Tree& tree, const Change& change) {
  const SmtPrior prior = prior_smt(tree["family"].get<std::string>());
  for (const auto& [counts, gains] : core_holders(tree)) {
    Tree& smt = (*counts)["smt"];
    const auto before = smt.get<std::int64_t>();
    if (change.value == "on") {
      smt = before > 1 ? before : prior.ways;
    } else if (change.value == "off") {
      smt = 1;
    } else {
      change_count(smt, change);
    }
    const auto after = smt.get<std::int64_t>();
    if (after == before || (before > 1 && after > 1)) continue;
    const auto note = [&](Value<double> gain) {
      gain.from = fmt::format("what-if: {}; {}", written(change), gain.from);
      return Tree(tree_of(gain));
    };
    const Value<double> alone{1.0, 0.0, Origin::prior, "one hardware thread per core"};
    (*gains)["smt_gain"] = {{"compute", note(after > 1 ? prior.gain_compute : alone)},
                            {"memory", note(after > 1 ? prior.gain_memory : alone)}};
  }
}

// A value that a machine may lack, given as an absolute one.
bool add_missing(Tree& tree, const std::vector<std::string>& steps, const Change& change) {
  const bool in_memory = steps.size() == 2 && steps[0] == "memory" &&
                         (steps[1] == "capacity" || steps[1] == "cluster_bandwidth");
  const bool in_cache = steps.size() == 3 && steps[0] == "caches" &&
                        (steps[2] == "bandwidth_per_instance" || steps[2] == "peer_bandwidth");
  if (!in_memory && !in_cache) return false;
  Tree* parent = &tree;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    parent = child(*parent, steps[i]);
    if (parent == nullptr) return false;
  }
  if (factor_of(change)) refuse(change, "the machine states no such value to scale", "give an absolute one");
  (*parent)[steps.back()] = {
      {"value", change.value}, {"origin", "prior"}, {"from", "what-if: " + written(change)}};
  return true;
}

void apply(Tree& tree, const Change& change) {
  const std::vector<std::string> steps = steps_of(change.path);
  if (steps == std::vector<std::string>{"topology", "smt"}) return change_smt(tree, change);
  if (steps == std::vector<std::string>{"threads", "all"}) {
    for (const char* key : {"barrier", "barrier_per_doubling", "wake_up"})
      change_value(tree["threads"][key], change);
    return;
  }
  if (!may_change(steps)) refuse_unknown(change, tree);
  Tree* node = &tree;
  for (const std::string& step : steps) {
    node = child(*node, step);
    if (node == nullptr) {
      if (add_missing(tree, steps, change)) return;
      refuse_unknown(change, tree);
    }
  }
  // Sections of unlike values cannot be changed as a whole; clocks can, peaks can be scaled.
  if (!is_value(*node)) {
    const bool clock = std::find(steps.begin(), steps.end(), "clock") != steps.end();
    const bool peak = std::find(steps.begin(), steps.end(), "peak") != steps.end();
    const bool relative = factor_of(change).has_value();
    if (!clock && !(peak && relative))
      refuse(change, "stands for several values", "name one of them, " + change.path + "....");
    if (relative && steps.size() == 1 && clock) take_private_caches_along(tree, change);
  }
  change_node(*node, change);
  if (steps.back() == "sockets" && !tree.contains("link") && node->get<std::int64_t>() > 1) {
    tree["link"] = Tree(tree_of(prior_link(tree["family"].get<std::string>())));
  }
}

bool is_topology(const Change& change) {
  const auto steps = steps_of(change.path);
  return starts_with_step(steps, "topology") ||
         (starts_with_step(steps, "groups") && steps.back() == "cores_per_socket");
}

}  // namespace

Change parse_change(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos) {
    throw InputError(std::string(text), "wants the form path=value", "e.g. memory.bandwidth=+50%");
  }
  Change change{std::string(trimmed(text.substr(0, at))), std::string(trimmed(text.substr(at + 1)))};
  if (change.path.empty() || change.value.empty()) {
    throw InputError(std::string(text),
                     change.path.empty() ? "has no path before \"=\"" : "has no value after \"=\"",
                     "e.g. memory.bandwidth=+50%");
  }
  return change;
}

Machine changed(const Machine& machine, const std::vector<Change>& changes) {
  Tree tree(tree_of(machine));
  std::vector<Change> ordered = changes;
  std::stable_partition(ordered.begin(), ordered.end(), is_topology);
  std::string place = machine.name + " with ";
  for (const Change& change : changes) place += (&change == changes.data() ? "" : ", ") + written(change);
  for (const Change& change : ordered) {
    if (change.value.empty()) refuse(change, "has no value");
    try {
      apply(tree, change);
    } catch (const InputError& error) {
      if (!error.where().empty()) throw;
      refuse(change, error.problem(), error.hint());
    }
  }
  return changes.empty() ? machine : machine_of(tree, place);
}

}  // namespace corecast::hwmodels
