#include "tests/support/machine_text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/quantity_text.hpp"

namespace corecast::test {
namespace {

using hwmodels::Extension;
using hwmodels::Machine;
using hwmodels::Origin;
using hwmodels::Value;

template <typename Q>
Value<Q> exact(Q value) {
  return {value, 0.0, Origin::measured, "test"};
}

// Words of one clause, taken one after the other; a number and its unit may be two words or one.
class Clause {
 public:
  explicit Clause(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t begin = text.find_first_not_of(' ', i);
      if (begin == std::string_view::npos) break;
      i = std::min(text.find(' ', begin), text.size());
      words_.emplace_back(text.substr(begin, i - begin));
    }
  }

  [[nodiscard]] bool empty() const { return next_ >= words_.size(); }
  [[nodiscard]] const std::string& peek() const { return words_[next_]; }

  std::string word() {
    if (empty()) fail("ends too early");
    return words_[next_++];
  }
  int whole() { return static_cast<int>(parse_whole(word(), "a count", 0, 1 << 20)); }
  double number() { return parse_number(word(), "a number"); }
  template <typename Q>
  Q quantity() {
    std::string text = word();
    const bool bare = text.find_first_not_of("0123456789.+-e") == std::string::npos;
    if (bare && !empty()) text += " " + word();
    return parse_quantity<Q>(text);
  }
  void finish() const {
    if (!empty()) fail("has a word too many: " + quote(peek()));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError("machine text", fmt::format("clause {} {}", quote(text_), what));
  }

 private:
  std::string_view text_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

struct Draft {
  Machine machine;
  bool has_cores = false;
  std::optional<BytesPerSecond> core_bandwidth;
};

void set_cores(Draft& draft, int count, FlopsPerSecond rate) {
  auto& group = draft.machine.groups[0];
  group.cores_per_socket = count;
  group.clock = {{Extension::scalar, 1, exact(Hertz(1e9))}};
  group.peaks = {{DataType::fp32, Extension::scalar, exact(rate.value() / 1e9)}};
  draft.has_cores = true;
}

void add_cache(Machine& machine, int level, Clause& clause) {
  hwmodels::CacheLevel cache;
  cache.level = level;
  cache.size = exact(clause.quantity<Bytes>());
  cache.bandwidth_per_core = exact(clause.quantity<BytesPerSecond>());
  cache.latency = exact(Seconds(0.0));
  cache.shared_by_cores = level == 3 ? 0 : 1;
  if (!clause.empty() && clause.peek() == "shared") {
    clause.word();
    cache.shared_by_cores = clause.whole();
  }
  if (!clause.empty() && clause.peek() == "peer") {
    clause.word();
    cache.peer_bandwidth = exact(clause.quantity<BytesPerSecond>());
  }
  machine.caches.push_back(cache);
}

void apply(Draft& draft, Clause& clause) {
  Machine& m = draft.machine;
  auto& group = m.groups[0];
  const std::string word = clause.word();
  if (!clause.empty() && clause.peek() == "cores") {
    clause.word();
    const int count = static_cast<int>(parse_whole(word, "a count of cores", 0, 1 << 20));
    set_cores(draft, count, clause.quantity<FlopsPerSecond>());
  } else if (word == "mem") {
    m.memory.bandwidth = exact(clause.quantity<BytesPerSecond>());
  } else if (word == "core") {
    draft.core_bandwidth = clause.quantity<BytesPerSecond>();
  } else if (word == "shape") {
    m.memory.saturation_shape = exact(clause.number());
  } else if (word == "smt") {
    group.smt = clause.whole();
  } else if (word == "gain") {
    group.smt_gain_compute = exact(clause.number());
    if (!clause.empty()) group.smt_gain_memory = exact(clause.number());
  } else if (word == "sockets") {
    m.sockets = clause.whole();
  } else if (word == "domains") {
    m.domains_per_socket = clause.whole();
  } else if (word == "link") {
    m.link = hwmodels::Link{exact(clause.quantity<BytesPerSecond>()), exact(Seconds(0.0))};
  } else if (word == "l1" || word == "l2" || word == "l3") {
    add_cache(m, word[1] - '0', clause);
  } else if (word == "barrier") {
    m.threads.barrier = exact(clause.quantity<Seconds>());
  } else if (word == "doubling") {
    m.threads.barrier_per_doubling = exact(clause.quantity<Seconds>());
  } else if (word == "wake") {
    m.threads.wake_up = exact(clause.quantity<Seconds>());
  } else if (word == "fault") {
    m.memory.page_fault = exact(clause.quantity<Seconds>());
  } else if (word == "latency") {
    m.memory.latency = exact(clause.quantity<Seconds>());
    if (!clause.empty()) {
      if (!m.link) clause.fail("wants a link clause before it");
      m.link->latency = exact(clause.quantity<Seconds>());
    }
  } else if (word == "slice") {
    m.threads.time_slice = exact(clause.quantity<Seconds>());
  } else {
    clause.fail("is not understood");
  }
  clause.finish();
}

Draft blank() {
  Draft draft;
  Machine& m = draft.machine;
  m.name = "test";
  m.description = "test machine";
  m.family = "generic_x86";
  m.memory.bandwidth = exact(BytesPerSecond(1e15));
  m.memory.saturation_shape = exact(1e6);
  m.memory.latency = exact(Seconds(0.0));
  m.memory.page_fault = exact(Seconds(0.0));
  m.threads = {exact(Seconds(0.0)), exact(Seconds(0.0)), exact(Seconds(0.0)), exact(Seconds(1e-3))};
  m.groups[0].smt_gain_compute = exact(1.0);
  m.groups[0].smt_gain_memory = exact(1.0);
  return draft;
}

}  // namespace

Machine machine(std::string_view text) {
  Draft draft = blank();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    Clause clause(text.substr(begin, end - begin));
    if (!clause.empty()) apply(draft, clause);
    begin = end + 1;
  }
  Machine& m = draft.machine;
  if (!draft.has_cores) throw InputError("machine text", "wants a clause such as \"2 cores 10Gflop/s\"");
  m.memory.core_bandwidth = exact(draft.core_bandwidth.value_or(m.memory.bandwidth.value));
  if (m.sockets > 1 && !m.link) m.link = hwmodels::Link{m.memory.bandwidth, exact(Seconds(0.0))};
  hwmodels::check(m, "machine text");
  return m;
}

}  // namespace corecast::test
