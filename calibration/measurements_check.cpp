// The invariants of Measurements, in one place.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "calibration/kernel_names.hpp"
#include "calibration/measurements.hpp"

namespace corecast::calibration {
namespace {

constexpr double kLeastSample =
    1e-18;  // below and beyond, a unit was mistaken; and products would leave the range
constexpr double kMostSample = 1e21;
constexpr int kMostThreads = 1'048'576;

class RowChecker {
 public:
  RowChecker(const Row& row, const hwmodels::Machine& machine, std::string place)
      : row_(row), machine_(machine), place_(std::move(place)) {}

  void check() const {
    kernel();
    count("threads", row_.threads, kMostThreads);
    count("threads_per_core", row_.threads_per_core, machine_.max_smt());
    count("cores", row_.cores, machine_.cores());
    if (row_.group != Group::threads) seats();
    count("sockets", row_.sockets, machine_.sockets);
    count("clusters", row_.clusters, std::max(1, machine_.cores()));
    domain("cpu_domain", row_.cpu_domain);
    domain("memory_domain", row_.memory_domain);
    amount("working_set", row_.working_set.value());
    amount("flop", row_.flop.value());
    amount("bytes", row_.bytes.value());
    if (row_.background) amount("background", row_.background->value());
    samples();
  }

 private:
  [[noreturn]] void refuse(std::string_view field, const std::string& what, std::string hint = {}) const {
    throw InputError(fmt::format("{}/{}", place_, field), what, std::move(hint));
  }

  void kernel() const {
    const KernelName* known = find_kernel(row_.group, row_.kernel);
    if (known == nullptr) {
      std::vector<std::string_view> names;
      for (const KernelName& name : kernel_names()) {
        if (name.group == row_.group) names.push_back(name.kernel);
      }
      refuse("kernel",
             fmt::format("unknown kernel {} of group {}, wanted {}", quote(row_.kernel), name_of(row_.group),
                         fmt::join(names, " or ")),
             did_you_mean(row_.kernel, names));
    }
    if (std::find(known->units.begin(), known->units.end(), row_.unit) != known->units.end()) return;
    refuse("unit", fmt::format("{} is measured in {}, found {}", row_.kernel, name_of(known->units.front()),
                               name_of(row_.unit)));
  }

  void count(std::string_view field, int value, int most) const {
    if (value >= 1 && value <= most) return;
    refuse(field, fmt::format("is {}, must be a whole number from 1 to {}", value, most),
           most == kMostThreads ? "" : "the machine of this file has no more");
  }

  // More threads than hardware threads are a benchmark of threads, and of nothing else.
  void seats() const {
    const std::int64_t most = std::int64_t{row_.cores} * row_.threads_per_core;
    if (row_.threads <= most) return;
    refuse("threads",
           fmt::format("{} threads on {} hardware threads ({} x {})", row_.threads, most, row_.cores,
                       row_.threads_per_core),
           "cores and threads_per_core default to what `threads` fills");
  }

  void domain(std::string_view field, const std::optional<int>& value) const {
    if (!value || (*value >= 0 && *value < machine_.domains())) return;
    refuse(field, fmt::format("is {}, but the machine has {} NUMA domains, counted from 0", *value,
                              machine_.domains()));
  }

  void amount(std::string_view field, double value) const {
    if (std::isfinite(value) && value >= 0.0 && value <= kMostSample) return;
    refuse(field, fmt::format("is {}, must be zero or more, at most {:g}", value, kMostSample));
  }

  void samples() const {
    if (row_.samples.empty()) refuse("samples", "empty, wanted one number or more");
    for (std::size_t i = 0; i < row_.samples.size(); ++i) {
      const double sample = row_.samples[i];
      if (sample >= kLeastSample && sample <= kMostSample) continue;  // false for NaN too
      refuse(fmt::format("samples/{}", i), fmt::format("is {:g} {}, must be from {:g} to {:g}", sample,
                                                       name_of(row_.unit), kLeastSample, kMostSample));
    }
  }

  const Row& row_;
  const hwmodels::Machine& machine_;
  std::string place_;
};

}  // namespace

void check(const Measurements& measurements, const std::string& place) {
  hwmodels::check(measurements.machine, place + ": /machine");
  if (measurements.rows.empty()) throw InputError(place + ": /rows", "empty, wanted one measurement or more");
  for (std::size_t i = 0; i < measurements.rows.size(); ++i) {
    RowChecker(measurements.rows[i], measurements.machine, fmt::format("{}: /rows/{}", place, i)).check();
  }
}

}  // namespace corecast::calibration
