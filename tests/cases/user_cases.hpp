// What users saw, as settings of corecast and checks on its forecasts: data/user_cases/cases.json, whose README says what
// each field and check means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/data_type.hpp"
#include "hwmodels/machine.hpp"
#include "sim/search.hpp"
#include "sim/setting.hpp"

namespace corecast::cases {

// What the operating system leaves of the machine.
struct Grant {
  std::vector<int> cpus;  // of a cpuset or mask, numbered as cpus_of(machine); empty: all
  std::optional<double> quota_cpus;
};

// A built-in model.
struct Model {
  std::string name;
  std::int64_t batch = 1;
  std::optional<std::int64_t> sequence;
  DataType type = DataType::fp32;
  bool training = false;
  auto operator<=>(const Model&) const = default;
};

struct Point {
  std::string name;
  sim::Setting setting;
  Model model;
  Grant grant;
};

enum class Metric { latency, throughput };

// Of the fields those that its type needs are filled.
struct Check {
  std::string type;  // "ordering", "curve", "best", "advice", "threads", "quota_threads"
  Metric metric = Metric::latency;
  std::vector<std::string> points;                     // ordering: the faster one, the slower one
  std::vector<double> measured;                        // ordering: the ratio, where one is stated
  std::optional<double> tolerance;                     // of a curve; of "best" the regret
  std::vector<std::string> codes;                      // any of them will do
  sim::Objective objective = sim::Objective::latency;  // of advice
  bool holds = true;                                   // what is known of it
  std::string why;                                     // where it does not
};

struct Case {
  std::string id, url, saw, reason;
  bool expressible = true;
  std::string machine, runtime;
  std::vector<Point> points;
  std::vector<Check> checks;

  [[nodiscard]] const Point& point(const std::string& name) const;
};

struct UserCases {
  std::vector<hwmodels::Machine> machines;  // those that no file under data/machines describes
  std::vector<Case> cases;
};

// Throws InputError with the place of what is wrong.
[[nodiscard]] UserCases read_user_cases(const std::filesystem::path& file);

}  // namespace corecast::cases
