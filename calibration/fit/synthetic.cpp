#include "calibration/fit/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "base/error.hpp"
#include "calibration/fit/calibration.hpp"
#include "calibration/fit/layout.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::Machine;

// Box and Muller's transform of the standard's Mersenne twister: std::normal_distribution differs between
// libraries.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : bits_(seed) {}
  double operator()() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return static_cast<double>(bits_() >> 11U) * 0x1.0p-53; }  // [0, 1)
  std::mt19937_64 bits_;
};

class Grid {
 public:
  Grid(const Machine& truth, const SyntheticOptions& options)
      : truth_(truth), options_(options), socket_(truth.cores_per_socket()), smt_(truth.groups.front().smt) {}

  std::vector<Row> rows() {
    peaks();
    cache_levels();
    memory();
    latencies();
    threads();
    if (options_.kernels) kernels();
    return std::move(rows_);
  }

 private:
  // 1, 2, 3, 4, 6, 8, 12, 16 ... and the whole.
  [[nodiscard]] static std::vector<int> counts(int most) {
    std::set<int> chosen{most};
    for (int n = 1; n < most; n *= 2) {
      chosen.insert(n);
      if (n + n / 2 < most) chosen.insert(n + n / 2);
    }
    return {chosen.begin(), chosen.end()};
  }

  [[nodiscard]] Row base(Group group, const std::string& kernel, int cores, Unit unit) const {
    Row row;
    row.group = group;
    row.kernel = kernel;
    row.cores = row.threads = cores;
    row.unit = unit;
    place(row);
    return row;
  }

  // The counts that go with cores and placement.
  void place(Row& row) const {
    const bool scattered = row.placement == Placement::scattered;
    row.sockets = scattered ? std::min(row.cores, truth_.sockets) : (row.cores + socket_ - 1) / socket_;
    row.clusters = 0;  // none stated: the placement's
    row.clusters = static_cast<int>(layout_of(truth_, row).clusters.size());
  }

  void peaks() {
    for (const int n : counts(socket_)) {
      rows_.push_back(base(Group::peak, "clock", n, Unit::hertz));
      for (const auto& peak : truth_.groups.front().peaks) {
        if (peak.type != DataType::fp32) continue;
        for (const int ways : smt_ > 1 ? std::vector<int>{1, smt_} : std::vector<int>{1}) {
          Row row = base(Group::peak, "multiply_add", n, Unit::flop_per_second);
          row.type = peak.type;
          row.extension = peak.extension;
          row.threads_per_core = ways;
          row.threads = n * ways;
          rows_.push_back(row);
        }
      }
    }
  }

  void stream(const std::string& kernel, int cores, Bytes working_set, Placement placement, int ways = 1) {
    Row row = base(Group::bandwidth, kernel, cores, Unit::bytes_per_second);
    row.placement = placement;
    place(row);
    row.threads_per_core = ways;
    row.threads = cores * ways;
    row.working_set = working_set;
    rows_.push_back(row);
  }

  [[nodiscard]] Bytes last_caches() const {
    const auto& last = truth_.caches.back();
    return last.size.value * std::ceil(static_cast<double>(socket_) / sharers(truth_, last)) *
           static_cast<double>(truth_.sockets);
  }

  void cache_levels() {
    for (const auto& cache : truth_.caches) {
      for (const double part : {0.25, 0.4, 0.6}) {
        stream("read", 1, cache.size.value * part, Placement::compact);
        chase(cache.size.value * part, Placement::compact);
      }
      const int all = sharers(truth_, cache);
      for (const int n : counts(all == 1 ? socket_ : all)) {
        const double instances = std::ceil(static_cast<double>(n) / all);
        if (n > 1) stream("read", n, cache.size.value * (0.6 * instances), Placement::compact);
      }
    }
  }

  void memory() {
    const Bytes large = last_caches() * 4.0;
    for (const char* kernel : {"read", "copy", "triad"}) {
      for (const int n : counts(socket_)) {
        stream(kernel, n, large, Placement::compact);
        if (smt_ > 1 && kernel == std::string("read")) stream(kernel, n, large, Placement::compact, smt_);
        if (truth_.sockets > 1 && n >= 2) stream(kernel, n, large, Placement::scattered);
      }
    }
    for (const int n : counts(socket_)) {
      if (truth_.sockets > 1) stream("read", n, large, Placement::remote);
    }
    for (int i = 0; i < 4; ++i) rows_.push_back(base(Group::bandwidth, "first_touch", 1, Unit::seconds));
  }

  void chase(Bytes working_set, Placement placement) {
    Row row = base(Group::latency, "chase", 1, Unit::seconds);
    row.placement = placement;
    row.working_set = working_set;
    rows_.push_back(row);
  }

  void latencies() {
    for (const double times : {3.0, 4.0, 6.0, 8.0}) {
      chase(last_caches() * times, Placement::compact);
      if (truth_.sockets > 1) chase(last_caches() * times, Placement::remote);
    }
  }

  void threads() {
    for (const int n : counts(truth_.cores())) {
      if (n >= 2) rows_.push_back(base(Group::threads, "barrier_spin", n, Unit::seconds));
    }
    for (int i = 0; i < 4; ++i) rows_.push_back(base(Group::threads, "wake_up", 2, Unit::seconds));
    for (std::size_t level = 0; level < 2; ++level) {
      for (const double part : {0.25, 0.5}) {
        rows_.push_back(base(Group::threads, "peer_read", 2, Unit::seconds));
        rows_.back().working_set = truth_.caches[level].size.value * part;
      }
    }
    const int cpus = truth_.cores() * smt_;
    for (const int times : {2, 3, 4}) {
      Row row = base(Group::threads, "barrier_spin", truth_.cores(), Unit::seconds);
      row.threads_per_core = smt_;
      row.threads = cpus * times;
      rows_.push_back(row);
    }
  }

  void matrix_product(const hwmodels::LibraryKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                      int cores) {
    Row row = base(Group::kernels, std::string(name_of(kernel.kernel)), cores, Unit::seconds);
    row.library = kernel.library;
    row.type = kernel.type;
    row.shape = {{"m", m}, {"n", n}, {"k", k}};
    const auto product = [](std::int64_t a, std::int64_t b) {
      return static_cast<double>(a) * static_cast<double>(b);
    };
    row.flop = Flops(2.0 * product(m, n) * static_cast<double>(k));
    row.bytes = Bytes((product(m, k) + product(k, n) + product(m, n)) * bytes_per_element(kernel.type));
    row.working_set = row.bytes;
    rows_.push_back(row);
  }

  void kernels() {
    for (const auto& kernel : truth_.kernels) {
      for (const int cores : {1, 4, socket_}) {
        for (const std::int64_t size : {64, 256, 1024, 2048}) matrix_product(kernel, size, size, size, cores);
        for (const std::int64_t k : {16, 64, 256}) matrix_product(kernel, 1024, 1024, k, cores);
        for (const std::int64_t n : {8, 32, 128}) matrix_product(kernel, 1024, n, 1024, cores);
        for (const std::int64_t m : {1, 4, 16, 64}) matrix_product(kernel, m, 4096, 4096, cores);
        for (const std::int64_t m : {1, 2, 4, 8}) matrix_product(kernel, m, 256, 256, cores);
      }
    }
  }

  const Machine& truth_;
  const SyntheticOptions& options_;
  int socket_, smt_;
  std::vector<Row> rows_;
};

}  // namespace

Measurements synthetic_measurements(const Machine& truth, const Machine& known,
                                    const SyntheticOptions& options) {
  CORECAST_CHECK(options.samples >= 1 && options.noise >= 0.0, "samples={} noise={}", options.samples,
                 options.noise);
  Measurements measurements;
  measurements.context.source =
      fmt::format("synthetic: {}, noise {}, seed {}", truth.name, options.noise, options.seed);
  measurements.machine = known;
  Normal normal(options.seed);
  for (Row& row : Grid(truth, options).rows()) {
    const auto exact = predicted(truth, row);
    if (!exact) continue;
    const double measured = *exact * std::exp(options.noise * normal());
    for (int i = 0; i < options.samples; ++i) {
      row.samples.push_back(measured * std::exp(options.repetition * normal()));
    }
    measurements.rows.push_back(std::move(row));
  }
  return measurements;
}

}  // namespace corecast::calibration
