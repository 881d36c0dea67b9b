#include "calibration/runtime_fit/runtime_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/quantity_text.hpp"

namespace corecast::runtime_fit {
namespace {

using Tree = nlohmann::ordered_json;

constexpr std::string_view kCutNames[] = {"whole", "nchwc", "gemm", "elements", "rows", "grain", "team"};

// Three digits: more than a fit knows.
double rounded(double value) {
  return std::stod(fmt::format("{:.3g}", value));
}

// Indented, but with a line for a value with its origin, and for a list of plain ones.
std::string to_text(const Tree& value, int depth) {
  const std::string pad(static_cast<std::size_t>(depth) + 1, ' ');
  const std::string end(static_cast<std::size_t>(depth), ' ');
  const auto flat = [](const Tree& tree) {
    std::string line = tree.is_object() ? "{" : "[";
    const char* separator = "";
    for (const auto& [key, item] : tree.items()) {
      line += separator;
      if (tree.is_object()) line += Tree(key).dump() + ": ";
      std::string text = item.dump();
      if (item.is_array()) {
        text = "[";
        for (const Tree& one : item) text += (text.size() > 1 ? ", " : "") + one.dump();
        text += "]";
      }
      line += text;
      separator = ", ";
    }
    return line + (tree.is_object() ? "}" : "]");
  };
  if (value.is_object() && !value.contains("value") && !value.contains("into")) {
    std::string text = "{\n";
    std::size_t left = value.size();
    for (const auto& [key, item] : value.items())
      text += pad + Tree(key).dump() + ": " + to_text(item, depth + 1) + (--left > 0 ? ",\n" : "\n");
    return text + end + "}";
  }
  if (value.is_array() && !value.empty() && value.front().is_object()) {
    std::string text = "[\n";
    std::size_t left = value.size();
    for (const Tree& item : value) text += pad + flat(item) + (--left > 0 ? ",\n" : "\n");
    return text + end + "]";
  }
  return value.is_structured() ? flat(value) : value.dump();
}

class Writer {
 public:
  Writer(Tree& file, const RuntimeFit& fit, const Provenance& provenance)
      : file_(file), fit_(fit), provenance_(provenance) {
    for (const EntryResult& entry : fit.entries) entries_[entry.entry] = &entry;
  }

  void write() {
    for (const FittedNumber& number : fit_.numbers) {
      if (number.status == Status::prior) continue;
      const auto last = number.path.rfind('.');
      const std::string where = number.path.substr(0, last), name = number.path.substr(last + 1);
      if (where == "costs") {
        write_cost(file_["costs"], name, number);
      } else if (where == "cutting") {
        file_["cutting"][name] = plain(number.value);
      } else {
        write_entry_number(where, name, number);
      }
    }
    // Types that were set apart although none of their own numbers was determined follow their class's: nothing to write.
  }

 private:
  static Tree plain(double value) {
    const double whole = std::round(value);
    if (std::abs(value - whole) < 1e-9 * std::max(1.0, std::abs(value)) && std::abs(value) < 1e15)
      return static_cast<std::int64_t>(whole);
    return rounded(value);
  }

  [[nodiscard]] double error_of(const FittedNumber& number, const std::string& entry) const {
    const auto found = entries_.find(entry);
    const double rms = found == entries_.end() ? 0.0 : found->second->rms;
    return rounded(
        std::min(10.0, std::hypot(std::hypot(provenance_.host_error, rms), number.relative_error)));
  }

  [[nodiscard]] std::string note(const FittedNumber& number, const std::string& entry) const {
    const auto found = entries_.find(entry);
    std::string text = fmt::format("{}; {} models", provenance_.from, number.cases);
    if (found != entries_.end()) text += fmt::format(", rms {:.2f}", found->second->rms);
    if (number.status == Status::at_bound) text += ", at the border";
    return text;
  }

  Tree figure(const FittedNumber& number, const std::string& entry, Tree value) const {
    return {{"value", std::move(value)},
            {"relative_error", error_of(number, entry)},
            {"origin", "measured"},
            {"from", note(number, entry)}};
  }

  void write_cost(Tree& costs, const std::string& name, const FittedNumber& number) const {
    costs[name] = figure(number, "costs", time_text(number.value));
  }

  static std::string time_text(double seconds) { return fmt::format("{:.3g} us", seconds * 1e6); }

  void write_entry_number(const std::string& entry, const std::string& name, const FittedNumber& number) {
    Tree& kernel = entry_in_file(entry);
    if (name == "dispatch") {
      kernel[name] = figure(number, entry, time_text(number.value));
    } else if (name == "efficiency" || name == "memory_efficiency") {
      kernel[name] = figure(number, entry, rounded(number.value));
    } else {
      kernel[name] = rounded(number.value);
    }
  }

  // A new entry begins as the fit's runtime has it: how it is cut, and what was not fitted.
  Tree& entry_in_file(const std::string& entry) {
    const auto dot = entry.find('.');
    Tree& group = file_[entry.substr(0, dot)];
    const std::string key = entry.substr(dot + 1);
    if (group.contains(key)) return group[key];
    sim::Runtime runtime = fit_.runtime;
    const sim::KernelModel& model = model_at(runtime, entry);
    const auto value = [](const hwmodels::Value<double>& v) {
      return Tree{{"value", rounded(v.value)},
                  {"relative_error", rounded(v.relative_error)},
                  {"origin", hwmodels::name_of(v.origin)},
                  {"from", v.from}};
    };
    Tree tree{{"cut", kCutNames[static_cast<std::size_t>(model.cut)]}};
    if (model.dispatch) {
      tree["dispatch"] = {{"value", time_text(model.dispatch->value.value())},
                          {"relative_error", rounded(model.dispatch->relative_error)},
                          {"origin", hwmodels::name_of(model.dispatch->origin)},
                          {"from", model.dispatch->from}};
    }
    if (model.forks != 1.0) tree["forks"] = model.forks;
    tree["efficiency"] = value(model.efficiency);
    tree["memory_efficiency"] = value(model.memory_efficiency);
    if (model.fresh_blocks != 1.0) tree["fresh_blocks"] = model.fresh_blocks;
    for (const auto& [name, half] :
         {std::pair{"m_half", model.m_half}, {"n_half", model.n_half}, {"k_half", model.k_half}}) {
      if (half > 0.0) tree[name] = rounded(half);
    }
    if (model.unpacked != 1.0) tree["unpacked"] = rounded(model.unpacked);
    if (model.pack_cycles_per_byte > 0.0) tree["pack_cycles_per_byte"] = rounded(model.pack_cycles_per_byte);
    if (model.odd_team.cycles_per_byte > 0.0) {
      tree["odd_team"] = {{"rows", model.odd_team.rows},
                          {"cycles_per_byte", rounded(model.odd_team.cycles_per_byte)}};
    }
    if (model.smoothing) tree["smoothing"] = rounded(*model.smoothing);
    group[key] = std::move(tree);
    return group[key];
  }

  Tree& file_;
  const RuntimeFit& fit_;
  const Provenance& provenance_;
  std::map<std::string, const EntryResult*> entries_;
};

}  // namespace

std::string without_base(std::string_view text, std::string_view base) {
  constexpr std::array<std::string_view, 5> kByMember{"kernels", "operators", "cutting", "costs", "wait"};
  const Tree own = Tree::parse(text);
  Tree file = Tree::parse(base);
  for (const auto& [key, value] : own.items()) {
    if (key == "extends") continue;
    const bool by_member = std::find(kByMember.begin(), kByMember.end(), key) != kByMember.end();
    if (by_member && file.contains(key)) {
      for (const auto& [name, member] : value.items()) file[key][name] = member;
    } else {
      file[key] = value;
    }
  }
  return file.dump();
}

std::string with_fit(std::string_view base, const RuntimeFit& fit, const Provenance& provenance) {
  Tree file = Tree::parse(base);
  if (!provenance.description.empty()) file["description"] = provenance.description;
  Writer(file, fit, provenance).write();
  return to_text(file, 0) + "\n";
}

}  // namespace corecast::runtime_fit
