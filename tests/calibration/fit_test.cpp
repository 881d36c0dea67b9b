// The fit as a whole: what it says of every value, what it leaves alone, and that it fails in words.
#include <set>

#include "base/error.hpp"
#include "fit_support.hpp"

namespace corecast::calibration {
namespace {

TEST_CASE("without noise the truth comes back") {
  for (const char* name : {"xeon-8180", "epyc-7742", "graviton3", "epyc-9654"}) {
    CAPTURE(name);
    const auto known = machine_named(name);
    const auto truth = truth_near(known);
    const Calibration fitted = fit(synthetic_measurements(truth, known, {0.0, 0.0, 3, 1, false}));
    REQUIRE(fitted.converged);
    const MachineIndex index(truth);
    int n_fitted = 0;
    for (const Parameter& found : fitted.parameters) {
      if (found.status != Status::fitted || index.find(found.path) == nullptr) continue;
      CAPTURE(found.path);
      CHECK(found.value == doctest::Approx(index.at(found.path).value).epsilon(0.01));
      ++n_fitted;
    }
    CHECK(n_fitted >= 22);
    for (const ResidualGroup& group : fitted.groups) CHECK(group.worst < 0.01);
  }
}

TEST_CASE("predicted() and the fit's residuals agree on every row") {
  const auto known = machine_named("epyc-7742");
  auto truth = truth_near(known);
  truth.kernels.push_back(some_gemm());
  const Measurements m = synthetic_measurements(truth, known);
  const Calibration fitted = fit(m);
  CHECK(fitted.residuals.size() == m.rows.size());
  for (const Residual& residual : fitted.residuals) {
    const Row& measured = m.rows[residual.row];
    CHECK(residual.modelled == *predicted(fitted, measured));
    CHECK(residual.measured == median(measured.samples));
    CHECK(residual.relative == doctest::Approx(residual.modelled / residual.measured - 1.0));
    const bool by_machine_alone =
        measured.kernel != "copy" && measured.kernel != "triad" && measured.group != Group::kernels;
    if (by_machine_alone) CHECK(residual.modelled == *predicted(fitted.machine, measured));
  }
}

TEST_CASE("every value of the machine has a status, and a reason unless it was fitted") {
  const auto known = machine_named("xeon-8180");
  const Calibration fitted = fit(synthetic_measurements(truth_near(known), known));
  std::set<std::string> listed;
  for (const Parameter& found : fitted.parameters) {
    CAPTURE(found.path);
    CHECK(listed.insert(found.path).second);
    if (found.status == Status::fitted && !found.path.ends_with(".size")) {
      CHECK(found.relative_error >= 0.01);  // the floor: never exact
      CHECK(found.rows > 0);
    }
    if (found.status != Status::fitted) CHECK_FALSE(found.why.empty());
  }
  for (const MachineValue& value : values_of(fitted.machine)) CHECK(listed.contains(value.path));
}

TEST_CASE("what a host cannot show is said in its own words") {
  auto known = machine_named("xeon-8180");
  known.sockets = 1;
  known.link.reset();
  known.groups[0].smt = 1;
  known.groups[0].smt_gain_compute.value = known.groups[0].smt_gain_memory.value = 1.0;
  Measurements m = only(synthetic_measurements(truth_near(known), known), Group::bandwidth);
  m.context.not_measured = {"threads: could not be pinned"};
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "link.bandwidth").why == "one socket");
  CHECK(parameter(fitted, "smt_gain.compute").why == "no SMT");
  CHECK(parameter(fitted, "smt_gain.memory").why == "no SMT");
  CHECK(parameter(fitted, "threads.barrier").why == "threads: could not be pinned");
  CHECK(parameter(fitted, "memory.latency").why == "no rows of group latency in the measurements");
  CHECK(parameter(fitted, "caches.l1.size").why == "a design number, not fitted");
  CHECK(fitted.machine.threads == known.threads);
}

TEST_CASE("fitted values name their rows; the others stay as they were") {
  const auto known = machine_named("xeon-8180");
  const Calibration fitted = fit(only(synthetic_measurements(truth_near(known), known), Group::bandwidth));
  CHECK(fitted.machine.memory.bandwidth.origin == hwmodels::Origin::fitted);
  CHECK(fitted.machine.memory.bandwidth.from.starts_with("fitted to "));
  CHECK(fitted.machine.groups == [&] {
    auto groups = known.groups;
    groups[0].smt_gain_memory = fitted.machine.groups[0].smt_gain_memory;
    return groups;
  }());
  CHECK(fitted.machine.threads == known.threads);
  CHECK(fitted.machine.name == known.name);
}

TEST_CASE("equal measurements give equal machines, whatever the order of rows") {
  const auto known = machine_named("xeon-8180");
  const Measurements m = synthetic_measurements(truth_near(known), known);
  const Calibration once = fit(m);
  CHECK(hwmodels::to_json_text(once.machine) == hwmodels::to_json_text(fit(m).machine));
  // To the last bit, whichever way round the rows come.
  Measurements reversed = m;
  std::reverse(reversed.rows.begin(), reversed.rows.end());
  const Calibration other = fit(reversed);
  for (const Parameter& found : once.parameters) {
    CHECK(parameter(other, found.path).value == found.value);
    CHECK(parameter(other, found.path).relative_error == found.relative_error);
  }
  for (const Residual& residual : other.residuals) {
    CHECK(residual.measured == median(reversed.rows[residual.row].samples));
  }
}

TEST_CASE("times twice as long give a machine half as fast") {
  const auto known = machine_named("xeon-8180");
  Measurements m = only(synthetic_measurements(truth_near(known), known), Group::bandwidth);
  const Calibration once = fit(m);
  for (Row& measured : m.rows) {
    for (double& sample : measured.samples) sample *= measured.unit == Unit::seconds ? 2.0 : 0.5;
  }
  const Calibration slower = fit(m);
  for (const char* path : {"memory.bandwidth", "memory.core_bandwidth", "caches.l1.bandwidth_per_core"}) {
    CHECK(parameter(slower, path).value == doctest::Approx(0.5 * parameter(once, path).value).epsilon(0.002));
  }
  CHECK(parameter(slower, "memory.saturation_shape").value ==
        doctest::Approx(parameter(once, "memory.saturation_shape").value).epsilon(0.01));
}

TEST_CASE("measurements without a usable row are a failure with a reason") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  const Calibration nothing = fit(m);
  CHECK_FALSE(nothing.converged);
  CHECK(nothing.failure == "no row that a closed form covers");
  CHECK(nothing.machine == m.machine);
  m.rows = {row(Group::threads, "task_queue", 4, Unit::seconds, {1e-6})};
  CHECK_FALSE(fit(m).converged);
}

TEST_CASE("samples that no measurement gives are refused with their place") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {read_row(1, 4e9, 10e9), read_row(2, 4e9, std::nan(""))};
  CHECK_THROWS_WITH_AS((void)fit(m), "rows[1].samples: is nan, must be finite and positive", InputError);
  m.rows[1].samples = {-1.0};
  CHECK_THROWS_AS((void)fit(m), InputError);
}

TEST_CASE("a unit that is wrong by a thousand is warned of in one sentence") {
  const auto known = machine_named("xeon-8180");
  Measurements m = only(synthetic_measurements(truth_near(known), known), Group::bandwidth);
  CHECK(fit(m).warnings.empty());
  for (Row& measured : m.rows) {
    for (double& sample : measured.samples) sample *= 1000.0;
  }
  const Calibration wrong = fit(m);
  const auto of = [&](std::string_view words) {
    return std::count_if(wrong.warnings.begin(), wrong.warnings.end(),
                         [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  CHECK(of("no machine is known to be like this") == 1);
  CHECK(of("memory.bandwidth") >= 1);
  CHECK(of("do not trust the parameters of: ") == 1);
  CHECK(parameter(wrong, "memory.bandwidth").odd);
}

TEST_CASE("one row of nonsense among good ones changes little") {
  const auto known = machine_named("xeon-8180");
  Measurements m = only(synthetic_measurements(truth_near(known), known), Group::bandwidth);
  const Calibration good = fit(m);
  for (Row& measured : m.rows) {
    if (measured.kernel != "read" || measured.cores != 16 || measured.working_set < Bytes(1e8)) continue;
    for (double& sample : measured.samples) sample *= 0.2;
    break;
  }
  const Calibration disturbed = fit(m);
  for (const char* path : {"memory.bandwidth", "memory.core_bandwidth"}) {
    CHECK(parameter(disturbed, path).value == doctest::Approx(parameter(good, path).value).epsilon(0.02));
  }
}

TEST_CASE("a noisy, throttled or shared host is warned of") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {read_row(1, 4e9, 10e9)};
  m.rows[0].samples = {9e9, 10e9, 11.5e9, 12e9, 8e9};
  m.context.clock_before = Hertz(3e9);
  m.context.clock_after = Hertz(2.4e9);
  m.context.throttled_periods = 12;
  m.context.steal_seconds = 3.0;
  m.context.granted_cpus = {0, 1};
  m.context.load_before = 1.7;
  const auto warnings = fit(m).warnings;
  REQUIRE(warnings.size() == 5);
  CHECK(warnings[0] == "bandwidth: 1 of 1 rows have a median that is uncertain by more than 5 %");
  CHECK(warnings[1] == "the clock moved by -20.0 % while it was measured");
  CHECK(warnings[2] == "the CPU quota throttled the run in 12 periods: times are too long");
  CHECK(warnings[3] == "the hypervisor gave 3.0 s of CPU time to others");
  CHECK(warnings[4] == "others were running: load average 1.7 on 2 CPUs before the start");
}

}  // namespace
}  // namespace corecast::calibration
