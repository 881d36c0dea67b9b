// What the pieces of advice share: the current setting's forecast, forecasts of changed settings, and the list that is
// filled. Internal to advice*.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs/metrics.hpp"
#include "sim/advice.hpp"
#include "sim/memory_need.hpp"

namespace corecast::sim {

// A setting and what is compared of its forecast.
struct Tried {
  Setting setting;
  Forecast forecast;
  int threads = 1;                    // that compute at once, all instances
  BytesPerSecond memory_bandwidth{};  // that all instances draw from main memory, on average
};

class AdviceContext {
 public:
  AdviceContext(const graphs::Graph& graph, const graphs::Graph& prepared, const Target& target,
                const Runtime& runtime, const Setting& current, const AdviceOptions& options);

  [[nodiscard]] const Tried& now() const { return now_; }
  // Nothing where the setting cannot be had: too many threads or too little memory.
  [[nodiscard]] std::optional<Tried> tried(const Setting& setting);
  // The best of these, of equals the first; nothing when none can be had.
  [[nodiscard]] std::optional<Tried> best_of(const std::vector<Setting>& settings);
  [[nodiscard]] double gain(const Tried& better) const;
  [[nodiscard]] bool pays(const std::optional<Tried>& better) const {
    return better && gain(*better) > kPays;
  }

  // `text` so far says what is wrong; the comparison with `better` and the remedy are added.
  void tell(std::string code, std::string cause, const std::string& text, const Tried& better,
            std::string_view more_remedy = {});
  void tell_fact(std::string code, std::string text);
  [[nodiscard]] bool told(std::string_view code) const;

  // "31 ms; 2 threads 14 ms (2.2 x)"; samples per second where the instances differ.
  [[nodiscard]] std::string comparison(const Tried& better) const;
  // "4 threads", "10 x 4 threads"
  [[nodiscard]] std::string threads_words(const Setting& setting) const;

  // The current setting with other counts. Second hardware threads stay in use only where there are more threads than
  // cores: fewer ones spread out.
  [[nodiscard]] Setting with_threads(int intra_op) const;
  [[nodiscard]] Setting spread(Setting setting) const;
  [[nodiscard]] int computing(const Setting& setting) const { return computing_threads(runtime, setting); }

  const graphs::Metrics metrics;
  const Target& target;
  const Runtime& runtime;
  const AdviceOptions& options;
  const Setting current;    // as the user has it
  const Setting effective;  // as the runtime runs it
  std::vector<Advice> list;

 private:
  const graphs::Graph& prepared_;
  const MemoryNeed need_;
  std::vector<std::pair<Setting, std::optional<Tried>>> known_;
  Tried now_;
};

// The pieces, by what they change.
void advise_counts(AdviceContext& context);     // threads against CPUs, quota, cores; too many, too few
void advise_pools(AdviceContext& context);      // inter-op, TensorFlow's default
void advise_spinning(AdviceContext& context);   // idle threads
void advise_instances(AdviceContext& context);  // more of them, pinning
void advise_memory(AdviceContext& context);     // sockets, placement, pages, allocator
void advise_grant(AdviceContext& context);      // what the framework's default does not see

[[nodiscard]] std::string plural(std::int64_t count, std::string_view one);

}  // namespace corecast::sim
