// A random DAG, the same at every call: eight levels of four products of random sizes. Each reads one result of the
// level before, which makes the levels, and every second one also another result from anywhere before.
#include <string>
#include <vector>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

constexpr std::int64_t kRows = 64;

// splitmix64 (Steele et al., OOPSLA 2014): the library's distributions differ from one library to the next.
class Random {
 public:
  std::size_t below(std::size_t n) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ (z >> 31U)) % n);
  }

 private:
  std::uint64_t state_ = 2020;
};

}  // namespace

WrittenModel random_dag(const BuildOptions& options) {
  constexpr std::size_t kLevels = 8;
  constexpr std::size_t kWidth = 4;
  Random random;
  Builder b(options.batch, options.type);
  std::vector<Tensor> made{b.input({kRows, 256})};
  std::vector<bool> read{true};
  for (std::size_t level = 0; level < kLevels; ++level) {
    b.section("level" + std::to_string(level));
    const std::size_t before = made.size();
    for (std::size_t i = 0; i < kWidth; ++i) {
      const std::size_t first = level == 0 ? 0 : before - kWidth + random.below(kWidth);
      const std::size_t second = random.below(2 * before);
      std::vector<Tensor> parents{made[first]};
      read[first] = true;
      if (second < before && second != first) {
        parents.push_back(made[second]);
        read[second] = true;
      }
      const Tensor x = parents.size() == 1 ? parents.front() : b.concat(parents, 1);
      made.push_back(b.relu(b.project(x, std::int64_t{128} << random.below(3))));
      read.push_back(false);
    }
  }
  b.section("join");
  std::vector<Tensor> unread;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!read[i]) unread.push_back(made[i]);
  }
  b.concat(unread, 1);
  return b.finish("random_dag");
}

}  // namespace corecast::graphs::models
