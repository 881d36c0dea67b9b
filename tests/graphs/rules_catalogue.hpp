// One valid node for every family of work rules, for properties that hold for all of them.
#pragma once

#include <string>
#include <vector>

#include "tests/graphs/rules_node.hpp"

namespace corecast::test {

struct Example {
  std::string type;
  std::string tensors;  // "B" stands for the batch
  Attributes attributes;
  bool proportional = true;  // flop grow with the batch; false: they hold a part that does not
};

[[nodiscard]] const std::vector<Example>& rule_examples();

}  // namespace corecast::test
