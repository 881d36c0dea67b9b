#include "base/quantity.hpp"

#include <ceres/jet.h>
#include <doctest/doctest.h>

#include <type_traits>

using namespace corecast;

namespace {
template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a < b;
};
}  // namespace

TEST_CASE("quotients and products carry their dimension") {
  // 100 B / 20 B/s = 5 s; 5 s x 20 B/s = 100 B
  const Seconds t = Bytes(100.0) / BytesPerSecond(20.0);
  CHECK(t.value() == 5.0);
  CHECK((t * BytesPerSecond(20.0)).value() == 100.0);
  CHECK((Flops(8.0) / FlopsPerSecond(2.0)).value() == 4.0);
  CHECK((1.0 / Hertz(4.0)).value() == 0.25);
  static_assert(std::is_same_v<decltype(Flops(1.0) / Seconds(1.0)), FlopsPerSecond>);
}

TEST_CASE("a quotient without dimension is a plain number") {
  static_assert(std::is_same_v<decltype(Bytes(1.0) / Bytes(2.0)), double>);
  CHECK(Bytes(1.0) / Bytes(2.0) == 0.5);
}

TEST_CASE("quantities of different dimensions do not mix") {
  static_assert(Addable<Bytes, Bytes>);
  static_assert(!Addable<Bytes, Seconds>);
  static_assert(!Addable<Bytes, double>);
  static_assert(!Comparable<Bytes, Flops>);
  static_assert(!std::is_convertible_v<double, Seconds>);
  static_assert(!std::is_convertible_v<Seconds, double>);
}

TEST_CASE("a formula on a Ceres jet carries the derivative") {
  // t = Q / b, dt/db = -Q / b^2: at Q = 8, b = 2: t = 4, dt/db = -2
  using Jet = ceres::Jet<double, 1>;
  const BytesOf<Jet> q{Jet(8.0)};
  const BytesPerSecondOf<Jet> b{Jet(2.0, 0)};
  const SecondsOf<Jet> t = q / b;
  CHECK(t.value().a == 4.0);
  CHECK(t.value().v[0] == -2.0);
  // A constant may be used where a fitted value is wanted.
  const SecondsOf<Jet> constant = Seconds(3.0);
  CHECK(constant.value().a == 3.0);
  CHECK(constant.value().v[0] == 0.0);
}
