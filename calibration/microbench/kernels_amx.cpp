// Tiles of 16 rows of 64 bytes: C += A B. Flags: -mamx-tile -mamx-int8 -mamx-bf16. The process must have asked the system
// for the tile registers first (kernels.cpp).
//
// Tiles 0..4 accumulate, 5 and 6 are x_0 and x_1, 7 is y; one instruction takes 16 cycles and its result 52, so four
// accumulators keep the unit busy. Layout of y: rows of k-groups, as the instruction set wants it (VNNI layout).
#include <immintrin.h>

#include "calibration/microbench/kernel_functions.hpp"

namespace corecast::calibration::microbench {
namespace {

constexpr int kTile = 1024;  // bytes
constexpr int kStride = 64;  // bytes of a row
constexpr int kAccumulators = 5;

struct alignas(64) TileConfiguration {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

void load_tiles(const void* start, const void* factors) {
  static constexpr TileConfiguration kConfiguration{};
  const char* c = static_cast<const char*>(start);
  const char* f = static_cast<const char*>(factors);
  _tile_loadconfig(&kConfiguration);
  _tile_loadd(0, c, kStride);
  _tile_loadd(1, c + kTile, kStride);
  _tile_loadd(2, c + 2 * kTile, kStride);
  _tile_loadd(3, c + 3 * kTile, kStride);
  _tile_loadd(4, c + 4 * kTile, kStride);
  _tile_loadd(5, f, kStride);
  _tile_loadd(6, f + kTile, kStride);
  _tile_loadd(7, f + 2 * kTile, kStride);
}

void store_tiles(void* result) {
  char* c = static_cast<char*>(result);
  _tile_stored(0, c, kStride);
  _tile_stored(1, c + kTile, kStride);
  _tile_stored(2, c + 2 * kTile, kStride);
  _tile_stored(3, c + 3 * kTile, kStride);
  _tile_stored(4, c + 4 * kTile, kStride);
  _tile_release();
}

// Tile numbers are part of the instruction, so the two types cannot share a template. The intrinsics are volatile asm:
// the compiler keeps every one of them.
void multiply_add_int8(const void* start, const void* factors, void* result, int64_t rounds) {
  load_tiles(start, factors);
  for (int64_t round = 0; round < rounds; ++round) {
    _tile_dpbusd(0, 5, 7);
    _tile_dpbusd(1, 5, 7);
    _tile_dpbusd(2, 5, 7);
    _tile_dpbusd(3, 5, 7);
    _tile_dpbusd(4, 5, 7);
    _tile_dpbusd(0, 6, 7);
    _tile_dpbusd(1, 6, 7);
    _tile_dpbusd(2, 6, 7);
    _tile_dpbusd(3, 6, 7);
    _tile_dpbusd(4, 6, 7);
  }
  store_tiles(result);
}

void multiply_add_bf16(const void* start, const void* factors, void* result, int64_t rounds) {
  load_tiles(start, factors);
  for (int64_t round = 0; round < rounds; ++round) {
    _tile_dpbf16ps(0, 5, 7);
    _tile_dpbf16ps(1, 5, 7);
    _tile_dpbf16ps(2, 5, 7);
    _tile_dpbf16ps(3, 5, 7);
    _tile_dpbf16ps(4, 5, 7);
    _tile_dpbf16ps(0, 6, 7);
    _tile_dpbf16ps(1, 6, 7);
    _tile_dpbf16ps(2, 6, 7);
    _tile_dpbf16ps(3, 6, 7);
    _tile_dpbf16ps(4, 6, 7);
  }
  store_tiles(result);
}

constexpr PeakKernel tile_kernel(void (*run)(const void*, const void*, void*, int64_t), double products) {
  return {.run = run,
          .flop_per_round = 2.0 * kAccumulators * 2.0 * products,
          .accumulators = kAccumulators,
          .accumulator_bytes = kTile,
          .factor_bytes = kTile,
          .fused = true};
}

}  // namespace

const PeakKernel kAmxInt8Peak = tile_kernel(&multiply_add_int8, 16.0 * 16.0 * 64.0);
const PeakKernel kAmxBf16Peak = tile_kernel(&multiply_add_bf16, 16.0 * 16.0 * 32.0);

}  // namespace corecast::calibration::microbench
