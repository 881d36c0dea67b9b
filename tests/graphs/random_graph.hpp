// Random DAGs for properties, written as text so that a failing case can be read and pasted into a test.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace corecast::test {

// Operators v0, v1, ..., each with one of the attribute texts; edges lead from lower to higher numbers, one in
// `one_edge_in` of those possible. Operators are made in reverse, so that indices are no topological order.
inline rc::Gen<std::string> random_dag(std::vector<std::string> attributes, int most, int one_edge_in) {
  return rc::gen::exec([=] {
    const int size = *rc::gen::inRange(1, most + 1);
    std::string text;
    for (int v = size; v-- > 0;) {
      text += fmt::format("v{}:{}; ", v, *rc::gen::elementOf(attributes));
    }
    for (int to = 0; to < size; ++to) {
      for (int from = 0; from < to; ++from) {
        if (*rc::gen::inRange(0, one_edge_in) == 0) {
          text += fmt::format("v{} -[{}B]-> v{}; ", from, *rc::gen::inRange(0, 9), to);
        }
      }
    }
    return text;
  });
}

}  // namespace corecast::test
