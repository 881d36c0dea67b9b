// The two kinds of failure that stop a run.
//
// InputError: what the user gave is wrong. Thrown by libraries, caught once in cli/main, exit code 2.
// CORECAST_CHECK: our own code is wrong. Always armed, prints the expression and values, aborts.
// (The third kind, a weak answer, is a field of a result: see sim/forecast.hpp, `warnings`.)
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace corecast {

// One message of the form `where: what (hint)`.
//   where  file and place inside it, e.g. "machines/x.json: /memory/bandwidth"; may be empty
//   what   what was found and what was wanted, e.g. `unknown unit "GBs"`
//   hint   what to do about it; may be empty
class InputError : public std::runtime_error {
 public:
  InputError(std::string where, std::string what, std::string hint = {});

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

  // The same error, found inside `outer`: its place goes before ours.
  [[nodiscard]] InputError within(std::string_view outer) const;

 private:
  std::string where_;
  std::string problem_;
  std::string hint_;
};

// The question was a good one, but has no answer. Exit code 3.
class NoAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nothing to choose from: no setting fits the machine and the constraints given.
class NoFeasibleSetting : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

// A fit found no values that it can stand for.
class NotConverged : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

[[noreturn]] void check_failed(const char* expression, const char* file, int line, const std::string& values);

// Printable form of text that came from a file: control characters and broken UTF-8 escaped, long text cut.
[[nodiscard]] std::string quote(std::string_view text, std::size_t most = 80);

// The candidate nearest in spelling, as `did you mean "x"?`, or nothing when none is near.
template <typename Range>
[[nodiscard]] std::string did_you_mean(std::string_view word, const Range& candidates);

namespace detail {
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);
}

template <typename Range>
std::string did_you_mean(std::string_view word, const Range& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;  // further away is another word, not a slip
  for (const auto& candidate : candidates) {
    const std::size_t distance = detail::edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best.empty() ? std::string{} : fmt::format("did you mean \"{}\"?", best);
}

}  // namespace corecast

// CORECAST_CHECK(a < b, "a={} b={}", a, b)
#define CORECAST_CHECK(expression, ...)                                                    \
  do {                                                                                     \
    if (!(expression)) {                                                                   \
      ::corecast::check_failed(#expression, __FILE__, __LINE__, fmt::format(__VA_ARGS__)); \
    }                                                                                      \
  } while (false)
