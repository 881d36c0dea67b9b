// The bodies of StreamKernels, once for all instruction sets. Included by kernels_*.cpp only.
//
// `V` is a type of an anonymous namespace, so that each file has its own instance. It provides Floats (kLanes of them),
// Words (the same bits as integers), load, load_words, store, stream, spread (one value in all lanes), multiply,
// multiply_add(b, s, c) = b + s c, add_words, sum_words, and drain (wait for the streaming stores).
#pragma once

#include "calibration/microbench/kernel_functions.hpp"

namespace corecast::calibration::microbench {

// The compiler must believe that memory was read and changed here: it cannot merge passes, leave out stores that a later
// pass overwrites, or make a call of memcpy out of a loop. No instruction.
inline __attribute__((always_inline)) void memory_barrier() {
  __asm__ volatile("" ::: "memory");
}

inline constexpr size_t kUnroll = 8;  // vectors

// Calls body(i) for i = 0, kLanes, 2 kLanes ... below n, eight calls in one piece where that fits.
template <typename V, typename Body>
inline __attribute__((always_inline)) void for_each_vector(size_t n, const Body& body) {
  constexpr size_t kStep = V::kLanes;
  size_t i = 0;
  for (; i + kUnroll * kStep <= n; i += kUnroll * kStep) {
    body(i), body(i + kStep), body(i + 2 * kStep), body(i + 3 * kStep);
    body(i + 4 * kStep), body(i + 5 * kStep), body(i + 6 * kStep), body(i + 7 * kStep);
    memory_barrier();
  }
  for (; i < n; i += kStep) {
    body(i);
    memory_barrier();
  }
}

template <typename V>
uint32_t read_words(const float* a, size_t n, int64_t passes) {
  constexpr size_t kStep = V::kLanes;
  auto s0 = V::no_words(), s1 = V::no_words(), s2 = V::no_words(), s3 = V::no_words();
  auto s4 = V::no_words(), s5 = V::no_words(), s6 = V::no_words(), s7 = V::no_words();
  for (int64_t pass = 0; pass < passes; ++pass) {
    size_t i = 0;
    for (; i + kUnroll * kStep <= n; i += kUnroll * kStep) {
      s0 = V::add_words(s0, V::load_words(a + i));
      s1 = V::add_words(s1, V::load_words(a + i + kStep));
      s2 = V::add_words(s2, V::load_words(a + i + 2 * kStep));
      s3 = V::add_words(s3, V::load_words(a + i + 3 * kStep));
      s4 = V::add_words(s4, V::load_words(a + i + 4 * kStep));
      s5 = V::add_words(s5, V::load_words(a + i + 5 * kStep));
      s6 = V::add_words(s6, V::load_words(a + i + 6 * kStep));
      s7 = V::add_words(s7, V::load_words(a + i + 7 * kStep));
    }
    for (; i < n; i += kStep) s0 = V::add_words(s0, V::load_words(a + i));
    memory_barrier();
  }
  s0 = V::add_words(V::add_words(s0, s1), V::add_words(s2, s3));
  s4 = V::add_words(V::add_words(s4, s5), V::add_words(s6, s7));
  return V::sum_words(V::add_words(s0, s4));
}

template <typename V, bool kStream>
inline __attribute__((always_inline)) void put(float* a, typename V::Floats value) {
  if constexpr (kStream) {
    V::stream(a, value);
  } else {
    V::store(a, value);
  }
}

template <typename V, bool kStream>
inline __attribute__((always_inline)) void end_of_pass() {
  if constexpr (kStream) V::drain();
  memory_barrier();
}

template <typename V, bool kStream>
void write_floats(float* a, float value, size_t n, int64_t passes) {
  const auto all = V::spread(value);
  for (int64_t pass = 0; pass < passes; ++pass) {
    for_each_vector<V>(
        n, [&](size_t i) __attribute__((always_inline)) { put<V, kStream>(a + i, all); });
    end_of_pass<V, kStream>();
  }
}

template <typename V, bool kStream>
void copy_floats(float* a, const float* b, size_t n, int64_t passes) {
  for (int64_t pass = 0; pass < passes; ++pass) {
    for_each_vector<V>(
        n, [&](size_t i) __attribute__((always_inline)) { put<V, kStream>(a + i, V::load(b + i)); });
    end_of_pass<V, kStream>();
  }
}

template <typename V, bool kStream>
void triad_floats(float* a, const float* b, const float* c, float s, size_t n, int64_t passes) {
  const auto factor = V::spread(s);
  for (int64_t pass = 0; pass < passes; ++pass) {
    for_each_vector<V>(
        n, [&](size_t i) __attribute__((always_inline)) {
          put<V, kStream>(a + i, V::multiply_add(V::load(b + i), factor, V::load(c + i)));
        });
    end_of_pass<V, kStream>();
  }
}

template <typename V>
void update_floats(float* a, float s, size_t n, int64_t passes) {
  const auto factor = V::spread(s);
  for (int64_t pass = 0; pass < passes; ++pass) {
    for_each_vector<V>(
        n, [&](size_t i)
               __attribute__((always_inline)) { V::store(a + i, V::multiply(factor, V::load(a + i))); });
    memory_barrier();
  }
}

template <typename V>
constexpr StreamKernels stream_kernels() {
  return {.read = &read_words<V>,
          .write = &write_floats<V, false>,
          .write_nt = &write_floats<V, true>,
          .copy = &copy_floats<V, false>,
          .copy_nt = &copy_floats<V, true>,
          .triad = &triad_floats<V, false>,
          .triad_nt = &triad_floats<V, true>,
          .update = &update_floats<V>};
}

}  // namespace corecast::calibration::microbench
