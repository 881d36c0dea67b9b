// Reasons and advice: what the figures of a search say, in words.
#pragma once

#include <string>
#include <vector>

#include "sim/search.hpp"

namespace corecast::sim {

// Where the time of one batch goes if every operator ran alone; the figures that reasons speak of.
struct Breakdown {
  Seconds arithmetic{}, imbalance{}, memory{}, overhead{}, serial{};
  Seconds makespan{};
};
[[nodiscard]] Breakdown breakdown_of(const Plan& plan, const Timeline& timeline);

// Why this setting has its time: for the best, what holds it; for another, what it pays more than the best.
[[nodiscard]] std::string reason(const Target& target, const Setting& setting, const Breakdown& own,
                                 const Setting& best_setting, const Breakdown& best);

// Placement in words: "8 threads on 8 cores of 1 socket".
[[nodiscard]] std::string placement_words(const Target& target, const Runtime& runtime,
                                          const Setting& setting);

[[nodiscard]] std::vector<Message> advice(const graphs::Metrics& metrics, const Target& target,
                                          const Runtime& runtime, const SearchResult& result,
                                          Objective objective);

}  // namespace corecast::sim
