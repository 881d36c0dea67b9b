// Built-in models, made by builders so that no download is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/graph.hpp"
#include "graphs/written_model.hpp"

namespace corecast::graphs {

// Beyond any use, and sizes stay far from overflow.
inline constexpr std::int64_t kMostBatch = 1'000'000;
inline constexpr std::int64_t kMostSequence = 1'000'000;

struct BuildOptions {
  std::int64_t batch = 1;
  std::optional<std::int64_t>
      sequence;                    // tokens, time steps or stored positions; the model's own when not given
  DataType type = DataType::fp32;  // of weights and activations: fp32 or bf16
};

struct BuiltinModel {
  std::string name;                      // "inception_v3"
  std::string group;                     // "cnn", "recommender", "sequence", "synthetic"
  std::string description;               // one line, with its source
  std::optional<std::int64_t> sequence;  // of a model that has one: what is taken when none is given
};

[[nodiscard]] const std::vector<BuiltinModel>& builtin_models();
// Looks a name up, builds nothing: nullptr, or InputError with the nearest name, for an unknown one.
[[nodiscard]] const BuiltinModel* find_builtin(std::string_view name);
[[nodiscard]] const BuiltinModel& builtin_named(std::string_view name);

// InputError for an unknown name, as above; for a sequence where the model has none.
[[nodiscard]] WrittenModel write_model(const std::string& name, const BuildOptions& options = {});
[[nodiscard]] Graph build_model(const std::string& name, std::int64_t batch = 1);

}  // namespace corecast::graphs
