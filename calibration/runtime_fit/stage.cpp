#include "calibration/runtime_fit/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace corecast::runtime_fit {
namespace {

using calibration::Jet;
using calibration::Solution;
using calibration::Term;
using calibration::Unknown;
using calibration::Verdict;

constexpr double kModelError = 0.05;
constexpr double kLossBend = 2.0;  // as in least_squares.hpp, with scale 1
constexpr double kStep = 1e-5;     // of a difference, relative
constexpr std::array kGrid{1.0, 0.6, 0.35, 0.2, 0.1, 0.05, 0.02, 0.008};

double error_of(const Sample& sample) {
  return std::hypot(kModelError, sample.spread);
}

double huber(double residual) {
  const double r = std::abs(residual);
  return r <= kLossBend ? r * r : kLossBend * (2.0 * r - kLossBend);
}

class Stage {
 public:
  Stage(Forecaster& forecaster, std::vector<Knob> knobs, const std::vector<const Sample*>& samples)
      : forecaster_(forecaster), knobs_(std::move(knobs)), samples_(samples) {
    std::vector<std::size_t> all(knobs_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    for (const Sample* sample : samples_) terms_.push_back(term_of(*sample, all));
  }

  StageResult run(bool several_starts) {
    const std::vector<double> before = values();
    std::vector<std::vector<double>> starts{start_of_priors()};
    if (several_starts) {
      for (std::vector<double>& start : best_of_grid(starts.front())) starts.push_back(std::move(start));
    }
    StageResult best;
    best.converged = false;
    double least = 0.0;
    for (const std::vector<double>& start : starts) {
      const Solution solution = solve_from(start);
      if (!solution.converged) {
        if (best.message.empty()) best.message = solution.message;
        continue;
      }
      set_all(solution);
      const double cost = cost_of(forecaster_, samples_);
      if (best.converged && cost >= least) continue;
      best = result_of(solution);
      best.cost = least = cost;
      found_ = values();
    }
    set(best.converged ? found_ : before);
    if (!best.converged) best.cost = cost_of(forecaster_, samples_);
    return best;
  }

 private:
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> list;
    for (const Knob& knob : knobs_) list.push_back(knob.get());
    return list;
  }
  void set(const std::vector<double>& list) const {
    for (std::size_t i = 0; i < knobs_.size(); ++i) knobs_[i].set(list[i]);
  }
  void set_all(const Solution& solution) const {
    for (std::size_t i = 0; i < knobs_.size(); ++i) knobs_[i].set(solution.unknowns[i].value);
  }

  [[nodiscard]] double residual(const Sample& sample) const {
    return log_ratio(forecaster_, sample) / error_of(sample);
  }

  Term term_of(const Sample& sample, const std::vector<std::size_t>& all) {
    Term term;
    term.unknowns = all;
    term.value = [this, &sample](std::span<const double> p) {
      for (std::size_t i = 0; i < p.size(); ++i) knobs_[i].set(p[i]);
      return residual(sample);
    };
    term.jet = [this, &sample](std::span<const Jet> p) {
      for (std::size_t i = 0; i < p.size(); ++i) knobs_[i].set(p[i].a);
      Jet result(residual(sample));
      for (std::size_t i = 0; i < p.size(); ++i) {
        const double step = kStep * std::max(std::abs(p[i].a), 1e-9);
        knobs_[i].set(p[i].a + step);
        result.v += (residual(sample) - result.a) / step * p[i].v;
        knobs_[i].set(p[i].a);
      }
      return result;
    };
    return term;
  }

  [[nodiscard]] std::vector<double> start_of_priors() const {
    std::vector<double> start;
    for (const Knob& knob : knobs_)
      start.push_back(std::clamp(knob.unknown.start, knob.unknown.lower, knob.unknown.upper));
    return start;
  }

  // The two best combinations of the first two numbers, the efficiencies, the others as they are; not neighbours.
  std::vector<std::vector<double>> best_of_grid(const std::vector<double>& others) {
    if (knobs_.size() < 2) return {};
    struct Point {
      double cost = 0.0;
      std::size_t first = 0, second = 0;
    };
    std::vector<Point> points;
    set(others);
    for (std::size_t i = 0; i < kGrid.size(); ++i) {
      for (std::size_t j = 0; j < kGrid.size(); ++j) {
        knobs_[0].set(kGrid[i]);
        knobs_[1].set(kGrid[j]);
        points.push_back({cost_of(forecaster_, samples_), i, j});
      }
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const Point& a, const Point& b) { return a.cost < b.cost; });
    std::vector<std::vector<double>> starts;
    const Point& best = points.front();
    for (const Point& point : points) {
      const auto away = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
      const bool first = starts.empty();
      if (!first && away(point.first, best.first) < 2 && away(point.second, best.second) < 2) continue;
      std::vector<double> start = others;
      start[0] = kGrid[point.first];
      start[1] = kGrid[point.second];
      starts.push_back(std::move(start));
      if (starts.size() == 2) break;
    }
    return starts;
  }

  Solution solve_from(const std::vector<double>& start) {
    std::vector<Unknown> unknowns;
    for (std::size_t i = 0; i < knobs_.size(); ++i) {
      unknowns.push_back(knobs_[i].unknown);
      unknowns.back().start = start[i];
    }
    return calibration::solve(unknowns, terms_);
  }

  [[nodiscard]] StageResult result_of(const Solution& solution) const {
    StageResult result;
    std::set<std::string> cases;
    for (const Sample* sample : samples_) cases.insert(sample->of->name);
    for (std::size_t i = 0; i < knobs_.size(); ++i) {
      const auto& estimate = solution.unknowns[i];
      FittedNumber number;
      number.path = knobs_[i].path;
      number.value = estimate.value;
      number.prior = knobs_[i].unknown.prior;
      number.cases = static_cast<int>(cases.size());
      switch (estimate.verdict) {
        case Verdict::fitted:
          number.status = Status::fitted;
          number.relative_error = knobs_[i].unknown.logarithmic ? estimate.standard_error
                                                                : estimate.standard_error / estimate.value;
          break;
        case Verdict::at_bound:
          number.status = Status::at_bound;
          number.why = "the best value is at the border of what is believed";
          break;
        case Verdict::not_identified:
          number.why = "these cases do not determine it";
          break;
      }
      result.numbers.push_back(std::move(number));
    }
    return result;
  }

  Forecaster& forecaster_;
  std::vector<Knob> knobs_;
  const std::vector<const Sample*>& samples_;
  std::vector<Term> terms_;
  std::vector<double> found_;
};

}  // namespace

std::string_view name_of(Status status) {
  switch (status) {
    case Status::fitted:
      return "fitted";
    case Status::at_bound:
      return "at bound";
    case Status::prior:
      return "prior";
  }
  return "?";
}

double log_ratio(const Forecaster& forecaster, const Sample& sample) {
  return std::log(forecaster.seconds(sample.of->graph, sample.threads) / sample.seconds);
}

double cost_of(const Forecaster& forecaster, const std::vector<const Sample*>& samples) {
  double sum = 0.0;
  for (const Sample* sample : samples) sum += huber(log_ratio(forecaster, *sample) / error_of(*sample));
  return sum;
}

StageResult fit_stage(Forecaster& forecaster, std::vector<Knob> knobs,
                      const std::vector<const Sample*>& samples, bool several_starts) {
  if (samples.empty() || knobs.empty()) return {};
  return Stage(forecaster, std::move(knobs), samples).run(several_starts);
}

}  // namespace corecast::runtime_fit
