// Group "bandwidth": streams through caches and memory, memory of other domains, page faults.
#include <fmt/format.h>

#include <memory>
#include <new>

#include "calibration/microbench/bandwidth_points.hpp"
#include "calibration/microbench/points.hpp"
#include "calibration/microbench/record.hpp"
#include "hwmodels/cpu_features.hpp"
#include "hwmodels/size_text.hpp"

namespace corecast::calibration::microbench {
namespace {

constexpr Seconds kLeast{0.02};
constexpr Seconds kMost{0.8};
constexpr std::size_t kPage = 4096;

std::string describe(const BandwidthPoint& point) {
  const auto threads = static_cast<double>(point.seats.cpus.size());
  return fmt::format("{} {}, {} threads", point.kernel,
                     hwmodels::size_text(Bytes(point.bytes_per_thread * threads)), threads);
}

class BandwidthGroup {
 public:
  BandwidthGroup(Recorder& recorder, const StreamChoice& choice) : recorder_(recorder), choice_(choice) {}

  void measure(const BandwidthPoint& point, Seconds budget) {
    recorder_.begin(describe(point));
    try {
      if (point.kernel == "first_touch") {
        measure_page_faults(point, budget);
      } else {
        measure_stream(point, budget);
      }
    } catch (const std::bad_alloc&) {
      recorder_.not_measured(describe(point), "the system gave no memory");
    }
  }

 private:
  // The one of the point before where it will do: touching its memory takes longer than a measurement.
  Rig& rig_for(const BandwidthPoint& point) {
    const std::vector<int> cpus = cpu_numbers(point.seats);
    const std::vector<int> owners = cpu_numbers(point.owners);
    if (!rig_ || rig_->cpus() != cpus || owners_ != owners || rig_->bytes_per_thread() < point.largest) {
      rig_.reset();  // its memory is free before more is taken
      rig_ = std::make_unique<Rig>(cpus, point.largest, owners);
      owners_ = owners;
      if (!rig_->team().not_pinned().empty()) recorder_.warn(rig_->team().not_pinned());
    }
    return *rig_;
  }

  void measure_stream(const BandwidthPoint& point, Seconds budget) {
    const StreamTraits traits = traits_of(point.stream);
    const std::size_t elements = elements_of(point.stream, point.bytes_per_thread);
    const Sampling sampling =
        rig_for(point).measure(*choice_.kernels, point.stream, elements, sampling_options(recorder_, budget));
    const double of_all = static_cast<double>(elements) * static_cast<double>(point.seats.cpus.size());
    Row row;
    row.group = Group::bandwidth, row.kernel = point.kernel, row.unit = Unit::bytes_per_second;
    row.extension = choice_.extension, row.type = DataType::fp32;
    put_seats(row, point.seats);
    row.working_set = Bytes(of_all * sizeof(float) * traits.arrays);
    if (point.domains) row.cpu_domain = point.domains->first, row.memory_domain = point.domains->second;
    add_rates(recorder_, row, sampling, of_all * traits.bytes_per_element);
  }

  // Every thread touches pages of its own; time of one page as one thread sees it, the others doing the same.
  void measure_page_faults(const BandwidthPoint& point, Seconds budget) {
    rig_.reset();
    Team team(cpu_numbers(point.seats));
    const std::size_t pages =
        std::max<std::size_t>(static_cast<std::size_t>(point.bytes_per_thread) / kPage, 1);
    const auto run = [&](std::int64_t operations) {
      Seconds total{};
      for (std::int64_t i = 0; i < operations; ++i) {
        std::vector<Buffer> fresh;
        for (int thread = 0; thread < team.size(); ++thread) fresh.emplace_back(pages * kPage, Pages::small);
        total += team.run([&](int thread) {
          volatile char* const memory = fresh[static_cast<std::size_t>(thread)].data();
          for (std::size_t page = 0; page < pages; ++page) memory[page * kPage] = 1;
        });
      }
      return total;
    };
    Row row;
    row.group = Group::bandwidth, row.kernel = "first_touch", row.unit = Unit::seconds;
    put_seats(row, point.seats);
    row.working_set = Bytes(static_cast<double>(pages * kPage) * team.size());
    row.note = "4 KiB pages; each thread touches its own";
    add_times(recorder_, row, sample(run, sampling_options(recorder_, 0.5 * budget)),
              static_cast<double>(pages));
  }

  Recorder& recorder_;
  StreamChoice choice_;
  std::unique_ptr<Rig> rig_;
  std::vector<int> owners_;
};

}  // namespace

void measure_bandwidth(Recorder& recorder) {
  const KernelsAvailable kernels = kernels_available(hwmodels::detect_features().extensions);
  if (!kernels.streams) {
    recorder.not_measured("bandwidth", "no kernels for this processor architecture");
    return;
  }
  const std::vector<BandwidthPoint> points = bandwidth_points(recorder, memory_allowance());
  BandwidthGroup group(recorder, *kernels.streams);
  const std::size_t done =
      spend_budget(recorder, points, kLeast, kMost,
                   [&](const BandwidthPoint& point, Seconds budget) { group.measure(point, budget); });
  for (std::size_t i = done; i < points.size(); ++i) {
    recorder.not_measured(describe(points[i]), "the time budget ended");
  }
}

}  // namespace corecast::calibration::microbench
