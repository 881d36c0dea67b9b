#include "tests/sim/real_pools/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/dag.hpp"

namespace corecast::test {

graphs::Graph wide(int width) {
  std::string text = "first -> ";
  for (int i = 0; i < width; ++i) text += fmt::format("{}b{}", i == 0 ? "" : ",", i);
  return dag(text + " -> last");
}

graphs::Graph binary_tree(int leaves) {
  std::string text;
  for (int i = 0; i < leaves; ++i) text += fmt::format("{}n{}", i == 0 ? "" : ",", i);
  // Node k of the inner ones joins nodes 2k and 2k + 1 of all.
  for (int k = 0; k < leaves - 1; ++k) {
    text += fmt::format("; n{},n{} -> n{}", 2 * k, 2 * k + 1, leaves + k);
  }
  return dag(text);
}

graphs::Graph inception_like(int modules) {
  std::string text = "stem";
  std::string before = "stem";
  for (int m = 0; m < modules; ++m) {
    text += fmt::format(
        "; {1} -> a{0},b{0},c{0},d{0}; b{0} -> b{0}.2; c{0} -> c{0}.2 -> c{0}.3; d{0} -> d{0}.2; "
        "a{0},b{0}.2,c{0}.3,d{0}.2 -> join{0}",
        m, before);
    before = fmt::format("join{}", m);
  }
  return dag(text);
}

graphs::Graph chains_joining(int chains, int length) {
  std::string text = "start";
  std::string before = "start";
  for (int half = 0; half < 2; ++half) {
    for (int c = 0; c < chains; ++c) {
      text += "; " + before;
      for (int i = 0; i < length; ++i) text += fmt::format(" -> h{}c{}.{}", half, c, i);
      text += fmt::format(" -> join{}", half);
    }
    before = fmt::format("join{}", half);
  }
  return dag(text);
}

graphs::Graph random_dag(int operators, int reach, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  graphs::Graph graph;
  for (int i = 0; i < operators; ++i) {
    graphs::Operator op;
    op.name = fmt::format("r{}", i);
    const OpIndex added = graph.add(op);
    if (i == 0 || below(5) == 0) continue;
    for (int k = 1 + below(3); k > 0; --k) {
      graph.connect(OpIndex(static_cast<std::size_t>(i - 1 - below(std::min(i, reach)))), added, Bytes{});
    }
  }
  return graph;
}

}  // namespace corecast::test
