// Four equal branches between a split and a join, four times over: the plainest graph that wants operators to run side
// by side. Every heavy operator has three companions, so that the average width is 4.
#include <string>
#include <vector>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {

WrittenModel fork_join(const BuildOptions& options) {
  constexpr std::int64_t kRows = 128;
  constexpr std::int64_t kWidth = 512;
  constexpr int kStages = 4;
  constexpr int kBranches = 4;
  Builder b(options.batch, options.type);
  auto x = b.input({kRows, kWidth});
  for (int stage = 0; stage < kStages; ++stage) {
    b.section("stage" + std::to_string(stage));
    const auto split = b.relu(x);
    std::vector<Builder::Argument> branches;
    for (int branch = 0; branch < kBranches; ++branch) {
      branches.emplace_back(b.project(b.relu(b.project(split, kWidth)), kWidth));
    }
    x = b.node("Sum", branches, b.shape(split));
  }
  return b.finish("fork_join");
}

}  // namespace corecast::graphs::models
