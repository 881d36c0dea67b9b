// Physical quantities as types: a wrong dimension does not compile.
//
// Quantity<T, D, W> stands for second^T byte^D flop^W. Base units inside (s, B, flop); text with prefixes
// only at the border (quantity_text.hpp). Rep is double, or ceres::Jet where a formula is fitted: each
// equation is written once, as a template on Rep.
#pragma once

#include <cmath>
#include <compare>
#include <type_traits>

namespace corecast {

template <int T, int D, int W, typename Rep = double>
class Quantity {
 public:
  using rep = Rep;
  static constexpr int time = T, data = D, work = W;

  constexpr Quantity() : value_(0) {}
  constexpr explicit Quantity(Rep value) : value_(value) {}

  // In base units.
  [[nodiscard]] constexpr const Rep& value() const { return value_; }

  // A plain constant may meet a fitted value; the other way round does not compile.
  template <typename Other>
  requires(!std::is_same_v<Other, Rep> && std::is_constructible_v<Rep, Other> &&
           std::is_same_v<Other, double>) constexpr Quantity(const Quantity<T, D, W, Other>& other)
      : value_(Rep(other.value())) {}  // NOLINT

  constexpr Quantity& operator+=(const Quantity& other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(const Quantity& other) {
    value_ -= other.value_;
    return *this;
  }
  constexpr Quantity& operator*=(const Rep& factor) {
    value_ *= factor;
    return *this;
  }
  constexpr Quantity& operator/=(const Rep& factor) {
    value_ /= factor;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, const Rep& factor) { return a *= factor; }
  friend constexpr Quantity operator*(const Rep& factor, Quantity a) { return a *= factor; }
  friend constexpr Quantity operator/(Quantity a, const Rep& factor) { return a /= factor; }
  friend constexpr bool operator==(const Quantity& a, const Quantity& b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(const Quantity& a, const Quantity& b) { return !(a == b); }
  friend constexpr bool operator<(const Quantity& a, const Quantity& b) { return a.value_ < b.value_; }
  friend constexpr bool operator>(const Quantity& a, const Quantity& b) { return b < a; }
  friend constexpr bool operator<=(const Quantity& a, const Quantity& b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>=(const Quantity& a, const Quantity& b) { return b <= a; }

 private:
  Rep value_;
};

namespace detail {
// A quotient without dimension is a plain number.
template <int T, int D, int W, typename Rep>
constexpr auto quantity_or_number(const Rep& value) {
  if constexpr (T == 0 && D == 0 && W == 0) {
    return value;
  } else {
    return Quantity<T, D, W, Rep>(value);
  }
}
}  // namespace detail

template <int T1, int D1, int W1, int T2, int D2, int W2, typename A, typename B>
constexpr auto operator*(const Quantity<T1, D1, W1, A>& a, const Quantity<T2, D2, W2, B>& b) {
  using Rep = decltype(a.value() * b.value());
  return detail::quantity_or_number<T1 + T2, D1 + D2, W1 + W2, Rep>(a.value() * b.value());
}

template <int T1, int D1, int W1, int T2, int D2, int W2, typename A, typename B>
constexpr auto operator/(const Quantity<T1, D1, W1, A>& a, const Quantity<T2, D2, W2, B>& b) {
  using Rep = decltype(a.value() / b.value());
  return detail::quantity_or_number<T1 - T2, D1 - D2, W1 - W2, Rep>(a.value() / b.value());
}

template <int T, int D, int W, typename Rep>
constexpr auto operator/(double a, const Quantity<T, D, W, Rep>& b) {
  return detail::quantity_or_number<-T, -D, -W, Rep>(a / b.value());
}

template <typename Rep>
using SecondsOf = Quantity<1, 0, 0, Rep>;
template <typename Rep>
using BytesOf = Quantity<0, 1, 0, Rep>;
template <typename Rep>
using FlopsOf = Quantity<0, 0, 1, Rep>;
template <typename Rep>
using HertzOf = Quantity<-1, 0, 0, Rep>;
template <typename Rep>
using BytesPerSecondOf = Quantity<-1, 1, 0, Rep>;
template <typename Rep>
using FlopsPerSecondOf = Quantity<-1, 0, 1, Rep>;

using Seconds = SecondsOf<double>;
using Bytes = BytesOf<double>;
using Flops = FlopsOf<double>;
using Hertz = HertzOf<double>;
using BytesPerSecond = BytesPerSecondOf<double>;
using FlopsPerSecond = FlopsPerSecondOf<double>;

}  // namespace corecast
