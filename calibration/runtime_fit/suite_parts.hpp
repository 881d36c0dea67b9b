// Parts of the suite and what they are built with. Internal to runtime_fit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/runtime_fit/suite.hpp"
#include "graphs/builder.hpp"

namespace corecast::runtime_fit {

using graphs::Builder;
using graphs::Shape;
using Tensor = Builder::Tensor;

class SuiteWriter {
 public:
  // What stands between a model's input and its result, and link `i` of it.
  using Link = std::function<Tensor(Builder& b, Tensor x, int i)>;

  explicit SuiteWriter(std::vector<Case>& cases) : cases_(cases) {}

  // input, Relu, `links` times `link` one after the other, one element of the result.
  void chain(const std::string& name, const std::string& subject, const Shape& input, int links,
             const Link& link, std::int64_t batch = 1, bool costs = false);
  // `links` inputs, each through a Relu and its own `link`, one element of each result, joined.
  void fan(const std::string& name, const std::string& subject, const Shape& input, int links,
           const Link& link);
  void add(std::string name, std::string subject, graphs::WrittenModel model, bool costs = false);
  // The same case in eight bits.
  void add_quantized(std::string name, std::string subject, const graphs::WrittenModel& model);
  [[nodiscard]] const graphs::WrittenModel& last() const { return cases_.back().model; }

  // Links that make a chain of about a millisecond on a core of 100 Gflop/s and 20 GB/s, 2 to 24.
  [[nodiscard]] static int links(double flop, double bytes = 0.0);

 private:
  std::vector<Case>& cases_;
};

[[nodiscard]] Tensor first_element(Builder& b, Tensor x);

void add_products(SuiteWriter& suite);  // gemm, attention products, eight-bit ones
void add_recurrent(SuiteWriter& suite);
void add_convolutions(SuiteWriter& suite);  // dense, pointwise, depthwise, transposed, eight-bit
void add_image_passes(SuiteWriter& suite);  // pools, LRN, batch and instance normalisation
void add_elements(SuiteWriter& suite);
void add_rows(SuiteWriter& suite);      // softmax, layer normalisation, reductions
void add_movement(SuiteWriter& suite);  // transpose, concat, slice, gather
void add_costs(SuiteWriter& suite);     // of a call, of an operator, of a fork

}  // namespace corecast::runtime_fit
