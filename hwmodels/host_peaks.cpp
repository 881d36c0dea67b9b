#include "hwmodels/host_peaks.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace corecast::hwmodels {
namespace {

bool contains(const std::vector<Extension>& extensions, Extension extension) {
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

bool has_peak_of(const CoreGroup& group, Extension extension) {
  return std::any_of(group.peaks.begin(), group.peaks.end(),
                     [&](const Peak& peak) { return peak.extension == extension; });
}

double widest_fp32(const CoreGroup& group) {
  double most = 0.0;
  for (const Peak& peak : group.peaks) {
    if (peak.type == DataType::fp32) most = std::max(most, peak.flop_per_cycle.value);
  }
  return most;
}

Peak guess(DataType type, Extension extension, double flop_per_cycle, double relative_error,
           std::string from) {
  return {type, extension, {flop_per_cycle, relative_error, Origin::prior, std::move(from)}};
}

// flop per cycle of an extension that this family was not known to have, from the widest fp32 peak f that it has.
//   AVX2     2 f: 256-bit vectors where the family has 128
//   AVX-512  1.5 f: between one 512-bit multiply-add unit (f) and two (2 f)
//   VNNI     4 f: four bytes where fp32 has one element, in the same units
//   BF16     2 f: two elements where fp32 has one
//   AMX      2 x 16 x 16 x 64 operations on bytes in 16 cycles, half of it in bf16 (Intel Optimization Manual, 20.5.1)
std::vector<Peak> guessed_peaks(Extension extension, double fp32) {
  switch (extension) {
    case Extension::avx2:
      return {guess(DataType::fp32, extension, 2.0 * fp32, 0.35, "guess: twice the narrower vectors")};
    case Extension::avx512:
      return {guess(DataType::fp32, extension, 1.5 * fp32, 0.35, "guess: one or two 512-bit units")};
    case Extension::vnni:
      return {guess(DataType::int8, extension, 4.0 * fp32, 0.35, "guess: 4 x fp32")};
    case Extension::bf16:
      return {guess(DataType::bf16, extension, 2.0 * fp32, 0.35, "guess: 2 x fp32")};
    case Extension::amx:
      return {guess(DataType::int8, extension, 2048.0, 0.1, "Intel Optimization Manual, AMX"),
              guess(DataType::bf16, extension, 1024.0, 0.1, "Intel Optimization Manual, AMX")};
    default:
      return {};
  }
}

}  // namespace

void fit_extensions(CoreGroup& group, const std::vector<Extension>& extensions,
                    std::vector<std::string>& warnings) {
  if (extensions.empty()) return;
  const double fp32_of_family = widest_fp32(group);
  const std::vector<ClockPoint> clock_of_family = group.clock;
  std::vector<Extension> lacking;
  std::erase_if(group.peaks, [&](const Peak& peak) {
    if (contains(extensions, peak.extension)) return false;
    if (!contains(lacking, peak.extension)) lacking.push_back(peak.extension);
    return true;
  });
  std::erase_if(group.clock, [&](const ClockPoint& point) { return !contains(extensions, point.extension); });
  if (group.clock.empty()) group.clock = clock_of_family;
  for (const Extension extension : lacking) {
    warnings.push_back(fmt::format(
        "this host does not offer {}, which its family has: its peaks are left out", name_of(extension)));
  }

  if (widest_fp32(group) <= 0.0) {
    // Nothing the family is known by is on offer: two units that multiply and add, as wide as there is one.
    const bool vectors = contains(extensions, Extension::sse) || contains(extensions, Extension::neon);
    const double fallback = std::min(vectors ? 16.0 : 4.0, std::max(fp32_of_family, 4.0));
    const Extension extension = contains(extensions, Extension::neon)  ? Extension::neon
                                : contains(extensions, Extension::sse) ? Extension::sse
                                                                       : Extension::scalar;
    group.peaks.push_back(guess(DataType::fp32, extension, fallback, 0.35, "guess: two multiply-add units"));
  }
  for (const Extension extension : extensions) {
    if (has_peak_of(group, extension)) continue;
    const std::vector<Peak> peaks = guessed_peaks(extension, widest_fp32(group));
    if (peaks.empty()) continue;
    group.peaks.insert(group.peaks.end(), peaks.begin(), peaks.end());
    warnings.push_back(
        fmt::format("this host offers {}, which its family is not known to have: its peak is a guess",
                    name_of(extension)));
  }
}

}  // namespace corecast::hwmodels
