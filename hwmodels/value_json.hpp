// One value with its origin, as it stands in machine and runtime files:
//   "128 GB/s"                                                         exact text, origin of the enclosing file
//   {"value": "128 GB/s", "relative_error": 0.05, "origin": "datasheet", "from": "..."}
//   {"value": "128 GB/s", "std_error": "2 GB/s", ...}                   the error in the value's own unit
// Quantities are text with a unit; plain ratios are JSON numbers.
#pragma once

#include "base/json.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {

[[nodiscard]] Origin read_origin(const json::Value& value);

namespace detail {
template <typename Q>
[[nodiscard]] Q read_plain(const json::Value& value) {
  if constexpr (std::is_same_v<Q, double>) {
    return value.number();
  } else {
    return value.template quantity<Q>();
  }
}

template <typename Q>
[[nodiscard]] double magnitude(const Q& value) {
  if constexpr (std::is_same_v<Q, double>) {
    return value;
  } else {
    return value.value();
  }
}
}  // namespace detail

template <typename Q>
[[nodiscard]] Value<Q> read_value(const json::Value& value, Origin otherwise) {
  Value<Q> result;
  result.origin = otherwise;
  if (!value.is_object()) {
    result.value = detail::read_plain<Q>(value);
    return result;
  }
  json::Object object = value.object();
  result.value = detail::read_plain<Q>(object.required("value"));
  const auto relative = object.optional("relative_error");
  const auto absolute = object.optional("std_error");
  if (relative && absolute) value.fail("has both \"relative_error\" and \"std_error\", wanted one of them");
  if (relative) result.relative_error = relative->number(0.0, 10.0);
  if (absolute) {
    const double error = detail::magnitude(detail::read_plain<Q>(*absolute));
    const double of = detail::magnitude(result.value);
    if (error < 0.0) absolute->fail("must not be negative");
    if (of == 0.0 && error != 0.0) absolute->fail("cannot be given for a value of zero");
    result.relative_error = of == 0.0 ? 0.0 : error / (of < 0.0 ? -of : of);
  }
  if (const auto origin = object.optional("origin")) result.origin = read_origin(*origin);
  if (const auto from = object.optional("from")) result.from = from->text();
  object.finish();
  return result;
}

}  // namespace corecast::hwmodels
