// Reading what another core has just written: seconds for one core to read `bytes`, the writer spinning meanwhile.
//
// The writer's stores leave the lines modified in its own caches, the last bytes in its L1, the others in its L2; reading
// them takes a snoop each. That is what a thread of a pool meets at the start of every operator.
#include <atomic>
#include <stdexcept>

#include "calibration/microbench/buffer.hpp"
#include "calibration/microbench/points.hpp"
#include "calibration/microbench/thread_benchmarks.hpp"
#include "calibration/microbench/waiting.hpp"
#include "calibration/microbench/wall_clock.hpp"

namespace corecast::calibration::microbench {
namespace {

constexpr std::size_t kBlock = 16;  // floats, that streams come in
// Most of the wall time is the other thread's, writing.
constexpr double kShareOfBudget = 0.4;

struct Exchange {
  alignas(kApart) std::atomic<std::uint32_t> written{0}, read{0};
};

}  // namespace

ThreadResult peer_read(const ThreadSetting& setting) {
  if (setting.streams == nullptr) throw std::runtime_error("no streaming kernels for this CPU");
  const std::size_t floats =
      static_cast<std::size_t>(setting.bytes.value() / sizeof(float)) / kBlock * kBlock;
  const Buffer buffer(floats * sizeof(float), Pages::huge);
  auto* const memory = reinterpret_cast<float*>(buffer.data());
  Team team(cpu_numbers(setting.seats));
  Exchange exchange;
  std::uint32_t turn = 0;
  volatile std::uint32_t checksum = 0;
  const auto run = [&](std::int64_t operations) {
    const auto turns = static_cast<std::uint32_t>(operations);
    Seconds sum{};
    team.run([&](int thread) {
      for (std::uint32_t i = turn; i != turn + turns; ++i) {
        if (thread == 1) {
          setting.streams->write(memory, static_cast<float>(i), floats, 1);
          exchange.written.store(i + 1, std::memory_order_release);
          Spinning::until_changed(exchange.read, i);
        }
        if (thread == 0) {
          Spinning::until_changed(exchange.written, i);
          const auto start = Clock::now();
          checksum = checksum + setting.streams->read(memory, floats, 1);
          sum += since(start);
          exchange.read.store(i + 1, std::memory_order_release);
        }
      }
    });
    turn += turns;
    return sum;
  };
  SamplingOptions options = setting.options;
  options.budget = kShareOfBudget * options.budget;
  return {sample(run, options), team.not_pinned()};
}

}  // namespace corecast::calibration::microbench
