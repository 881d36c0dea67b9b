#include "calibration/measurements.hpp"

#include <algorithm>

namespace corecast::calibration {
namespace {

constexpr std::array<std::string_view, 4> kUnitNames{"s", "flop/s", "B/s", "Hz"};
constexpr std::array<std::string_view, 3> kPlacementNames{"compact", "scattered", "remote"};

template <typename Enum, std::size_t N>
std::optional<Enum> named(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name_of(Group group) {
  return kGroupNames[static_cast<std::size_t>(group)];
}
std::optional<Group> group_named(std::string_view name) {
  return named<Group>(kGroupNames, name);
}
std::string_view name_of(Unit unit) {
  return kUnitNames[static_cast<std::size_t>(unit)];
}
std::optional<Unit> unit_named(std::string_view name) {
  return named<Unit>(kUnitNames, name);
}
std::string_view name_of(Placement placement) {
  return kPlacementNames[static_cast<std::size_t>(placement)];
}
std::optional<Placement> placement_named(std::string_view name) {
  return named<Placement>(kPlacementNames, name);
}

}  // namespace corecast::calibration
