// Neural collaborative filtering, NeuMF: He et al., "Neural Collaborative Filtering", arXiv 1708.05031, in the form of
// MLPerf Training 0.5 (MovieLens-20M: 138493 users, 26744 items; 64 factors, layers of 256, 256, 128, 64), for
// inference: one user and one item give one score. Four lookups side by side.
#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {

namespace {

struct Ncf : Builder {
  using Builder::Builder;

  // One row of a table. Identifiers are {batch, 1}, as in Keras's form: an importer sees which axis is the batch.
  Tensor row(Tensor id, std::int64_t rows, std::int64_t width) { return flatten(embedding(id, rows, width)); }
};

}  // namespace

WrittenModel ncf(const BuildOptions& options) {
  constexpr std::int64_t kUsers = 138493;
  constexpr std::int64_t kItems = 26744;
  Ncf b(options.batch, options.type);
  const auto user = b.input({1}, DataType::int64);
  const auto item = b.input({1}, DataType::int64);
  b.section("factors");
  const auto user_factors = b.row(user, kUsers, 64);
  const auto factors = b.mul(user_factors, b.row(item, kItems, 64));
  b.section("layers");
  const auto user_row = b.row(user, kUsers, 128);
  auto x = b.concat({user_row, b.row(item, kItems, 128)});
  for (const std::int64_t units : {256, 128, 64}) x = b.relu(b.dense(x, units));
  b.section("head");
  b.activation("Sigmoid", b.dense(b.concat({factors, x}), 1));
  return b.finish("ncf");
}

}  // namespace corecast::graphs::models
