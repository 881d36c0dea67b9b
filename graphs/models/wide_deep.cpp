// Wide & Deep: Cheng et al., "Wide & Deep Learning for Recommender Systems", arXiv 1606.07792, in the form of Intel's
// Model Zoo for TensorFlow ("large dataset", Kaggle's Criteo): 13 numbers and 26 categories, each category hashed to
// 1000 buckets; deep part of embeddings 32 wide and layers of 1024, 512, 256; wide part linear in the 26 categories,
// no crossed ones; for inference. The hashing comes before the model. 52 lookups side by side.
#include <vector>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {

WrittenModel wide_deep(const BuildOptions& options) {
  constexpr int kCategories = 26;
  constexpr std::int64_t kBuckets = 1000;
  Builder b(options.batch, options.type);
  std::vector<Builder::Tensor> deep{b.input({13})};
  std::vector<Builder::Tensor> ids;
  for (int i = 0; i < kCategories; ++i) ids.push_back(b.input({}, DataType::int64));
  b.section("wide");
  std::vector<Builder::Argument> weights;
  for (const auto& id : ids) weights.emplace_back(b.embedding(id, kBuckets, 1));
  const auto wide = b.add_bias(b.node("Sum", weights, {1}));
  b.section("deep");
  for (const auto& id : ids) deep.push_back(b.embedding(id, kBuckets, 32));
  auto x = b.concat(deep);
  for (const std::int64_t units : {1024, 512, 256}) x = b.relu(b.dense(x, units));
  const auto logit = b.dense(x, 1);
  b.section("head");
  b.activation("Sigmoid", b.add(logit, wide));
  return b.finish("wide_deep");
}

}  // namespace corecast::graphs::models
