// Microbenchmarks of one operator after another, after those of Wang et al., "Exploiting Parallelism Opportunities with
// Deep Learning Frameworks", ACM TACO 18(1) 9, 2020: MatMul-512, MatMul-4k, FC-512, FC-4k. The study gives the sizes.
// The number of links is ours: enough for a run to take longer than starting it.
#pragma once

#include <string>
#include <utility>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {

// x := x a, with two square matrices for each of the batch that both come from outside: no parameters.
inline WrittenModel matmul_chain(const BuildOptions& options, std::string name, std::int64_t size,
                                 int links) {
  Builder b(options.batch, options.type);
  auto x = b.input({size, size});
  const auto a = b.input({size, size});
  for (int link = 0; link < links; ++link) x = b.matmul(x, a);
  return b.finish(std::move(name));
}

// Fully connected layers with their activations, one row for each of the batch.
inline WrittenModel dense_chain(const BuildOptions& options, std::string name, std::int64_t units,
                                int links) {
  Builder b(options.batch, options.type);
  auto x = b.input({units});
  for (int link = 0; link < links; ++link) x = b.relu(b.dense(x, units));
  return b.finish(std::move(name));
}

}  // namespace corecast::graphs::models
