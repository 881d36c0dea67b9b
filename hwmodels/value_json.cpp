#include "hwmodels/value_json.hpp"

#include <array>

#include "base/error.hpp"

namespace corecast::hwmodels {

Origin read_origin(const json::Value& value) {
  const std::string name = value.text();
  if (const auto origin = origin_named(name)) return *origin;
  constexpr std::array<std::string_view, 5> known{"measured", "fitted", "datasheet", "detected", "prior"};
  value.fail("unknown origin " + quote(name), did_you_mean(name, known));
}

}  // namespace corecast::hwmodels
