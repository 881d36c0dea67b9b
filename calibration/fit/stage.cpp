#include "calibration/fit/stage.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "calibration/fit/belief.hpp"
#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/row_model.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::Machine;
using hwmodels::Origin;

// Of a value at a bound: no more than its order of magnitude is known.
constexpr double kBoundError = 0.5;

class StageFit {
 public:
  StageFit(const Stage& stage, const Measurements& measurements, const FitOptions& options,
           Calibration& calibration)
      : stage_(stage), rows_(measurements.rows), options_(options), out_(calibration), index_(out_.machine) {}

  void run() {
    for (const std::size_t i : stage_.rows) {
      auto model = row_model(out_.machine, rows_[i]);
      if (!model || !known(*model)) continue;
      used_.push_back(i);
      models_.push_back(std::move(*model));
    }
    if (models_.empty()) return;
    choose_unknowns();
    for (std::size_t i = 0; i < models_.size(); ++i) terms_.push_back(term_of(models_[i], rows_[used_[i]]));
    const Solution solution = solve(unknowns_, terms_, {options_.max_iterations});
    if (!solution.converged) {
      out_.converged = false;
      if (!out_.failure.empty()) out_.failure += "; ";
      out_.failure += fmt::format("{}: {}", stage_.name, solution.message);
    }
    keep(solution);
  }

 private:
  // A kernel row before anybody made an entry for its library has no values.
  [[nodiscard]] bool known(const RowModel& model) const {
    return std::all_of(model.paths.begin(), model.paths.end(), [&](const std::string& path) {
      return is_factor(path) || index_.find(path) != nullptr;
    });
  }

  [[nodiscard]] double prior_of(const std::string& path) const {
    return is_factor(path) ? usual_factor(path) : index_.at(path).value;
  }

  // A value of zero (a length that loses nothing) has no relative error.
  [[nodiscard]] double prior_error_of(const std::string& path) const {
    if (is_factor(path)) return usual_factor_error(path);
    const MachineValue& value = index_.at(path);
    return value.value > 0.0 ? value.relative_error : 0.0;
  }

  // In the order in which rows name them, so that nothing depends on how a map sorts.
  void choose_unknowns() {
    for (const RowModel& model : models_) {
      for (const std::string& path : model.paths) {
        if (place_.contains(path)) continue;
        place_[path] = unknowns_.size();
        const double prior = prior_of(path);
        const Belief believed = belief(out_.machine, path, prior);
        const auto start = stage_.starts.find(path);
        Unknown unknown{path, prior, prior, believed.lower, believed.upper};
        unknown.held = stage_.hold.contains(path) || (stage_.machine_known && !is_factor(path));
        unknown.prior_error = prior_error_of(path);
        const auto rank = stage_.ranks.find(path);
        unknown.rank = rank == stage_.ranks.end() ? believed.rank : rank->second;
        unknown.least_known = believed.least_known;
        if (believed.start > 0.0) unknown.start = believed.start;
        if (start != stage_.starts.end()) unknown.start = start->second;
        unknowns_.push_back(unknown);
        beliefs_.push_back(believed);
        direct_.push_back(true);
      }
      if (model.paths.size() == 1) continue;
      for (const std::string& path : model.paths) {
        if (place_.contains(path)) direct_[place_.at(path)] = false;
      }
    }
  }

  // (ln f - ln y) / sigma.
  [[nodiscard]] Term term_of(const RowModel& model, const Row& row) const {
    std::vector<std::size_t> unknowns;
    for (const std::string& path : model.paths) unknowns.push_back(place_.at(path));
    const double log_measured = std::log(median(row.samples));
    const double sigma = std::hypot(options_.noise_floor, relative_spread(row.samples));
    return term(std::move(unknowns),
                [=, value = model.value, jet = model.jet]<typename T>(std::span<const T> p) {
                  if constexpr (std::is_same_v<T, double>) {
                    return (std::log(value(p)) - log_measured) / sigma;
                  } else {
                    using std::log;
                    return (log(jet(p)) - T(log_measured)) / T(sigma);
                  }
                });
  }

  void keep(const Solution& solution) {
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      if (!unknowns_[u].held) keep(u, solution);
    }
    for (const auto& [path, why] : stage_.hold) {
      const MachineValue* value = index_.find(path);
      if (value == nullptr) continue;
      out_.parameters.push_back({path, value->unit, value->value, value->relative_error, value->value,
                                 Status::not_identified, why, 0});
    }
    for (const StrongCorrelation& pair : solution.correlations) {
      out_.correlations.push_back({unknowns_[pair.first].name, unknowns_[pair.second].name, pair.value});
    }
  }

  void keep(std::size_t u, const Solution& solution) {
    const Unknown& unknown = unknowns_[u];
    const Estimate& estimate = solution.unknowns[u];
    const MachineValue* before = index_.find(unknown.name);
    Parameter parameter{unknown.name,
                        before == nullptr ? "" : before->unit,
                        estimate.value,
                        0.0,
                        unknown.prior,
                        Status::fitted,
                        "",
                        estimate.terms};
    if (!solution.converged) {
      parameter.status = Status::not_identified;
      parameter.why = "the fit did not converge";
    } else if (estimate.verdict == Verdict::not_identified) {
      parameter.status = Status::not_identified;
      parameter.why = fmt::format("{} row{} do{} not determine it", estimate.terms,
                                  estimate.terms == 1 ? "" : "s", estimate.terms == 1 ? "es" : "");
    } else if (estimate.verdict == Verdict::at_bound) {
      parameter.status = Status::at_bound;
      const bool upper = estimate.value > std::sqrt(unknown.lower * unknown.upper);
      const auto& meaning = upper ? beliefs_[u].at_upper : beliefs_[u].at_lower;
      parameter.odd = meaning.empty();
      parameter.why = !parameter.odd ? std::string(meaning)
                                     : fmt::format("the border of what is believed, {:.4g} to {:.4g}",
                                                   unknown.lower, unknown.upper);
      parameter.relative_error = kBoundError;
    } else {
      // What all rows share (the clock that times them, the host's state that hour) does not average out:
      // once the floor.
      parameter.relative_error = std::hypot(estimate.standard_error * beliefs_[u].widening,
                                            options_.noise_floor, error_of_others(unknown.name));
    }
    if (parameter.status == Status::not_identified) {
      parameter.value = unknown.prior;
      parameter.relative_error = before == nullptr ? kBoundError : before->relative_error;
    } else if (before != nullptr) {
      const bool direct = direct_[u] && parameter.status == Status::fitted;
      store(out_.machine, {unknown.name, before->unit, parameter.value, parameter.relative_error,
                           direct ? Origin::measured : Origin::fitted,
                           fmt::format("{} {} row{}{}", direct ? "measured in" : "fitted to", estimate.terms,
                                       estimate.terms == 1 ? "" : "s",
                                       parameter.status == Status::at_bound ? ", at a bound" : "")});
    }
    out_.parameters.push_back(parameter);
  }

  // Relative error of what the rows' closed form took from earlier stages as known.
  [[nodiscard]] double error_of_others(const std::string& path) const {
    const Machine& machine = out_.machine;
    const auto& group = machine.groups.front();
    if (path.starts_with("kernels.") && path.ends_with(".memory_efficiency")) {
      return machine.memory.bandwidth.relative_error;
    }
    if (path.starts_with("kernels.") && path.ends_with(".efficiency")) {
      return all_core_error(hwmodels::peak_for(group, type_of(path)).extension);
    }
    // The clock correction of private caches: their value is one at the clock of all cores.
    if (path.ends_with(".bandwidth_per_core") && group.cores_per_socket > 1) {
      for (const auto& cache : machine.caches) {
        if (cache.shared_by_cores != 1 || path != cache_path(cache.level, "bandwidth_per_core")) continue;
        return all_core_error(hwmodels::Extension::scalar);
      }
    }
    return 0.0;
  }

  // Of the clock with all cores busy, when it was fitted: else it is what others state, and rows are taken
  // against it.
  [[nodiscard]] double all_core_error(hwmodels::Extension extension) const {
    const hwmodels::ClockPoint* last = nullptr;
    for (const auto& point : out_.machine.groups.front().clock) {
      if (point.extension != extension) continue;
      if (last == nullptr || point.active_cores > last->active_cores) last = &point;
    }
    const bool fitted =
        last != nullptr && (last->clock.origin == Origin::fitted || last->clock.origin == Origin::measured);
    return fitted ? last->clock.relative_error : 0.0;
  }

  [[nodiscard]] DataType type_of(const std::string& path) const {
    for (const auto& kernel : out_.machine.kernels) {
      if (path == kernel_path(kernel.library, kernel.kernel, kernel.type, "efficiency")) return kernel.type;
    }
    return DataType::fp32;
  }

  const Stage& stage_;
  const std::vector<Row>& rows_;
  const FitOptions& options_;
  Calibration& out_;
  MachineIndex index_;  // of the machine before this stage
  std::vector<std::size_t> used_;
  std::vector<RowModel> models_;
  std::map<std::string, std::size_t> place_;  // of a path among the unknowns
  std::vector<Unknown> unknowns_;
  std::vector<Belief> beliefs_;
  std::vector<bool> direct_;  // no row that shows it shows anything else
  std::vector<Term> terms_;
};

}  // namespace

void fit_stage(const Stage& stage, const Measurements& measurements, const FitOptions& options,
               Calibration& calibration) {
  StageFit(stage, measurements, options, calibration).run();
}

}  // namespace corecast::calibration
