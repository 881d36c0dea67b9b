// Group "kernels": the grid of kernel_shapes.hpp through oneDNN and OpenBLAS, over thread counts.
//
// One row per problem and team; samples are seconds per call. Compact placement, one thread per core; with
// SMT also all hardware threads at once. Points go in order of importance, so that a short budget drops the
// least informative.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <thread>
#include <tuple>

#include "calibration/microbench/library_points.hpp"
#include "calibration/microbench/library_row.hpp"
#include "calibration/microbench/openmp.hpp"
#include "calibration/microbench/points.hpp"
#include "calibration/microbench/sampler.hpp"
#include "calibration/microbench/suite.hpp"
#include "calibration/microbench/thread_mask.hpp"
#include "calibration/microbench/wall_clock.hpp"

namespace corecast::calibration::microbench {
namespace {

// A point that gets less than this shows one or two repetitions: better fewer points.
constexpr Seconds kLeastPerPoint{0.04};
constexpr Seconds kMostPerPoint{1.0};
constexpr double kLeastCalls = 6.0;  // a warm-up and five that count
// After a call OpenBLAS' threads spin on their CPUs for 2^26 cycles before they sleep.
constexpr std::chrono::milliseconds kUntilOpenBlasSleeps{50};

// How long a call will take, from the best rate per thread so far of its kind; 0 before there is one.
class Pace {
 public:
  void learn(const Row& row) {
    double& best = rates_[key(row)];
    best = std::max(best, row.flop.value() / (median(row.samples) * row.threads));
  }
  [[nodiscard]] Seconds of(const Row& row) const {
    const auto found = rates_.find(key(row));
    if (found == rates_.end()) return Seconds(0.0);
    return Seconds(row.flop.value() / (found->second * row.threads));
  }

 private:
  using Key = std::tuple<std::string, std::string, std::optional<DataType>>;
  static Key key(const Row& row) { return {row.library, row.kernel, row.type}; }
  std::map<Key, double> rates_;
};

Sampling sample_call(const LibraryCall& call, const Recorder& recorder, Seconds budget) {
  SamplingOptions options;
  options.target = recorder.target_spread();
  options.budget = budget;
  return sample(
      [&call](std::int64_t operations) {
        const auto start = Clock::now();
        for (std::int64_t i = 0; i < operations; ++i) call.run();
        return since(start);
      },
      options);
}

class Runner {
 public:
  Runner(Libraries& libraries, Recorder& recorder) : libraries_(libraries), recorder_(recorder) {}

  void measure(const LibraryPoint& point, Seconds budget) {
    const std::string what = text_of(point);
    recorder_.begin(what);
    wait_for_threads_of_others(point);
    const auto start = Clock::now();
    const std::vector<int> cpus = cpu_numbers(point.seats);
    const ThreadMaskGuard mask(cpus);
    if (const std::string why = libraries_.use(point.library, cpus); !why.empty()) {
      return recorder_.not_measured(what, why);
    }
    const LibraryCall call = libraries_.prepare(point.library, point.problem);
    if (!call.refused.empty()) return recorder_.not_measured(what, call.refused);
    Row row = library_row(name_of(point.library), point.problem, point.seats, call.implementation);
    // Large problems may take more than their share, as far as five repetitions need it.
    const double needed = std::min(kLeastCalls * pace_.of(row).value(), kMostPerPoint.value());
    const Seconds left{std::max({budget.value() - since(start).value(), 0.5 * budget.value(), needed})};
    const Sampling sampling = sample_call(call, recorder_, left);
    row.samples = sampling.seconds;
    pace_.learn(row);
    if (!sampling.reached) append_note(row, "stopped by the time budget");
    if (!mask.restricted() || libraries_.not_pinned(point.library)) append_note(row, "threads not pinned");
    recorder_.add(std::move(row));
  }

 private:
  void wait_for_threads_of_others(const LibraryPoint& point) {
    if (openblas_may_spin_ && point.library != Library::openblas) {
      std::this_thread::sleep_for(kUntilOpenBlasSleeps);
    }
    openblas_may_spin_ = point.library == Library::openblas && point.seats.cpus.size() > 1;
  }

  Libraries& libraries_;
  Recorder& recorder_;
  Pace pace_;
  bool openblas_may_spin_ = false;
};

// Those that the budget did not reach, one line per library and class.
void report_left_out(const std::vector<LibraryPoint>& points, std::size_t first, Recorder& recorder) {
  std::map<std::string, int> left_out;
  for (std::size_t i = first; i < points.size(); ++i) {
    const LibraryPoint& point = points[i];
    ++left_out[fmt::format("{} in {}, {}", name_of(kernel_of(point.problem)), name_of(point.library),
                           name_of(point.problem.type))];
  }
  for (const auto& [what, count] : left_out) {
    recorder.not_measured(what,
                          fmt::format("{} points of lesser importance: the time budget was gone", count));
  }
}

void report_libraries(const Libraries& libraries, Recorder& recorder) {
  for (const Library library : kLibraries) {
    if (libraries.missing(library).empty()) {
      recorder.library(name_of(library), libraries.version(library));
    } else {
      recorder.not_measured("kernels in " + name_of(library), libraries.missing(library));
    }
  }
}

void warn_if_set(const char* name, Recorder& recorder) {
  const char* value = std::getenv(name);
  if (value == nullptr) return;
  recorder.warn(
      fmt::format("{}={} is set in the environment: the library takes its kernels for that and not for this "
                  "CPU; unset it, unless models will run with it too",
                  name, value));
}

void warn_of_environment(const Libraries& libraries, Recorder& recorder) {
  if (libraries.missing(Library::openblas).empty()) warn_if_set("OPENBLAS_CORETYPE", recorder);
  if (!libraries.missing(Library::onednn).empty()) return;
  warn_if_set("ONEDNN_MAX_CPU_ISA", recorder);
  warn_if_set("DNNL_MAX_CPU_ISA", recorder);
  for (const std::string& setting : openmp_settings()) {
    recorder.warn(
        fmt::format("{} is set in the environment and shapes how the library's threads run", setting));
  }
}

}  // namespace

void measure_library_kernels(Recorder& recorder) {
  Libraries libraries;
  report_libraries(libraries, recorder);
  warn_of_environment(libraries, recorder);
  const std::vector<LibraryPoint> points = library_points(recorder.host(), recorder.effort(), libraries);
  Runner runner(libraries, recorder);
  const std::size_t done = spend_budget(recorder, points, kLeastPerPoint, kMostPerPoint,
                                        [&](const LibraryPoint& point, Seconds budget) {
                                          try {
                                            runner.measure(point, budget);
                                          } catch (const std::exception& failure) {
                                            // No memory for the buffers, or the library gave up half way.
                                            recorder.not_measured(text_of(point), failure.what());
                                          }
                                        });
  report_left_out(points, done, recorder);
}

}  // namespace corecast::calibration::microbench
