#include "base/json.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace corecast::json {
namespace {

constexpr std::size_t kDeepest = 200;  // deeper nesting is an attack on the stack, not a file of ours
constexpr std::size_t kLongest = 40;   // characters of a piece of the file in a message

// One step of a JSON pointer, RFC 6901: ~ and / are escaped.
std::string pointer_step(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

// Builds the tree and refuses what nlohmann's own parser lets pass: repeated keys and bottomless nesting.
class StrictBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit StrictBuilder(const std::string& file) : file_(file) {}

  nlohmann::json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(nlohmann::json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(nlohmann::json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    if (stack_.back()->contains(value))
      throw InputError(place() + pointer_step(value), "key stands here twice");
    key_ = value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& error) override {
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) {  // 1e999
      throw InputError(place_of_next(),
                       fmt::format("found {}{}, wanted a number of at most {:.1e}", token.substr(0, kLongest),
                                   token.size() > kLongest ? "..." : "", std::numeric_limits<double>::max()));
    }
    // The library's text starts with its own error number; what follows the last colon-separated part is for
    // people.
    std::string reason = error.what();
    if (const auto at = reason.find(": "); at != std::string::npos) reason = reason.substr(at + 2);
    throw InputError(file_, fmt::format("not valid JSON at byte {}: {}", position, reason),
                     token.empty() ? "" : "near " + quote(token, kLongest));
  }

 private:
  template <typename Item>
  bool add(Item&& item) {
    insert(nlohmann::json(std::forward<Item>(item)));
    return true;
  }

  nlohmann::json* insert(nlohmann::json item) {
    if (stack_.empty()) {
      root_ = std::move(item);
      return &root_;
    }
    nlohmann::json& top = *stack_.back();
    if (top.is_object()) return &(top[key_] = std::move(item));
    top.push_back(std::move(item));
    return &top.back();
  }

  bool open(nlohmann::json container) {
    if (stack_.size() >= kDeepest)
      throw InputError(file_, fmt::format("nested deeper than {} levels", kDeepest));
    path_.push_back(key_);
    stack_.push_back(insert(std::move(container)));
    return true;
  }

  bool close() {
    stack_.pop_back();
    path_.pop_back();
    return true;
  }

  [[nodiscard]] std::string place() const {
    std::string pointer;
    for (std::size_t i = 1; i < path_.size(); ++i) {
      // stack_[i-1] holds path_[i]; inside an array the place is the element's number.
      const nlohmann::json& parent = *stack_[i - 1];
      pointer += parent.is_array() ? fmt::format("/{}", parent.size() - 1) : pointer_step(path_[i]);
    }
    return file_ + ": " + pointer;
  }

  // Of the value that is read now and not yet part of the tree.
  [[nodiscard]] std::string place_of_next() const {
    if (stack_.empty()) return file_;
    const nlohmann::json& parent = *stack_.back();
    const std::string step = parent.is_array() ? fmt::format("/{}", parent.size()) : pointer_step(key_);
    return (path_.size() > 1 ? place() : file_ + ": ") + step;
  }

  const std::string& file_;
  nlohmann::json root_;
  std::vector<nlohmann::json*> stack_;
  std::vector<std::string> path_;
  std::string key_;
};

std::string kind_of(const nlohmann::json& node) {
  if (node.is_string()) return "text " + quote(node.get<std::string>());
  if (node.is_number() || node.is_boolean()) return node.dump();
  if (node.is_object()) return "an object";
  if (node.is_array()) return "an array";
  return "null";
}

}  // namespace

Value::Value(const nlohmann::json* node, std::string file, std::string pointer)
    : node_(node), file_(std::move(file)), pointer_(std::move(pointer)) {}

std::string Value::place() const {
  return pointer_.empty() ? file_ : file_ + ": " + pointer_;
}
bool Value::is_object() const {
  return node_->is_object();
}
bool Value::is_array() const {
  return node_->is_array();
}
bool Value::is_text() const {
  return node_->is_string();
}
bool Value::is_number() const {
  return node_->is_number();
}

void Value::fail(std::string what, std::string hint) const {
  throw InputError(place(), std::move(what), std::move(hint));
}

Object Value::object() const {
  if (!node_->is_object()) fail("wanted an object, found " + kind_of(*node_));
  return Object(*this, node_);
}

std::vector<Value> Value::array() const {
  if (!node_->is_array()) fail("wanted an array, found " + kind_of(*node_));
  std::vector<Value> values;
  values.reserve(node_->size());
  for (std::size_t i = 0; i < node_->size(); ++i) {
    values.emplace_back(&(*node_)[i], file_, fmt::format("{}/{}", pointer_, i));
  }
  return values;
}

std::string Value::dump() const {
  return node_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Value::text() const {
  if (!node_->is_string()) fail("wanted text, found " + kind_of(*node_));
  return node_->get<std::string>();
}

bool Value::boolean() const {
  if (!node_->is_boolean()) fail("wanted true or false, found " + kind_of(*node_));
  return node_->get<bool>();
}

double Value::number() const {
  if (!node_->is_number()) fail("wanted a number, found " + kind_of(*node_));
  return node_->get<double>();
}

double Value::number(double low, double high) const {
  const double value = number();
  if (!(value >= low && value <= high))
    fail(fmt::format("wanted a number from {} to {}, found {}", low, high, value));
  return value;
}

std::int64_t Value::whole(std::int64_t low, std::int64_t high) const {
  const std::string wanted =
      fmt::format("wanted a whole number from {} to {}, found {}", low, high, kind_of(*node_));
  if (!node_->is_number_integer()) fail(wanted);
  if (node_->is_number_unsigned() && node_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    fail(wanted);
  const auto value = node_->get<std::int64_t>();
  if (value < low || value > high) fail(wanted);
  return value;
}

Object::Object(Value value, const nlohmann::json* node) : value_(std::move(value)), node_(node) {}

namespace {
Value child(const Value& parent, const nlohmann::json& node, std::string_view key) {
  const std::string place = parent.place();
  const std::string pointer =
      place.size() > parent.file().size() ? place.substr(parent.file().size() + 2) : "";
  return Value(&node, parent.file(), pointer + pointer_step(key));
}
}  // namespace

std::optional<Value> Object::optional(std::string_view key) {
  asked_.emplace_back(key);
  const auto found = node_->find(std::string(key));
  if (found == node_->end()) return std::nullopt;
  return child(value_, *found, key);
}

Value Object::required(std::string_view key) {
  auto found = optional(key);
  if (!found) value_.fail(fmt::format("key \"{}\" is missing", key));
  return *std::move(found);
}

std::vector<std::pair<std::string, Value>> Object::entries() {
  std::vector<std::pair<std::string, Value>> out;
  for (const auto& [key, node] : node_->items()) {  // nlohmann keeps keys sorted
    asked_.push_back(key);
    out.emplace_back(key, child(value_, node, key));
  }
  return out;
}

void Object::finish() const {
  for (const auto& [key, node] : node_->items()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    value_.fail(fmt::format("unknown key {}", quote(key)), did_you_mean(key, asked_));
  }
}

Document::Document(std::string file, std::string_view text) : file_(std::move(file)) {
  StrictBuilder builder(file_);
  nlohmann::json::sax_parse(text, &builder);
  tree_ = std::make_unique<nlohmann::json>(builder.take());
}
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

Value Document::root() const {
  return Value(tree_.get(), file_, "");
}

Document read(const std::filesystem::path& path) {
  return Document(path.string(), read_file(path));
}
Document parse(std::string_view text, std::string file) {
  return Document(std::move(file), text);
}

}  // namespace corecast::json
