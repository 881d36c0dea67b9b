// Small SVG drawings: shapes in pixels, and axes of logarithmic scale. The same bytes for the same input.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace corecast::cli {

using Pixel = std::pair<double, double>;  // from the left, from the top

class Svg {
 public:
  Svg(int width, int height);
  void line(Pixel from, Pixel to, std::string_view color, double width = 1.0, bool dashed = false);
  void polyline(const std::vector<Pixel>& points, std::string_view color, double width);
  void polygon(const std::vector<Pixel>& points, std::string_view fill);
  void circle(Pixel center, double radius, std::string_view fill, double opacity = 1.0);
  // `anchor`: "start", "middle" or "end".
  void text(Pixel at, std::string_view words, std::string_view anchor = "start", int size = 12,
            int turned_by_degrees = 0);
  [[nodiscard]] std::string finished() &&;

 private:
  std::string body_;
};

// log10 of values above zero onto pixels.
struct LogAxis {
  double low = 1.0, high = 10.0;  // values
  double from = 0.0, to = 100.0;  // pixels of low and high
  [[nodiscard]] double at(double value) const;
  // 1, 2 and 5 times powers of ten within; powers of ten alone where they are many.
  [[nodiscard]] std::vector<double> ticks() const;
};
// That holds all values (above zero), with a little room on both sides.
[[nodiscard]] LogAxis axis_of(const std::vector<double>& values, double from, double to);

}  // namespace corecast::cli
