#include "calibration/profile/runs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "calibration/profile/families.hpp"

namespace corecast::calibration::profile {
namespace {

using Events = std::vector<const Event*>;

// Dates are cut to whole microseconds, so an inner event may seem to end one later than the outer.
constexpr double kCut_us = 1.0;

Events of_kind(const Trace& trace, EventKind kind) {
  Events events;
  for (const Event& event : trace.events)
    if (event.kind == kind) events.push_back(&event);
  return events;
}

// By thread, then date, outer before inner.
void sort_by_date(Events& events) {
  std::stable_sort(events.begin(), events.end(), [](const Event* a, const Event* b) {
    return std::tie(a->process, a->thread, a->start_us, b->length_us) <
           std::tie(b->process, b->thread, b->start_us, a->length_us);
  });
}

// Without the events inside of others of their thread.
Run outermost(Events events) {
  sort_by_date(events);
  Run run;
  for (const Event* event : events) {
    const Event* outer = run.nodes.empty() ? nullptr : run.nodes.back();
    const bool inside = outer != nullptr && outer->process == event->process &&
                        outer->thread == event->thread && event->start_us < outer->end_us() &&
                        event->end_us() <= outer->end_us() + kCut_us;
    if (inside) {
      ++run.nested.back();
    } else {
      run.nodes.push_back(event);
      run.nested.push_back(0);
    }
  }
  return run;
}

// Of the wholes (by start) the one that encloses `event`, one of its own thread first.
const Event* enclosing(const Events& wholes, const Event& event) {
  const Event* found = nullptr;
  for (auto whole = std::upper_bound(wholes.begin(), wholes.end(), event.start_us + kCut_us,
                                     [](double start, const Event*w) { return start < w->start_us; });
       whole != wholes.begin();) {
    --whole;
    if ((*whole)->process != event.process || event.end_us() > (*whole)->end_us() + kCut_us) {
      if ((*whole)->end_us() + 60e6 < event.start_us) break;  // no run is open for a minute after it
      continue;
    }
    if ((*whole)->thread == event.thread) return *whole;
    if (found == nullptr) found = *whole;
  }
  return found;
}

std::vector<Run> enclosed(const Events& nodes, Events wholes) {
  std::sort(wholes.begin(), wholes.end(), [](const Event* a, const Event* b) {
    return std::tie(a->start_us, a->thread) < std::tie(b->start_us, b->thread);
  });
  std::map<const Event*, Events> by_whole;
  for (const Event* node : nodes)
    if (const Event* whole = enclosing(wholes, *node)) by_whole[whole].push_back(node);
  std::vector<Run> runs;
  for (const Event* whole : wholes) {
    const auto found = by_whole.find(whole);
    if (found == by_whole.end()) continue;
    runs.push_back(outermost(found->second));
    runs.back().whole = whole;
  }
  return runs;
}

// Cut where a name comes again: the executor runs each node once.
std::vector<Run> cut_at_repetition(const Events& nodes) {
  const Run all = outermost(nodes);
  std::vector<Run> runs;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < all.nodes.size(); ++i) {
    if (runs.empty() || !seen.insert(all.nodes[i]->name).second) {
      runs.emplace_back();
      seen = {all.nodes[i]->name};
    }
    runs.back().nodes.push_back(all.nodes[i]);
    runs.back().nested.push_back(all.nested[i]);
  }
  return runs;
}

// Least p with s[i] == s[i + p] for all i; n when nothing repeats (Knuth, Morris, Pratt, SIAM J. Computing 6(2), 1977).
std::size_t least_period(const std::vector<int>& s) {
  std::vector<std::size_t> border(s.size() + 1, 0);
  for (std::size_t i = 1, k = 0; i < s.size(); ++i) {
    while (k > 0 && s[i] != s[k]) k = border[k];
    if (s[i] == s[k]) ++k;
    border[i + 1] = k;
  }
  return s.empty() ? 0 : s.size() - border[s.size()];
}

Run part(const Run& all, std::size_t from, std::size_t to) {
  const auto at = [](const auto& list, std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  Run run;
  run.nodes.assign(at(all.nodes, from), at(all.nodes, to));
  run.nested.assign(at(all.nested, from), at(all.nested, to));
  return run;
}

// Runs of one length from the middle of a trace that begins and ends with a few events of other things (inputs made).
std::vector<Run> periodic(const Run& all, std::size_t heavy) {
  std::map<std::pair<std::string, std::vector<Shape>>, int> number;
  std::vector<int> sequence;
  std::vector<std::size_t> heavy_before(1, 0);
  for (const Event* event : all.nodes) {
    sequence.push_back(
        number.emplace(std::pair(event->type, event->inputs), static_cast<int>(number.size())).first->second);
    heavy_before.push_back(heavy_before.back() + (is_heavy_family(family_of(event->type)) ? 1 : 0));
  }
  constexpr std::size_t kMargin = 6;
  for (std::size_t margin = 0; margin <= kMargin; ++margin) {
    for (std::size_t before = 0; before <= margin; ++before) {
      if (sequence.size() < 2 + margin) continue;
      const std::size_t n = sequence.size() - margin;
      const auto first = sequence.begin() + static_cast<std::ptrdiff_t>(before);
      const std::size_t least = least_period({first, first + static_cast<std::ptrdiff_t>(n)});
      if (least == n || n % least != 0) continue;
      // A multiple of it is a period too: the model decides. Nothing is known of one without products.
      std::size_t best = least, off = ~std::size_t{0};
      for (std::size_t p = least; p <= n; p += least) {
        if (n % p != 0) continue;
        const std::size_t count = heavy_before[before + p] - heavy_before[before];
        const std::size_t distance = count > heavy ? count - heavy : heavy - count;
        if (distance < off) {
          off = distance;
          best = p;
        }
      }
      std::vector<Run> runs;
      for (std::size_t from = before; from < before + n; from += best)
        runs.push_back(part(all, from, from + best));
      return runs;
    }
  }
  return {all};
}

}  // namespace

std::vector<Run> onnxruntime_runs(const Trace& trace) {
  const Events nodes = of_kind(trace, EventKind::node);
  std::vector<Run> runs = enclosed(nodes, of_kind(trace, EventKind::run));
  return runs.empty() ? cut_at_repetition(nodes) : runs;
}

std::vector<Run> pytorch_runs(const Trace& trace, std::size_t heavy) {
  // The thread that did most: the caller.
  std::map<std::pair<std::string, std::string>, Events> threads;
  for (const Event* event : of_kind(trace, EventKind::operation))
    threads[{event->process, event->thread}].push_back(event);
  Run most;
  double longest = -1.0;
  for (auto& [thread, events] : threads) {
    Run run = outermost(std::move(events));
    double time = 0.0;
    for (const Event* event : run.nodes) time += event->length_us;
    if (time > longest) {
      longest = time;
      most = std::move(run);
    }
  }
  const Events steps = of_kind(trace, EventKind::step);
  if (!steps.empty() && !most.nodes.empty()) {
    // Steps stand on the thread's own line or on one of another number.
    std::vector<Run> runs;
    for (const Event* step : steps) {
      Run run;
      for (std::size_t i = 0; i < most.nodes.size(); ++i) {
        const Event* node = most.nodes[i];
        if (node->start_us + kCut_us < step->start_us || node->end_us() > step->end_us() + kCut_us) continue;
        run.nodes.push_back(node);
        run.nested.push_back(most.nested[i]);
      }
      if (!run.nodes.empty()) runs.push_back(std::move(run));
    }
    if (!runs.empty()) return runs;
  }
  return most.nodes.empty() ? std::vector<Run>{} : periodic(most, heavy);
}

}  // namespace corecast::calibration::profile
