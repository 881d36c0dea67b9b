// GPT-2 small writes one token behind `sequence` positions whose keys and values are stored.
#include "graphs/models/gpt2.hpp"

namespace corecast::graphs::models {

WrittenModel gpt2_decode(const BuildOptions& options) {
  return gpt2_small(options, "gpt2_decode", 1, options.sequence.value());
}

}  // namespace corecast::graphs::models
