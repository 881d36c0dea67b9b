// FNV-1a of 64 bits: tells inputs apart in reports; no protection against forgery.
//
//   h = offset;  for each byte b:  h = (h xor b) * prime  (mod 2^64)
//
// Source: Fowler, Noll, Vo; draft-eastlake-fnv, section 2.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace corecast::cli {

class Checksum {
 public:
  // Length first, so that ("ab", "c") differs from ("a", "bc").
  Checksum& add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) byte(static_cast<unsigned char>(c));
    return *this;
  }
  Checksum& add(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) byte(static_cast<unsigned char>(value >> shift));
    return *this;
  }
  Checksum& add(std::int64_t value) { return add(static_cast<std::uint64_t>(value)); }
  Checksum& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }

  [[nodiscard]] std::string text() const { return fmt::format("fnv1a64:{:016x}", hash_); }

 private:
  void byte(unsigned char b) { hash_ = (hash_ ^ b) * 0x100000001b3ULL; }

  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace corecast::cli
