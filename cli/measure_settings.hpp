// Which settings `corecast measure` runs: a grid that fits the host, axes that the user names, or a file's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/adaptor/plan.hpp"
#include "cli/inputs.hpp"
#include "sim/runtime.hpp"
#include "sim/setting.hpp"

namespace corecast::cli {

struct MeasureSetting {
  sim::Setting setting;
  std::string mode;             // in the framework's words: sequential, parallel; eager, torchscript
  std::optional<double> quota;  // CPUs
  bool pinned = true;           // false: asked to run wherever the system puts it
  friend bool operator==(const MeasureSetting&, const MeasureSetting&) = default;
};

// What the words of a setting are read against.
struct MeasureWords {
  std::vector<std::string> modes;  // the first is taken where none is said
  std::int64_t batch = 1;
  bool batch_is_free = true;       // false: the model has it written in, no axis can change it
  bool has_parallel_mode = false;  // an inter-op pool that does something
  bool can_spin_off = true;
  int cpus = 1;   // granted
  int cores = 1;  // of them, those with a physical core of their own
};

// "intra", ..., "pinning" of setting_keys(), and "batch", "quota"; pinning may also be "none", quota "none".
[[nodiscard]] const std::vector<std::string>& measure_keys();

// Of some words by key, the others as the framework has them: one instance, pinned to CPUs of its own.
[[nodiscard]] MeasureSetting setting_of_words(const std::map<std::string, std::string>& words,
                                              const std::string& place, const MeasureWords& known);

// "intra=1,2,4 spin=on,off": all combinations, the last word of a fixed order varies fastest; a word that is not named has one
// value, the default. Numbers: lists of 4, 1-4 or 1-16*2. InputError names the axis.
[[nodiscard]] std::vector<MeasureSetting> settings_of_axes(const std::string& text,
                                                           const MeasureWords& known);

// The axes of the grid: intra-op threads doubling up to twice the granted CPUs, with the number of physical cores and its neighbours;
// spinning on and off where it can be chosen; one and two instances; where a parallel mode is one, two and four inter-op threads.
[[nodiscard]] std::vector<std::string> grid_axes(const MeasureWords& known);

// A CSV with the columns of measurements (those of a setting are read), or a JSON list of objects; by the name's end.
[[nodiscard]] std::vector<MeasureSetting> settings_of_file(const std::filesystem::path& file,
                                                           const MeasureWords& known);

// As an adaptor is told it. CPUs: of each instance its own, in the order of the simulator, or with pinning=stacked all the same; not pinned
// when asked so and where there are fewer CPUs than threads.
[[nodiscard]] adaptor::PlanSetting plan_setting_of(const MeasureSetting& setting, const MachineInput& machine,
                                                   const sim::Runtime& runtime);

// "2 x intra 4, no spin, quota 0.5": as setting_text, with what only a measurement has.
[[nodiscard]] std::string text_of(const MeasureSetting& setting);

}  // namespace corecast::cli
