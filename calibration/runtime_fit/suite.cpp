#include "calibration/runtime_fit/suite.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/runtime_fit/suite_parts.hpp"
#include "graphs/quantize.hpp"

namespace corecast::runtime_fit {
namespace {

constexpr double kWantedSeconds = 1e-3;
constexpr double kFlopPerSecond = 1e11, kBytesPerSecond = 2e10;
constexpr int kFewest = 2, kMost = 24;

}  // namespace

Tensor first_element(Builder& b, Tensor x) {
  const std::size_t rank = b.shape(x).size();
  Builder::Integers from, to, axes;
  for (std::size_t d = 0; d < rank; ++d) {
    from.values.push_back(0);
    to.values.push_back(1);
    axes.values.push_back(static_cast<std::int64_t>(d) + 1);
  }
  return b.node("Slice", {x, from, to, axes}, Shape(rank, 1));
}

int SuiteWriter::links(double flop, double bytes) {
  const double each = std::max(flop / kFlopPerSecond, bytes / kBytesPerSecond);
  return std::clamp(static_cast<int>(std::ceil(kWantedSeconds / each)), kFewest, kMost);
}

void SuiteWriter::add(std::string name, std::string subject, graphs::WrittenModel model, bool costs) {
  cases_.push_back({std::move(name), std::move(subject), std::move(model), costs});
}

void SuiteWriter::add_quantized(std::string name, std::string subject, const graphs::WrittenModel& model) {
  add(std::move(name), std::move(subject), graphs::quantized(model));
}

void SuiteWriter::chain(const std::string& name, const std::string& subject, const Shape& input, int links,
                        const Link& link, std::int64_t batch, bool costs) {
  Builder b(batch);
  Tensor x = b.relu(b.input(input));
  for (int i = 0; i < links; ++i) x = link(b, x, i);
  (void)first_element(b, x);
  add(name, subject, b.finish(name), costs);
}

void SuiteWriter::fan(const std::string& name, const std::string& subject, const Shape& input, int links,
                      const Link& link) {
  Builder b(1);
  std::vector<Tensor> inputs, ends;
  for (int i = 0; i < links; ++i) inputs.push_back(b.relu(b.input(input)));
  for (int i = 0; i < links; ++i) {
    const Tensor result = link(b, inputs[static_cast<std::size_t>(i)], i);
    const Tensor one = first_element(b, result);
    ends.push_back(b.reshape(one, {1}));
  }
  (void)b.concat(ends);
  add(name, subject, b.finish(name));
}

std::vector<Case> suite() {
  std::vector<Case> cases;
  SuiteWriter writer(cases);
  add_costs(writer);
  add_elements(writer);
  add_movement(writer);
  add_rows(writer);
  add_products(writer);
  add_recurrent(writer);
  add_convolutions(writer);
  add_image_passes(writer);
  return cases;
}

}  // namespace corecast::runtime_fit
