// Costs of threads, and kernels of libraries.
#include "fit_support.hpp"

namespace corecast::calibration {
namespace {

Row barrier_row(int threads, double seconds) {
  return row(Group::threads, "barrier_spin", threads, Unit::seconds, {seconds});
}

TEST_CASE("barriers give the cost of two threads and of each doubling") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {barrier_row(2, 100e-9), barrier_row(4, 180e-9), barrier_row(8, 260e-9), barrier_row(16, 340e-9)};
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "threads.barrier").value == doctest::Approx(100e-9).epsilon(1e-3));
  CHECK(parameter(fitted, "threads.barrier_per_doubling").value == doctest::Approx(80e-9).epsilon(1e-3));
  CHECK(parameter(fitted, "threads.wake_up").status == Status::not_measured);
  CHECK(parameter(fitted, "threads.time_slice").status == Status::not_measured);
}

TEST_CASE("two threads alone leave the doublings at their prior") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {barrier_row(2, 100e-9)};
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "threads.barrier").value == doctest::Approx(100e-9));
  CHECK(parameter(fitted, "threads.barrier_per_doubling").status == Status::not_measured);
}

TEST_CASE("what another core has written comes at one rate from its L1 and at another from its L2") {
  Measurements m;
  m.machine = machine_named("xeon-8180");  // L1 32 KiB, L2 1 MiB
  const auto peer_row = [](double bytes, double seconds) {
    Row made = row(Group::threads, "peer_read", 2, Unit::seconds, {seconds});
    made.cores = 2;
    made.working_set = Bytes(bytes);
    return made;
  };
  // 16 KiB at 10.24 GB/s: 1.6 us. 512 KiB: 32 KiB at that, 3.2 us, the other 480 KiB at 20 GB/s, 24.576 us.
  m.rows = {peer_row(16384.0, 1.6e-6), peer_row(524288.0, 27.776e-6)};
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "caches.l1.peer_bandwidth").value == doctest::Approx(10.24e9).epsilon(0.01));
  CHECK(parameter(fitted, "caches.l2.peer_bandwidth").value == doctest::Approx(20e9).epsilon(0.01));
}

TEST_CASE("more spinning threads than CPUs show the time slice") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  for (const int threads : {8, 16}) {
    m.rows.push_back(barrier_row(4, (threads / 4 - 1) * 2.8e-3));
    m.rows.back().threads = threads;
    m.rows.back().note = "not pinned one to one";
  }
  // As many threads as CPUs, free to wander: not a barrier of a pool.
  m.rows.push_back(barrier_row(4, 5e-6));
  m.rows.back().note = "1 spinning per CPU, not pinned one to one";
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "threads.time_slice").value == doctest::Approx(2.8e-3).epsilon(1e-3));
  CHECK(parameter(fitted, "threads.barrier").status == Status::not_identified);
  CHECK(fitted.residuals.size() == 2);
}

Row gemm_row(std::int64_t m, std::int64_t n, std::int64_t k, Unit unit, double sample) {
  Row made = row(Group::kernels, "gemm", 1, unit, {sample});
  made.library = "oneDNN 2.6.3";
  made.type = DataType::fp32;
  made.shape = {{"m", m}, {"n", n}, {"k", k}};
  return made;
}

TEST_CASE("kernels of a library come out of a grid of shapes and threads") {
  const auto known = machine_named("xeon-8180");
  auto truth = known;
  truth.kernels.push_back(some_gemm());
  const Measurements m = only(synthetic_measurements(truth, known, {0.0, 0.0, 3, 1, true}), Group::kernels);
  const Calibration fitted = fit(m);
  REQUIRE(fitted.machine.kernels.size() == 1);
  CHECK(fitted.machine.kernels[0].library == "onednn");
  const std::string prefix = "kernels.onednn.gemm.fp32.";
  CHECK(parameter(fitted, prefix + "efficiency").value == doctest::Approx(0.85).epsilon(0.01));
  CHECK(parameter(fitted, prefix + "memory_efficiency").value == doctest::Approx(0.8).epsilon(0.01));
  CHECK(parameter(fitted, prefix + "k_half").value == doctest::Approx(20.0).epsilon(0.02));
  CHECK(parameter(fitted, prefix + "n_half").value == doctest::Approx(6.0).epsilon(0.05));
  CHECK(parameter(fitted, prefix + "m_half").value == doctest::Approx(3.0).epsilon(0.05));
  CHECK(parameter(fitted, prefix + "smoothing").value == doctest::Approx(4.0).epsilon(0.1));
}

TEST_CASE("few rows give few parameters, and the others say why they stay neutral") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  // 100 Gflop/s on one core, whose peak is 64 x 3.572 GHz = 228.6.
  for (int i = 0; i < 4; ++i) m.rows.push_back(gemm_row(512, 512, 512, Unit::flop_per_second, 100e9));
  const Calibration fitted = fit(m);
  const std::string prefix = "kernels.onednn.gemm.fp32.";
  CHECK(parameter(fitted, prefix + "efficiency").value == doctest::Approx(100.0 / 228.6).epsilon(0.02));
  CHECK(parameter(fitted, prefix + "m_half").value == 0.0);
  CHECK(parameter(fitted, prefix + "m_half").status == Status::not_identified);
  CHECK(parameter(fitted, prefix + "m_half").why == "4 rows are too few for it");
}

TEST_CASE("a rate and the time it stands for are the same row") {
  const auto machine = [] {
    auto with = machine_named("xeon-8180");
    with.kernels.push_back(some_gemm());
    return with;
  }();
  const double seconds = *predicted(machine, gemm_row(256, 128, 512, Unit::seconds, 1.0));
  const double rate = *predicted(machine, gemm_row(256, 128, 512, Unit::flop_per_second, 1.0));
  CHECK(rate * seconds == doctest::Approx(2.0 * 256 * 128 * 512));
}

TEST_CASE("a kernel that only moves data shows the share of bandwidth it reaches") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  const double b1 = m.machine.memory.core_bandwidth.value.value();
  for (int i = 0; i < 8; ++i) {
    Row pass = row(Group::kernels, "elementwise", 1, Unit::seconds, {1e9 / (0.9 * b1)});
    pass.library = "oneDNN";
    pass.type = DataType::fp32;
    pass.bytes = pass.working_set = Bytes(1e9);
    m.rows.push_back(pass);
  }
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "kernels.onednn.elementwise.fp32.memory_efficiency").value ==
        doctest::Approx(0.9).epsilon(0.01));
  CHECK(parameter(fitted, "kernels.onednn.elementwise.fp32.efficiency").status == Status::not_identified);
}

}  // namespace
}  // namespace corecast::calibration
