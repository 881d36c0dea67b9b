// Fitted numbers put into a runtime's file (schema corecast.runtime/1). What was not fitted stays as it is there.
#pragma once

#include <string>
#include <string_view>

#include "calibration/runtime_fit/fit.hpp"

namespace corecast::runtime_fit {

struct Provenance {
  std::string from;         // "measured 2026-12-03, suite of generated models, AMD EPYC, onnxruntime 1.30.0"
  std::string description;  // of the file; empty: as it was
  // What other machines of the kind are expected to add to the fit's own error; 0 for a file of this host alone.
  double host_error = 0.0;
};

// `base`: the text of the runtime's own file, whose order and other members are kept. A figure's relative error is that of
// the fit (standard error), of its entry (rms) and of the host, root of the sum of squares. Entries that the file does
// not have yet are written whole.
[[nodiscard]] std::string with_fit(std::string_view base, const RuntimeFit& fit,
                                   const Provenance& provenance);

// The text of a runtime's file as one that extends no other: `base` is the text of the file that `text` extends. Kernels, operators,
// cutting, costs and waiting are taken member by member, as sim::parse_runtime_json does. with_fit() needs it where entries of
// the base are fitted, for an entry replaces the base's as a whole.
[[nodiscard]] std::string without_base(std::string_view text, std::string_view base);

}  // namespace corecast::runtime_fit
