#include <fmt/format.h>

#include "calibration/runtime_fit/suite_parts.hpp"

namespace corecast::runtime_fit {
namespace {

constexpr int kManyLinks = 80;
constexpr std::int64_t kFew = 8;

// As many inputs as the name says, joined: what a call costs by its inputs.
void inputs(SuiteWriter& suite, int count) {
  const std::string name = fmt::format("call_{}_inputs", count);
  Builder b(1);
  std::vector<Tensor> all;
  for (int i = 0; i < count; ++i) all.push_back(b.input({kFew}));
  if (count == 1) {
    (void)b.relu(all.front());
  } else {
    (void)b.concat(all);
  }
  suite.add(name, "", b.finish(name), true);
}

// Operators whose work is next to nothing.
void tiny(SuiteWriter& suite, const std::string& type, const Shape& shape, int links,
          const SuiteWriter::Link& link) {
  suite.chain("tiny_" + type, type, shape, links, link, 1, true);
}

}  // namespace

void add_costs(SuiteWriter& suite) {
  for (const int count : {1, 6, 24}) inputs(suite, count);
  tiny(suite, "Add", {kFew}, kManyLinks, [](Builder& b, Tensor x, int /*i*/) { return b.add_bias(x); });
  tiny(suite, "Sigmoid", {kFew}, kManyLinks,
       [](Builder& b, Tensor x, int /*i*/) { return b.activation("Sigmoid", x); });
  tiny(suite, "MatMul", {kFew, kFew}, kManyLinks,
       [](Builder& b, Tensor x, int /*i*/) { return b.project(x, kFew); });
  tiny(suite, "Softmax", {kFew, kFew}, kManyLinks,
       [](Builder& b, Tensor x, int /*i*/) { return b.softmax(x); });
  tiny(suite, "Conv", {32, 4, 4}, kManyLinks / 2, [](Builder& b, Tensor x, int /*i*/) {
    return b.conv(x, 32, 1, {1, 0, 1, true});
  });
  tiny(suite, "MaxPool", {32, 4, 4}, kManyLinks / 2, [](Builder& b, Tensor x, int /*i*/) {
    return b.max_pool(x, 3, {1, 1});
  });
}

}  // namespace corecast::runtime_fit
