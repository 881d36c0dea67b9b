#include "cli/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "hwmodels/text_columns.hpp"

namespace corecast::cli {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : hwmodels::printable(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string list_of(const std::vector<Pixel>& points) {
  std::string out;
  for (const Pixel& point : points)
    out += fmt::format("{}{:.1f},{:.1f}", out.empty() ? "" : " ", point.first, point.second);
  return out;
}

}  // namespace

Svg::Svg(int width, int height) {
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
}

void Svg::line(Pixel from, Pixel to, std::string_view color, double width, bool dashed) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:.1f}\"{}/>\n",
      from.first, from.second, to.first, to.second, color, width, dashed ? " stroke-dasharray=\"4 3\"" : "");
}

void Svg::polyline(const std::vector<Pixel>& points, std::string_view color, double width) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n",
                       list_of(points), color, width);
}

void Svg::polygon(const std::vector<Pixel>& points, std::string_view fill) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n", list_of(points), fill);
}

void Svg::circle(Pixel center, double radius, std::string_view fill, double opacity) {
  body_ +=
      fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"{:.2f}\"/>\n",
                  center.first, center.second, radius, fill, opacity);
}

void Svg::text(Pixel at, std::string_view words, std::string_view anchor, int size, int turned_by_degrees) {
  const std::string turn = turned_by_degrees == 0 ? ""
                                                  : fmt::format(" transform=\"rotate({} {:.1f} {:.1f})\"",
                                                                turned_by_degrees, at.first, at.second);
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n",
                       at.first, at.second, anchor, size, turn, escaped(words));
}

std::string Svg::finished() && {
  return std::move(body_) + "</svg>\n";
}

double LogAxis::at(double value) const {
  return from + (to - from) * std::log(value / low) / std::log(high / low);
}

std::vector<double> LogAxis::ticks() const {
  const int first = static_cast<int>(std::floor(std::log10(low))),
            last = static_cast<int>(std::ceil(std::log10(high)));
  std::vector<double> out;
  for (int power = first; power <= last; ++power) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit > 1.0 && last - first > 3) continue;
      const double value = digit * std::pow(10.0, power);
      if (value >= low && value <= high) out.push_back(value);
    }
  }
  return out;
}

LogAxis axis_of(const std::vector<double>& values, double from, double to) {
  CORECAST_CHECK(!values.empty(), "values={}", values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least / 1.15, *most * 1.15, from, to};
}

}  // namespace corecast::cli
