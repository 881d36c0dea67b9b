// DLRM: Naumov et al., "Deep Learning Recommendation Model for Personalization and Recommendation Systems", arXiv
// 1906.00091, as github.com/facebookresearch/dlrm runs it on Kaggle's Criteo data (bench/dlrm_s_criteo_kaggle.sh): 13
// numbers, 26 tables 16 wide, dot products of all pairs; for inference. One lookup in each table, side by side, sparse
// and bound by memory.
#include <array>
#include <vector>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

constexpr std::int64_t kWidth = 16;
// Values of each category in the training data.
constexpr std::array<std::int64_t, 26> kRows{
    1460, 583,   10131227, 2202608, 305,  24,   12517, 633,     3,  93145, 5683,   8351593, 3194,
    27,   14992, 5461306,  10,      5652, 2173, 4,     7046547, 18, 15,    286181, 105,     142572};

using Tensor = Builder::Tensor;

// Dot products of all pairs of vectors: what lies below the diagonal of their matrix, picked by place. int32, which
// keeps the places below the values in size.
Tensor pairs(Builder& b, Tensor vectors) {
  const std::int64_t count = b.shape(vectors)[0];
  const Tensor all = b.matmul(vectors, b.transpose(vectors, {1, 0}));
  Builder::Integers below{{}, DataType::int32};
  for (std::int64_t row = 1; row < count; ++row) {
    for (std::int64_t column = 0; column < row; ++column) below.values.push_back(row * count + column);
  }
  const auto picked = static_cast<std::int64_t>(below.values.size());
  const Tensor flat = b.reshape(all, {count * count});
  return b.node("Gather", {flat, below}, {picked}, {{"axis", std::int64_t{1}}});
}

}  // namespace

WrittenModel dlrm(const BuildOptions& options) {
  Builder b(options.batch, options.type);
  b.section("bottom");
  Tensor x = b.input({13});
  for (const std::int64_t units : {512, 256, 64, 16}) x = b.relu(b.dense(x, units));
  b.section("tables");
  std::vector<Tensor> vectors{x};
  for (const std::int64_t rows : kRows) {
    vectors.push_back(b.embedding(b.input({}, DataType::int64), rows, kWidth));
  }
  b.section("interaction");
  const auto count = static_cast<std::int64_t>(vectors.size());
  const Tensor dots = pairs(b, b.reshape(b.concat(vectors), {count, kWidth}));
  x = b.concat({x, dots});
  b.section("top");
  for (const std::int64_t units : {512, 256}) x = b.relu(b.dense(x, units));
  b.activation("Sigmoid", b.dense(x, 1));
  return b.finish("dlrm");
}

}  // namespace corecast::graphs::models
