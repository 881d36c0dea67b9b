// What the names in a measurement file stand for: models, runtimes, and the words of a setting. Where a word has no counterpart the
// answer is a reason in words, and the row is counted under it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "calibration/evidence/measured.hpp"
#include "sim/runtime.hpp"
#include "sim/setting.hpp"

namespace corecast::evidence {

struct Reason {
  std::string text;
  friend bool operator==(const Reason&, const Reason&) = default;
};
template <typename T>
using Or = std::variant<T, Reason>;

// "onnxruntime-1.13.1" is "onnxruntime" and "1.13.1"; a version begins with a digit, after '-', '=' or a blank.
struct Framework {
  std::string name;
  std::string version;  // may be empty
};
[[nodiscard]] Framework framework_of(std::string_view text);

// "eager(default)" is the mode "eager".
[[nodiscard]] std::string plain_mode(std::string_view text);

// The built-in model that the name means: letters and digits alike, or the only one that begins so up to an underscore
// ("ResNet-50" is resnet50, "bert" is bert_base, "mobilenet" could be two).
[[nodiscard]] Or<std::string> builtin_named_like(std::string_view name);

// Names that the user gave to runtimes: by mode, by framework, or "" for all rows.
using RuntimeChoices = std::map<std::string, std::string>;

// In this order: the row's own `runtime`; a choice for its mode, its framework (with or without version), all rows; a
// runtime that is called as its mode and belongs to its framework (torchscript); that of its framework: NAME-VERSION is for versions up
// to that one, NAME for later ones and where none is stated. Modes that a framework's own runtime runs: none stated, eager, graph,
// sequential, parallel; any other has no counterpart.
[[nodiscard]] Or<std::string> runtime_named(const MeasuredRow& row, const std::vector<sim::Runtime>& runtimes,
                                            const RuntimeChoices& choices);

// The row's setting under that runtime. Not stated: one instance, one inter-op thread, no SMT, compact, memory where it is first touched,
// the framework's own allocator, spinning. Onnxruntime runs operators in parallel where the mode says so; others
// where inter_op is above 1.
[[nodiscard]] Or<sim::Setting> setting_of(const MeasuredRow& row, const sim::Runtime& runtime);

}  // namespace corecast::evidence
