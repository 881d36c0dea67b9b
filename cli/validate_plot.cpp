// Left: forecast against measured, all settings. Right: how time scales over threads, for the groups with most counts.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "cli/svg.hpp"
#include "cli/validate_report.hpp"
#include "hwmodels/text_columns.hpp"

namespace corecast::cli {
namespace {

using evidence::Group;
using evidence::Point;

constexpr int kWidth = 1120, kHeight = 640;
constexpr double kTop = 40.0, kBottom = 460.0;
constexpr double kLeftFrom = 70.0, kLeftTo = 530.0, kRightFrom = 630.0, kRightTo = 1090.0;
constexpr std::size_t kMostCurves = 6;
constexpr double kBand = 1.25;
constexpr int kLegendColumns = 84;

// Okabe and Ito's, told apart by colour-blind readers too.
constexpr std::array kColors{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};

std::string_view color(std::size_t i) {
  return kColors[i % kColors.size()];
}

std::string tick_text(double value) {
  return fmt::format("{:.6g}", value);
}

struct Panel {
  LogAxis x, y;
  void frame(Svg& svg, const std::vector<double>& x_ticks, std::string_view x_title,
             std::string_view y_title) const {
    for (const double tick : x_ticks) {
      svg.line({x.at(tick), y.from}, {x.at(tick), y.to}, "#dddddd");
      svg.text({x.at(tick), y.from + 16.0}, tick_text(tick), "middle", 11);
    }
    for (const double tick : y.ticks()) {
      svg.line({x.from, y.at(tick)}, {x.to, y.at(tick)}, "#dddddd");
      svg.text({x.from - 6.0, y.at(tick) + 4.0}, tick_text(tick), "end", 11);
    }
    svg.line({x.from, y.from}, {x.to, y.from}, "black");
    svg.line({x.from, y.from}, {x.from, y.to}, "black");
    svg.text({(x.from + x.to) / 2.0, y.from + 36.0}, x_title, "middle");
    svg.text({x.from - 48.0, (y.from + y.to) / 2.0}, y_title, "middle", 12, -90);
  }
};

void scatter(Svg& svg, const ValidateReport& report) {
  std::vector<double> all;
  std::vector<std::string> models;
  for (const auto& entry : report.evidence.by_model) models.push_back(entry.first);
  for (const Group& group : report.evidence.groups) {
    for (const Point& point : group.points) {
      all.push_back(point.measured_ms);
      all.push_back(point.forecast_ms);
    }
  }
  // One scale for both, so that the diagonal is one.
  const Panel panel{axis_of(all, kLeftFrom, kLeftTo), axis_of(all, kBottom, kTop)};
  const double low = panel.x.low, high = panel.x.high;
  // Where the band leaves the panel it follows its border.
  svg.polygon({{panel.x.at(low), panel.y.at(low)},
               {panel.x.at(low * kBand), panel.y.at(low)},
               {panel.x.at(high), panel.y.at(high / kBand)},
               {panel.x.at(high), panel.y.at(high)},
               {panel.x.at(high / kBand), panel.y.at(high)},
               {panel.x.at(low), panel.y.at(low * kBand)}},
              "#eef3f8");
  panel.frame(svg, panel.x.ticks(), "measured, ms", "forecast, ms");
  svg.line({panel.x.at(low), panel.y.at(low)}, {panel.x.at(high), panel.y.at(high)}, "#555555");
  for (const Group& group : report.evidence.groups) {
    const auto model = std::find(models.begin(), models.end(), group.key.model);
    for (const Point& point : group.points)
      svg.circle({panel.x.at(point.measured_ms), panel.y.at(point.forecast_ms)}, 2.0,
                 color(static_cast<std::size_t>(model - models.begin())), 0.5);
  }
  svg.text({kLeftFrom, kTop - 14.0},
           fmt::format("Forecast against measured, {} settings{}; band: 25 % off", all.size() / 2,
                       report.anchor.empty() ? "" : ", anchored at " + report.anchor));
  for (std::size_t i = 0; i < models.size(); ++i) {
    const double at = kBottom + 62.0 + 16.0 * static_cast<double>(i % 7);
    const std::size_t column = i / 7;
    const double from = kLeftFrom + 150.0 * static_cast<double>(column);
    if (i >= 21) break;
    svg.circle({from, at - 4.0}, 4.0, color(i));
    svg.text({from + 10.0, at}, hwmodels::clipped(models[i], 20), "start", 11);
  }
}

struct Curve {
  const Group* group = nullptr;
  std::vector<const Point*> points;  // by intra_op; all else is as in the first
};

std::vector<Curve> curves_of(const evidence::Evidence& found) {
  std::vector<Curve> curves;
  for (const Group& group : found.groups) {
    Curve curve{&group, {}};
    for (const Point& point : group.points) {
      sim::Setting same = point.setting;
      same.intra_op = group.points.front().setting.intra_op;
      if (same == group.points.front().setting) curve.points.push_back(&point);
    }
    if (curve.points.size() > 1) curves.push_back(std::move(curve));
  }
  std::stable_sort(curves.begin(), curves.end(),
                   [](const Curve& a, const Curve& b) { return a.points.size() > b.points.size(); });
  if (curves.size() > kMostCurves) curves.resize(kMostCurves);
  return curves;
}

void scaling(Svg& svg, const ValidateReport& report) {
  const std::vector<Curve> curves = curves_of(report.evidence);
  svg.text({kRightFrom, kTop - 14.0},
           curves.empty() ? "No group has two thread counts that differ in nothing else"
                          : "Time over that of the fewest threads: measured (points), forecast (lines)");
  if (curves.empty()) return;
  std::vector<double> threads, times;
  for (const Curve& curve : curves) {
    for (const Point* point : curve.points) {
      threads.push_back(point->setting.intra_op);
      times.push_back(point->measured_ms / curve.points.front()->measured_ms);
      times.push_back(point->forecast_ms / curve.points.front()->forecast_ms);
    }
  }
  const Panel panel{axis_of(threads, kRightFrom, kRightTo), axis_of(times, kBottom, kTop)};
  std::vector<double> powers;
  for (double power = 1.0; power <= panel.x.high; power *= 2.0) {
    if (power >= panel.x.low) powers.push_back(power);
  }
  panel.frame(svg, powers, "intra-op threads", "relative time");
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = curves[i];
    std::vector<Pixel> line;
    for (const Point* point : curve.points) {
      const double x = panel.x.at(point->setting.intra_op);
      line.emplace_back(x, panel.y.at(point->forecast_ms / curve.points.front()->forecast_ms));
      svg.circle({x, panel.y.at(point->measured_ms / curve.points.front()->measured_ms)}, 3.0, color(i), 0.8);
    }
    svg.polyline(line, color(i), 1.5);
    const double at = kBottom + 62.0 + 16.0 * static_cast<double>(i);
    svg.line({kRightFrom - 60.0, at - 4.0}, {kRightFrom - 40.0, at - 4.0}, color(i), 2.0);
    svg.text({kRightFrom - 34.0, at}, hwmodels::clipped(group_text(curve.group->key), kLegendColumns),
             "start", 11);
  }
}

}  // namespace

std::string plot_of(const ValidateReport& report) {
  Svg svg(kWidth, kHeight);
  scatter(svg, report);
  scaling(svg, report);
  return std::move(svg).finished();
}

}  // namespace corecast::cli
