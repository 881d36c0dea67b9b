// Measurements of real machines, as published: data/measurements.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "calibration/fit/hold_out.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::calibration {
namespace {

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> list;
  for (const auto& entry : std::filesystem::directory_iterator(CORECAST_DATA_DIR "/measurements")) {
    if (entry.path().extension() == ".json") list.push_back(entry.path());
  }
  std::sort(list.begin(), list.end());
  return list;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

TEST_CASE(
    "every published measurement file is read, written back the same, and fitted to a machine that can be "
    "used") {
  const auto list = files();
  CHECK(list.size() >= 18);
  for (const auto& file : list) {
    INFO(file.string());
    const Measurements measurements = read_measurements(file);
    CHECK(parse_measurements_json(to_json_text(measurements), "again") == measurements);
    CHECK_FALSE(measurements.context.source.empty());
    const Calibration fitted = fit(measurements);
    CHECK(fitted.converged);
    const std::string text = hwmodels::to_json_text(fitted.machine);
    CHECK(hwmodels::to_json_text(hwmodels::parse_machine_json(text, "machine")) == text);
    for (const Parameter& parameter : fitted.parameters) {
      INFO(parameter.path);
      CHECK(std::isfinite(parameter.value));
      CHECK(std::isfinite(parameter.relative_error));
      CHECK(parameter.why.empty() == (parameter.status == Status::fitted && parameter.rows > 0));
    }
  }
}

// The forms were chosen while looking at these machines, so this guards against getting worse, no more.
TEST_CASE("a fit to every second core count forecasts the other half of published bandwidth curves") {
  std::vector<double> errors;
  for (const auto& file : files()) {
    const Measurements measurements = read_measurements(file);
    const HoldOut result = hold_out(measurements, every_second_core_count(measurements));
    for (const Residual& residual : result.residuals) {
      if (residual.group.starts_with("bandwidth")) errors.push_back(std::abs(residual.relative));
    }
  }
  CHECK(errors.size() >= 190);
  CHECK(quantile(errors, 0.5) < 0.03);
  CHECK(quantile(errors, 0.95) < 0.08);
}

TEST_CASE("held out are the second, fourth ... core counts of a curve, and no curve of three points") {
  Measurements measurements;
  const auto add = [&](const std::string& kernel, int cores) {
    Row row;
    row.group = Group::bandwidth;
    row.kernel = kernel;
    row.unit = Unit::bytes_per_second;
    row.threads = row.cores = cores;
    row.samples = {1e9 * cores};
    measurements.rows.push_back(row);
  };
  measurements.machine = read_measurements(CORECAST_DATA_DIR "/measurements/xeon-gold-6148.json").machine;
  for (const int cores : {1, 2, 4, 8, 12}) add("read", cores);  // rows 0 to 4
  for (const int cores : {1, 2, 4}) add("copy", cores);
  CHECK(every_second_core_count(measurements) == std::set<std::size_t>{1, 3});
}

}  // namespace
}  // namespace corecast::calibration
