#include "sim/partition.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "hwmodels/kernel_time.hpp"

namespace corecast::sim {
namespace {

using graphs::MatrixShape;
using graphs::Operator;

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

double output_elements(const Operator& op) {
  double elements = 1.0;
  for (const std::int64_t d : op.output_shape) elements *= static_cast<double>(d);
  return elements;
}

Parts in_whole_units(std::int64_t units, int threads) {
  return {threads, hwmodels::imbalance(std::max<std::int64_t>(units, 1), threads)};
}

// The blocked kernels know four-dimensional tensors only.
bool is_blocked_shape(const Operator& op) {
  return op.output_shape.size() == 4;
}

Parts blocked(const Operator& op, const Cutting& cutting, int block, int threads) {
  const std::int64_t images = op.output_shape[0];
  const std::int64_t channels = op.output_shape[1];
  const std::int64_t rows = std::max<std::int64_t>(op.output_shape[2], 1);
  std::int64_t units = 0;
  if (op.matrix && op.kernel != KernelClass::conv_depthwise) {
    const std::int64_t groups =
        std::max<std::int64_t>(op.matrix->batch / std::max<std::int64_t>(images, 1), 1);
    units = images * groups *
            divide_up(op.matrix->n, static_cast<std::int64_t>(cutting.nchwc_filter_blocks) * block) * rows;
  } else {
    units = divide_up(images * channels, block) * rows;
  }
  return in_whole_units(units, threads);
}

// Of one of `steps` that follow one another: its share of the batch.
MatrixShape of_a_step(MatrixShape shape, std::int64_t steps) {
  shape.batch = std::max<std::int64_t>(shape.batch / std::max<std::int64_t>(steps, 1), 1);
  return shape;
}

Parts product(const MatrixShape& shape, const Cutting& cutting, int threads) {
  const double multiplications =
      static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const double wanted = std::floor(multiplications / cutting.gemm_multiplications_per_part) + 1.0;
  const auto parts = static_cast<std::int64_t>(
      std::min<double>({wanted, static_cast<double>(cutting.gemm_max_parts), static_cast<double>(threads)}));
  // One-dimensional: along the longer side, in whole columns' groups or single rows.
  const std::int64_t lines =
      std::max<std::int64_t>(shape.n > shape.m ? divide_up(shape.n, cutting.gemm_columns) : shape.m, 1);
  const std::int64_t parts_each = std::min(divide_up(parts, std::max<std::int64_t>(shape.batch, 1)), lines);
  const std::int64_t items = std::max<std::int64_t>(shape.batch, 1) * parts_each;
  const int used = static_cast<int>(std::min<std::int64_t>(items, threads));
  // Uneven lines within one product times uneven items over the threads.
  const double within = hwmodels::imbalance(lines, static_cast<int>(parts_each));
  return {used, within * hwmodels::imbalance(items, used)};
}

Parts by_elements(const Operator& op, const Cutting& cutting, int threads) {
  const double cycles = cutting.element_cycles_per_byte * op.work.traffic().value() + op.work.flops.value();
  if (cycles < cutting.element_cycles_to_cut) return {1, 1.0};
  const double blocks = std::floor(cycles / cutting.element_cycles_per_block);
  threads = static_cast<int>(std::clamp(blocks, 1.0, static_cast<double>(threads)));
  // Four blocks a thread are claimed one by one: what is left uneven is one block at the most, and small.
  return {threads, 1.0};
}

Parts by_rows(const Operator& op, const Cutting& cutting, int threads) {
  const double wanted = std::floor(output_elements(op) / cutting.row_elements_per_part) + 1.0;
  const double rows = static_cast<double>(op.work.units);
  const int parts = static_cast<int>(std::max(1.0, std::min({static_cast<double>(threads), rows, wanted})));
  return in_whole_units(op.work.units, parts);
}

Parts by_grain(const Operator& op, const Cutting& cutting, int threads) {
  const double blocks = std::ceil(output_elements(op) / cutting.grain_elements);
  if (blocks <= 1.0) return {1, 1.0};
  const double all = threads;
  return {threads, all / std::min(all, blocks)};
}

}  // namespace

Parts partition(const Operator& op, const KernelModel& kernel, const Cutting& cutting, int channel_block,
                int threads) {
  CORECAST_CHECK(threads >= 1 && channel_block >= 1, "threads={} block={}", threads, channel_block);
  if (threads == 1) return {1, 1.0};
  switch (kernel.cut) {
    case Cut::whole:
      return {1, 1.0};
    case Cut::nchwc:
      if (is_blocked_shape(op)) return blocked(op, cutting, channel_block, threads);
      return op.matrix ? product(*op.matrix, cutting, threads) : by_rows(op, cutting, threads);
    case Cut::gemm:
      return op.matrix ? product(of_a_step(*op.matrix, op.work.steps), cutting, threads)
                       : by_rows(op, cutting, threads);
    case Cut::elements:
      return by_elements(op, cutting, threads);
    case Cut::rows:
      return by_rows(op, cutting, threads);
    case Cut::grain:
      return by_grain(op, cutting, threads);
    case Cut::team:
      return in_whole_units(op.work.units, threads);
  }
  return {1, 1.0};
}

}  // namespace corecast::sim
