// What an adaptor is asked to measure: corecast.measure_plan/1 (scripts/measure/README.md, "The adaptors' contract").
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace corecast::adaptor {

// One setting, in the words of the plan.
struct PlanSetting {
  std::string mode = "sequential";  // of onnxruntime: sequential, parallel; of PyTorch: eager, torchscript
  int instances = 1;
  int inter_op = 1;
  int intra_op = 1;
  bool spin = true;
  std::int64_t batch = 1;
  std::string allocator;               // empty: the framework's own
  std::optional<double> cpu_quota;     // CPUs
  std::vector<std::vector<int>> cpus;  // of each instance; empty: not pinned
  friend bool operator==(const PlanSetting&, const PlanSetting&) = default;
};

// How long and how often. A process warms up, then times runs until there are `repetitions`, `min_time_s` has passed and the 95 % interval
// of their median reaches at most `stable` (a share) to either side, or until `budget_s` is spent.
struct Method {
  int warmup = 5;
  int repetitions = 10;
  double min_time_s = 0.2;
  double budget_s = 5.0;     // of a process
  double stable = 0.02;      // 0: repetitions and time alone decide
  int processes = 3;         // rounds: each setting is measured in so many fresh processes
  double timeout_s = 120.0;  // of a process, loading and warm-up included
  std::uint32_t seed = 1;
  friend bool operator==(const Method&, const Method&) = default;
};

struct Plan {
  std::string model_name;
  std::filesystem::path model_file;
  std::string framework;
  std::vector<PlanSetting> settings;
  Method method;
  std::vector<std::string> shapes;  // "NAME=Nx3x224x224"
  std::vector<std::string> values;  // "NAME=16000"
};

[[nodiscard]] std::string to_json_text(const Plan& plan);

// Least and most seconds that all rounds can take, without failures: `start_s` is what a process takes to load the framework and the model.
struct Duration {
  double least_s = 0.0;
  double most_s = 0.0;
};
[[nodiscard]] Duration estimated_duration(const Plan& plan, double start_s);

}  // namespace corecast::adaptor
