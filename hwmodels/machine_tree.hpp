// Machine <-> JSON tree: what reading, writing and changing have in common. Internal to hwmodels.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/quantity_text.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {

// {"value": ..., "relative_error": ..., "origin": ..., "from": ...}; error and from left out when zero and empty.
template <typename Q>
[[nodiscard]] nlohmann::ordered_json tree_of(const Value<Q>& value) {
  nlohmann::ordered_json tree;
  if constexpr (std::is_same_v<Q, double>) {
    tree["value"] = value.value;
  } else {
    tree["value"] = to_text(value.value);
  }
  if (value.relative_error != 0.0) tree["relative_error"] = value.relative_error;
  tree["origin"] = std::string(name_of(value.origin));
  if (!value.from.empty()) tree["from"] = value.from;
  return tree;
}

// The full form, keys in the order of the documentation.
[[nodiscard]] nlohmann::ordered_json tree_of(const Machine& machine);
[[nodiscard]] nlohmann::ordered_json tree_of(const Link& link);

// The strict reader: full form only. `file` names the place in errors.
[[nodiscard]] Machine machine_of(const nlohmann::json& tree, const std::string& file);

// A value as it stands in a file: plain text or number, or an object with "value".
[[nodiscard]] bool is_value(const nlohmann::json& node);

}  // namespace corecast::hwmodels
