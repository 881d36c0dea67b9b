#include "sim/packing.hpp"

namespace corecast::sim {

Packing packing(const graphs::Operator& op, const KernelModel& kernel, double clock, int threads) {
  Packing time;
  if (!op.matrix || !(clock > 0.0)) return time;
  const double cycle = op.work.weights_read.value() / clock;
  time.parallel = Seconds(kernel.pack_cycles_per_byte * cycle / threads);
  const bool odd = threads > 1 && threads % 2 == 1;
  if (odd && op.matrix->m >= kernel.odd_team.rows) {
    time.serial = Seconds(kernel.odd_team.cycles_per_byte * cycle);
  }
  return time;
}

}  // namespace corecast::sim
