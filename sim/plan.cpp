#include "sim/plan.hpp"

namespace corecast::sim {

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute";
    case Bound::memory:
      return "memory";
    case Bound::cache:
      return "cache";
    case Bound::overhead:
      return "overhead";
    case Bound::serial:
      return "serial";
  }
  return "?";
}

}  // namespace corecast::sim
