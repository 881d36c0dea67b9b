#include <algorithm>
#include <chrono>
#include <utility>

#include "calibration/microbench/suite.hpp"

namespace corecast::calibration::microbench {
namespace {

Seconds now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Seconds(std::chrono::duration<double>(since).count());
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

}  // namespace

Recorder::Recorder(const hwmodels::Host& host, const SuiteOptions& options, Seconds budget)
    : host_(host), options_(options), budget_(budget), started_(now()) {}

Seconds Recorder::budget_for_one_of(int points) const {
  const Seconds left = budget_ - (now() - started_);
  return std::max(left, Seconds(0.0)) / static_cast<double>(std::max(points, 1));
}

void Recorder::begin(const std::string& what) {
  if (!options_.progress) return;
  const double gone = budget_ > Seconds(0.0) ? (now() - started_) / budget_ : 1.0;
  options_.progress(what, std::clamp(gone, 0.0, 1.0));
}

void Recorder::add(Row row) {
  rows_.push_back(std::move(row));
}

void Recorder::not_measured(const std::string& what, const std::string& why) {
  add_once(notes_.not_measured, what + ": " + why);
}

void Recorder::warn(const std::string& text) {
  add_once(notes_.warnings, text);
}

void Recorder::library(const std::string& name, const std::string& version) {
  notes_.libraries[name] = version;
}

}  // namespace corecast::calibration::microbench
