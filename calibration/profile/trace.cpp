#include "calibration/profile/trace.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "calibration/profile/trace_events.hpp"

namespace corecast::calibration::profile {
namespace {

using Json = nlohmann::json;

// Called for each piece of JSON. Only the event at hand is kept as a tree; `open_` are its unfinished values. Outside of
// events `depth_` counts brackets, and `list_` is the depth at which events stand.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  explicit Reader(Trace& trace) : trace_(trace) {}

  bool null() override { return value(nullptr); }
  bool boolean(bool b) override { return value(b); }
  bool number_integer(number_integer_t n) override { return value(n); }
  bool number_unsigned(number_unsigned_t n) override { return value(n); }
  bool number_float(number_float_t n, const string_t& /*text*/) override { return value(n); }
  bool string(string_t& text) override { return value(std::move(text)); }
  bool binary(binary_t& /*bytes*/) override { return value(nullptr); }
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& text) override {
    key_ = text;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*why*/) override {
    broken_at_ = position;
    return false;
  }

  [[nodiscard]] std::size_t broken_at() const { return broken_at_; }
  [[nodiscard]] bool found_list() const { return found_list_; }

 private:
  bool value(Json v) {
    if (!open_.empty()) add(std::move(v));
    return true;
  }

  Json* add(Json v) {
    Json& to = *open_.back();
    if (to.is_object()) return &(to[key_] = std::move(v));
    to.push_back(std::move(v));
    return &to.back();
  }

  bool open(Json v) {
    if (!open_.empty()) {
      open_.push_back(add(std::move(v)));
      return true;
    }
    if (in_list_ && depth_ == list_) {
      if (v.is_object()) {
        event_ = std::move(v);
        open_.push_back(&event_);
        return true;
      }
    } else if (v.is_array() && (depth_ == 0 || (depth_ == 1 && key_ == "traceEvents"))) {
      in_list_ = true;
      found_list_ = true;
      list_ = depth_ + 1;
    }
    ++depth_;
    return true;
  }

  bool close() {
    if (open_.empty()) {
      --depth_;
      if (in_list_ && depth_ < list_) in_list_ = false;
      return true;
    }
    open_.pop_back();
    if (open_.empty()) finish();
    return true;
  }

  void finish() {
    ++seen_;
    if (auto event = event_of(event_, fmt::format("{}: event {}", trace_.file, seen_)))
      trace_.events.push_back(std::move(*event));
    else
      ++trace_.others;
  }

  Trace& trace_;
  Json event_;
  std::vector<Json*> open_;  // into event_; only the innermost is ever added to, so none of the others moves
  std::string key_;
  std::size_t depth_ = 0, list_ = 0, seen_ = 0, broken_at_ = 0;
  bool in_list_ = false, found_list_ = false;
};

}  // namespace

Trace parse_trace(std::string_view text, std::string file) {
  if (text.starts_with("\x1f\x8b")) throw InputError(file, "is compressed with gzip", "gunzip it first");
  Trace trace;
  trace.file = std::move(file);
  Reader reader(trace);
  const bool whole = Json::sax_parse(text, &reader);
  // Broken before the end is a mistake in the file; at the end, what a program that was stopped leaves.
  if (!whole) {
    const std::size_t last = text.find_last_not_of(" \t\r\n\0");
    const std::size_t end = last == std::string_view::npos ? 0 : last + 1;
    if (end == 0) throw InputError(trace.file, "is empty, wanted a profiler's trace");
    if (reader.broken_at() < end || !reader.found_list()) {
      throw InputError(trace.file, fmt::format("is no JSON: broken at byte {}", reader.broken_at()),
                       "wanted a Chrome trace of onnxruntime's or PyTorch's profiler");
    }
    trace.cut_short = true;
  }
  if (!reader.found_list()) {
    throw InputError(trace.file, "has no list of events",
                     "wanted a Chrome trace: an array of events, or an object with \"traceEvents\"");
  }
  return trace;
}

Trace read_trace(const std::filesystem::path& path) {
  return parse_trace(read_file(path, kMostTraceBytes), path.string());
}

}  // namespace corecast::calibration::profile
