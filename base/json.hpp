// Strict JSON reading: every key is asked for by name; unknown, repeated and missing keys are errors that
// name the file and the place inside it (a JSON pointer), with the nearest known key as a hint.
//
//   const json::Document document = json::read(path);
//   json::Object root = document.root().object();
//   machine.name = root.required("name").text();
//   if (auto smt = root.optional("smt")) machine.smt = smt->whole(1, 8);
//   root.finish();   // any key nobody asked for is an error
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/quantity_text.hpp"

namespace corecast::json {

class Object;

// A value and where it stands. Valid as long as its Document lives.
class Value {
 public:
  Value(const nlohmann::json* node, std::string file, std::string pointer);

  [[nodiscard]] std::string place() const;  // "file: /pointer"
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool is_number() const;

  [[nodiscard]] Object object() const;
  [[nodiscard]] std::vector<Value> array() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number() const;  // finite
  [[nodiscard]] double number(double low, double high) const;
  [[nodiscard]] std::int64_t whole(std::int64_t low, std::int64_t high) const;

  // The value as JSON text again, for a reader of its own.
  [[nodiscard]] std::string dump() const;

  // Text with a unit, e.g. "128 GB/s".
  template <typename Q>
  [[nodiscard]] Q quantity() const;
  template <typename Q>
  [[nodiscard]] Q positive_quantity() const;

  [[noreturn]] void fail(std::string what, std::string hint = {}) const;

 private:
  const nlohmann::json* node_;
  std::string file_;
  std::string pointer_;
};

class Object {
 public:
  explicit Object(Value value, const nlohmann::json* node);

  [[nodiscard]] Value required(std::string_view key);
  [[nodiscard]] std::optional<Value> optional(std::string_view key);
  // For maps whose keys are data: all keys, sorted; each counts as asked for.
  [[nodiscard]] std::vector<std::pair<std::string, Value>> entries();
  void finish() const;
  [[nodiscard]] const Value& value() const { return value_; }

 private:
  Value value_;
  const nlohmann::json* node_;
  std::vector<std::string> asked_;
};

class Document {
 public:
  Document(std::string file, std::string_view text);
  ~Document();
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;

  [[nodiscard]] Value root() const;

 private:
  std::string file_;
  std::unique_ptr<nlohmann::json> tree_;
};

[[nodiscard]] Document read(const std::filesystem::path& path);
[[nodiscard]] Document parse(std::string_view text, std::string file = "(text)");

template <typename Q>
Q Value::quantity() const {
  const std::string written = text();
  try {
    return parse_quantity<Q>(written);
  } catch (const InputError& error) {
    fail(error.problem(), error.hint());
  }
}

template <typename Q>
Q Value::positive_quantity() const {
  const Q q = quantity<Q>();
  if (!(q > Q(0.0))) fail("must be greater than zero, found \"" + text() + "\"");
  return q;
}

}  // namespace corecast::json
