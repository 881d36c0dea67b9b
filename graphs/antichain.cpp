#include "graphs/antichain.hpp"

#include <limits>

namespace corecast::graphs {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Each element stands on the left as "comes before" and on the right as "comes after".
class Matching {
 public:
  explicit Matching(const std::vector<std::vector<std::uint32_t>>& after)
      : after_(after), right_of_(after.size(), kNone), left_of_(after.size(), kNone), layer_(after.size()) {}

  std::int64_t size() {
    std::int64_t matched = 0;
    for (std::uint32_t v = 0; v < after_.size(); ++v) matched += take_first_free(v) ? 1 : 0;
    while (layer_from_free()) {
      next_.assign(after_.size(), 0);
      for (std::uint32_t v = 0; v < after_.size(); ++v) {
        if (right_of_[v] == kNone && augment(v)) ++matched;
      }
    }
    return matched;
  }

 private:
  void match(std::uint32_t left, std::uint32_t right) {
    right_of_[left] = right;
    left_of_[right] = left;
  }

  // Greedy start: leaves little to the rounds, nothing at all for a chain.
  bool take_first_free(std::uint32_t left) {
    for (const std::uint32_t right : after_[left]) {
      if (left_of_[right] != kNone) continue;
      match(left, right);
      return true;
    }
    return false;
  }

  // Breadth first over alternating paths from the free left elements; true when one ends at a free right
  // element.
  bool layer_from_free() {
    std::vector<std::uint32_t> queue;
    for (std::uint32_t v = 0; v < after_.size(); ++v) {
      layer_[v] = right_of_[v] == kNone ? 0 : kNone;
      if (layer_[v] == 0) queue.push_back(v);
    }
    bool reached = false;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t right : after_[queue[i]]) {
        const std::uint32_t owner = left_of_[right];
        if (owner == kNone) {
          reached = true;
        } else if (layer_[owner] == kNone) {
          layer_[owner] = layer_[queue[i]] + 1;
          queue.push_back(owner);
        }
      }
    }
    return reached;
  }

  // Depth first along the layers, without recursion: a path may be as long as the order has elements.
  bool augment(std::uint32_t start) {
    std::vector<std::uint32_t> path{start};
    while (!path.empty()) {
      const std::uint32_t v = path.back();
      if (next_[v] == after_[v].size()) {
        layer_[v] = kNone;
        path.pop_back();
        if (!path.empty()) ++next_[path.back()];
        continue;
      }
      const std::uint32_t right = after_[v][next_[v]];
      const std::uint32_t owner = left_of_[right];
      if (owner == kNone) {
        for (const std::uint32_t left : path) match(left, after_[left][next_[left]]);
        return true;
      }
      if (layer_[owner] == layer_[v] + 1) {
        path.push_back(owner);
      } else {
        ++next_[v];
      }
    }
    return false;
  }

  const std::vector<std::vector<std::uint32_t>>& after_;
  std::vector<std::uint32_t> right_of_;
  std::vector<std::uint32_t> left_of_;
  std::vector<std::uint32_t> layer_;
  std::vector<std::size_t> next_;  // of each left element: the first entry of after_ not tried in this round
};

}  // namespace

std::int64_t largest_antichain(const std::vector<std::vector<std::uint32_t>>& after) {
  return static_cast<std::int64_t>(after.size()) - Matching(after).size();
}

}  // namespace corecast::graphs
