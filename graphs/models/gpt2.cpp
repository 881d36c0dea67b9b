// GPT-2 small reads a text and gives logits at each of its positions (prefill, or scoring of a text).
#include "graphs/models/gpt2.hpp"

namespace corecast::graphs::models {

WrittenModel gpt2(const BuildOptions& options) {
  return gpt2_small(options, "gpt2", options.sequence.value(), 0);
}

}  // namespace corecast::graphs::models
