#include "calibration/fit/peaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "calibration/fit/layout.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::CoreGroup;
using hwmodels::Extension;
using hwmodels::Origin;

constexpr double kAboveTurbo = 1.15;
constexpr double kKnee = 0.04;
constexpr double kKneeOverNoise = 4.0;  // the worst of a dozen points is at 2 to 3
constexpr std::size_t kMostPoints = 5;

bool shows_clock(const Row& row) {
  return row.group == Group::peak && row.threads_per_core == 1 && !row.samples.empty();
}

// Clock by number of busy cores of a socket, of all rows that show it.
using ClockCurve = std::map<int, double>;
// Which repetition of a row speaks for it: the median, or the fastest, which is the one nobody disturbed.
using Statistic = double (*)(std::vector<double>);
double fastest(std::vector<double> samples) {
  return *std::max_element(samples.begin(), samples.end());
}

ClockCurve medians(const std::map<int, std::vector<double>>& samples) {
  ClockCurve curve;
  for (const auto& [cores, values] : samples) curve[cores] = median(values);
  return curve;
}

ClockCurve scalar_clocks(const Measurements& measurements, Statistic of) {
  std::map<int, std::vector<double>> samples;
  for (const Row& row : measurements.rows) {
    if (!shows_clock(row) || row.kernel != "clock" || row.unit != Unit::hertz) continue;
    samples[layout_of(measurements.machine, row).most_of_a_socket()].push_back(of(row.samples));
  }
  return medians(samples);
}

using Pair = std::pair<DataType, Extension>;

// Rate per core over busy cores of a socket.
std::map<Pair, ClockCurve> peak_rates(const Measurements& measurements, Statistic of) {
  std::map<Pair, std::map<int, std::vector<double>>> samples;
  for (const Row& row : measurements.rows) {
    if (!shows_clock(row) || row.kernel != "multiply_add" || row.unit != Unit::flop_per_second) continue;
    const Pair pair{row.type.value_or(DataType::fp32), row.extension.value_or(Extension::scalar)};
    samples[pair][layout_of(measurements.machine, row).most_of_a_socket()].push_back(of(row.samples) /
                                                                                     row.cores);
  }
  std::map<Pair, ClockCurve> rates;
  for (const auto& [pair, of_pair] : samples) rates[pair] = medians(of_pair);
  return rates;
}

double turbo_of(const CoreGroup& group, const ClockCurve& scalar) {
  double turbo = 0.0;
  for (const auto& [cores, clock] : scalar) turbo = std::max(turbo, clock);
  if (turbo > 0.0) return turbo;
  for (const auto& point : group.clock) turbo = std::max(turbo, point.clock.value.value());
  return turbo;
}

double scalar_at(const CoreGroup& group, const ClockCurve& scalar, int cores) {
  if (scalar.empty()) return hwmodels::clock_at(group, Extension::scalar, cores).value();
  const auto at = scalar.lower_bound(cores);
  return at == scalar.end() ? scalar.rbegin()->second : at->second;
}

double choose(double prior, double rate, double scalar, double turbo) {
  double chosen = prior;
  double nearest = std::numeric_limits<double>::infinity();
  for (const double factor : {1.0, 0.5, 2.0}) {
    const double clock = rate / (prior * factor);
    const double distance = std::abs(std::log(clock / scalar));
    if (clock > kAboveTurbo * turbo || distance >= nearest) continue;
    nearest = distance;
    chosen = prior * factor;
  }
  return chosen;
}

// Noise of a curve's points, relative: what they are off the line between their neighbours, which has
// sqrt(3/2) times the noise of one point. Curvature counts as noise, which only makes knees harder to find.
double noise_of(const ClockCurve& curve) {
  std::vector<double> off;
  for (auto at = curve.begin(); at != curve.end() && std::next(at) != curve.end(); ++at) {
    if (at == curve.begin()) continue;
    const auto [low, below] = *std::prev(at);
    const auto [high, above] = *std::next(at);
    const double line = below + (above - below) * (at->first - low) / (high - low);
    off.push_back(std::abs(at->second / line - 1.0));
  }
  return off.empty() ? 0.0 : 1.4826 * median(off) / std::sqrt(1.5);
}

// Of each count that is no point, how far it is off the line between the points around it.
std::map<int, double> off_line(const ClockCurve& curve, const std::set<int>& points) {
  std::map<int, double> off;
  for (const auto& [cores, clock] : curve) {
    const auto above = points.lower_bound(cores);
    if (above == points.end() || *above == cores || above == points.begin()) continue;
    const int low = *std::prev(above);
    const double share = static_cast<double>(cores - low) / (*above - low);
    const double line = curve.at(low) + share * (curve.at(*above) - curve.at(low));
    off[cores] = clock / line - 1.0;
  }
  return off;
}

// The count that is farthest off, if by more than `least` and if a count beside it is off the same way by
// half as much: turbo tables bend over several counts, noise does not. 0: none.
int find_knee(const ClockCurve& curve, const std::set<int>& points, double least) {
  const auto off = off_line(curve, points);
  int knee = 0;
  double worst = least;
  for (auto at = off.begin(); at != off.end(); ++at) {
    if (std::abs(at->second) <= worst) continue;
    double beside = 0.0;
    if (at != off.begin()) beside = std::max(beside, std::prev(at)->second / at->second);
    if (std::next(at) != off.end()) beside = std::max(beside, std::next(at)->second / at->second);
    if (beside < 0.5) continue;
    worst = std::abs(at->second);
    knee = at->first;
  }
  return knee;
}

void set_points(CoreGroup& group, Extension extension, const ClockCurve& curve) {
  const int measured = curve.rbegin()->first;
  const double least = std::max(kKnee, kKneeOverNoise * noise_of(curve));
  std::vector<hwmodels::ClockPoint> points;
  std::set<int> counts{curve.begin()->first, measured};
  if (curve.contains(2)) counts.insert(2);
  while (counts.size() < kMostPoints) {
    const int knee = find_knee(curve, counts, least);
    if (knee == 0) break;
    counts.insert(knee);
  }
  for (const int cores : counts) {
    points.push_back({extension, cores, {Hertz(curve.at(cores)), 0.1, Origin::fitted, "start of the fit"}});
  }
  std::vector<hwmodels::ClockPoint> all;
  for (const auto& point : group.clock) {
    if (point.extension == extension && point.active_cores > measured) points.push_back(point);
    if (point.extension != extension) all.push_back(point);
  }
  all.insert(all.end(), points.begin(), points.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.extension != b.extension ? a.extension < b.extension : a.active_cores < b.active_cores;
  });
  group.clock = std::move(all);
}

bool has_wider(const CoreGroup& group, DataType type, Extension extension) {
  return std::any_of(group.peaks.begin(), group.peaks.end(), [&](const auto& peak) {
    return peak.type == type && peak.extension > extension && extension <= Extension::sse;
  });
}

}  // namespace

// A busy neighbour takes half of a core's time, and half a rate looks like half the units; but seldom of every
// repetition. So design numbers are told by the fastest repetitions, and clocks by the medians.
void choose_peaks(const Measurements& measurements, Calibration& calibration) {
  CoreGroup& group = calibration.machine.groups.front();
  const ClockCurve scalar = scalar_clocks(measurements, fastest);
  const double turbo = turbo_of(group, scalar);
  for (const auto& of_pair : peak_rates(measurements, fastest)) {
    const Pair& pair = of_pair.first;
    const ClockCurve& rates = of_pair.second;
    const DataType type = pair.first;
    const Extension extension = pair.second;
    const auto [cores, rate] = *rates.begin();
    const double clock = scalar_at(group, scalar, cores);
    const auto found = std::find_if(group.peaks.begin(), group.peaks.end(), [&](const auto& peak) {
      return peak.type == pair.first && peak.extension == pair.second;
    });
    if (found == group.peaks.end()) {
      // Vectors narrower than those known run in no kernel here; without a multiply-add instruction their rate is not a
      // clock either.
      if (has_wider(group, type, extension)) continue;
      const double guess = std::exp2(std::round(std::log2(rate / clock)));
      const double per_cycle = choose(guess, rate, clock, turbo);
      group.peaks.push_back({type, extension, {per_cycle, 0.0, Origin::measured, "nearest power of two"}});
      continue;
    }
    auto& stated = found->flop_per_cycle;
    const double per_cycle = choose(stated.value, rate, clock, turbo);
    if (per_cycle == stated.value) continue;
    calibration.warnings.push_back(
        fmt::format("{} {}: {} flop per cycle measured where {} were stated: {}", corecast::name_of(type),
                    name_of(extension), per_cycle, stated.value,
                    per_cycle < stated.value ? "half the units" : "twice the units"));
    stated = {per_cycle, 0.0, Origin::measured, "the design number nearest to rate over clock"};
  }
}

void choose_clock_points(const Measurements& measurements, Calibration& calibration) {
  CoreGroup& group = calibration.machine.groups.front();
  std::map<Extension, std::map<int, std::vector<double>>> clocks;
  for (const auto& [cores, clock] : scalar_clocks(measurements, median))
    clocks[Extension::scalar][cores].push_back(clock);
  for (const auto& [pair, rates] : peak_rates(measurements, median)) {
    for (const auto& peak : group.peaks) {
      if (Pair{peak.type, peak.extension} != pair) continue;
      for (const auto& [cores, rate] : rates)
        clocks[pair.second][cores].push_back(rate / peak.flop_per_cycle.value);
    }
  }
  for (const auto& [extension, samples] : clocks) set_points(group, extension, medians(samples));
}

}  // namespace corecast::calibration
