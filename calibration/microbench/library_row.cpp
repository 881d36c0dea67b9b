#include "calibration/microbench/library_row.hpp"

#include <array>
#include <string_view>

#include "calibration/microbench/points.hpp"

namespace corecast::calibration::microbench {
namespace {

using hwmodels::Extension;

struct Sign {
  std::string_view text;
  Extension extension;
};

// The first that occurs counts: narrower names are part of wider ones.
constexpr std::array kSigns{
    Sign{"amx", Extension::amx},         Sign{"avx512_core_bf16", Extension::bf16},
    Sign{"vnni", Extension::vnni},       Sign{"avx512", Extension::avx512},
    Sign{"avx2", Extension::avx2},       Sign{"sse41", Extension::sse},
    Sign{"sve", Extension::sve},         Sign{"asimd", Extension::neon},
    Sign{"SkylakeX", Extension::avx512}, Sign{"Cooperlake", Extension::avx512},
    Sign{"Sapphire", Extension::avx512}, Sign{"Haswell", Extension::avx2},
    Sign{"Zen", Extension::avx2},        Sign{"Excavator", Extension::avx2},
    Sign{"Nehalem", Extension::sse},     Sign{"Prescott", Extension::sse},
    Sign{"Core2", Extension::sse},       Sign{"Neoverse", Extension::neon},
    Sign{"ARMV8SVE", Extension::sve},    Sign{"ARMV8", Extension::neon},
};

}  // namespace

std::optional<Extension> extension_in(const std::string& implementation, DataType type) {
  for (const Sign& sign : kSigns) {
    if (implementation.find(sign.text) == std::string::npos) continue;
    // fp32 kernels carry the name of the newest instruction set, but compute without its narrow types.
    const bool narrow = sign.extension == Extension::amx || sign.extension == Extension::bf16 ||
                        sign.extension == Extension::vnni;
    if (type == DataType::fp32 && narrow) {
      return implementation.find("avx2") != std::string::npos ? Extension::avx2 : Extension::avx512;
    }
    return sign.extension;
  }
  return std::nullopt;
}

Row library_row(const std::string& library, const Problem& problem, const Seats& seats,
                const std::string& implementation) {
  Row row;
  row.group = Group::kernels;
  row.kernel = name_of(kernel_of(problem));
  row.type = problem.type;
  row.extension = extension_in(implementation, problem.type);
  row.library = library;
  row.implementation = implementation;
  put_seats(row, seats);
  row.shape = shape_of(problem);
  row.flop = flops_of(problem);
  row.bytes = bytes_of(problem);
  row.working_set = row.bytes;
  row.unit = Unit::seconds;
  row.note = problem.from;
  return row;
}

}  // namespace corecast::calibration::microbench
