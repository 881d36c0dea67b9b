// Indices that do not mix: an OpIndex cannot be used where a WorkerIndex is wanted.
#pragma once

#include <compare>
#include <cstddef>

namespace corecast {

template <typename Tag>
class Index {
 public:
  constexpr Index() = default;
  constexpr explicit Index(std::size_t value) : value_(value) {}
  [[nodiscard]] constexpr std::size_t value() const { return value_; }
  friend constexpr auto operator<=>(const Index&, const Index&) = default;

 private:
  std::size_t value_ = 0;
};

using OpIndex = Index<struct OpTag>;
using WorkerIndex = Index<struct WorkerTag>;
using ResourceIndex = Index<struct ResourceTag>;

}  // namespace corecast
