#include "graphs/onnx_fold.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "graphs/onnx_fold_index.hpp"

namespace corecast::graphs::importing {
namespace {

using Whole = std::int64_t;
template <typename T>
using List = std::vector<T>;

template <typename T>
const List<T>* values_of(const Inference& in, std::size_t i) {
  if constexpr (std::is_same_v<T, double>) {
    return in.reals(i);
  } else {
    return in.integers(i);
  }
}

template <typename T>
Values as_values(List<T> list) {
  Values values;
  if constexpr (std::is_same_v<T, double>) {
    values.reals = std::move(list);
  } else {
    values.integers = std::move(list);
  }
  return values;
}

std::size_t count_of(const Typed& typed) {
  return static_cast<std::size_t>(elements_of(*typed.shape).value_or(0));
}

// Nothing where the result does not exist: overflow, division by zero, not a number.
std::optional<Whole> arithmetic(const Inference& in, Whole a, Whole b) {
  const std::string_view op = in.node.type;
  Whole r = 0;
  if (op == "Add" || op == "Sum") return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  if (op == "Sub") return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  if (op == "Mul") return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "And" || op == "BitwiseAnd") return a & b;
  if (op == "Or" || op == "BitwiseOr") return a | b;
  if (op == "Xor" || op == "BitwiseXor") return a ^ b;
  if (op == "Div" || op == "Mod") {
    if (b == 0 || (b == -1 && a == std::numeric_limits<Whole>::min())) return std::nullopt;
    if (op == "Div") return a / b;
    const Whole rest = a % b;  // the sign of the divisor, unless fmod asks for that of the dividend
    return rest != 0 && (rest < 0) != (b < 0) && in.node.whole("fmod", 0) == 0 ? rest + b : rest;
  }
  if (op == "Pow" && b >= 0 && b < 64) {
    Whole power = 1;
    for (Whole i = 0; i < b; ++i) {
      if (__builtin_mul_overflow(power, a, &power)) return std::nullopt;
    }
    return power;
  }
  return std::nullopt;
}

std::optional<double> arithmetic(const Inference& in, double a, double b) {
  const std::string_view op = in.node.type;
  double r = std::numeric_limits<double>::quiet_NaN();
  if (op == "Add" || op == "Sum") r = a + b;
  if (op == "Sub") r = a - b;
  if (op == "Mul") r = a * b;
  if (op == "Div" && b != 0.0) r = a / b;
  if (op == "Min") r = std::min(a, b);
  if (op == "Max") r = std::max(a, b);
  if (op == "Mod" && b != 0.0) r = std::fmod(a, b);
  if (op == "Pow") r = std::pow(a, b);
  return std::isfinite(r) ? std::optional(r) : std::nullopt;
}

template <typename T>
std::optional<bool> compare(std::string_view op, T a, T b) {
  if (op == "Equal") return a == b;
  if (op == "Greater") return a > b;
  if (op == "GreaterOrEqual") return a >= b;
  if (op == "Less") return a < b;
  if (op == "LessOrEqual") return a <= b;
  return std::nullopt;
}

// All inputs broadcast to the result, taken together from the left.
template <typename T>
Values elementwise(const Inference& in, const Typed& typed) {
  const std::size_t n = in.inputs.size();
  if (n == 0 || in.node.whole("broadcast", 0) != 0) return {};  // the attribute: rules of before opset 7
  for (std::size_t i = 0; i < n; ++i) {
    if (values_of<T>(in, i) == nullptr || in.shape(i)->size() > typed.shape->size()) return {};
  }
  List<T> result(count_of(typed));
  List<Whole> flags(result.size());
  bool compared = false;
  Positions positions(*typed.shape);
  for (std::size_t e = 0; e < result.size(); ++e, positions.advance()) {
    T value = (*values_of<T>(in, 0))[broadcast_index(*in.shape(0), positions.at())];
    for (std::size_t i = 1; i < n; ++i) {
      const T next = (*values_of<T>(in, i))[broadcast_index(*in.shape(i), positions.at())];
      if (const auto flag = compare(in.node.type, value, next)) {
        flags[e] = *flag ? 1 : 0;
        compared = true;
      } else if (const auto combined = arithmetic(in, value, next)) {
        value = *combined;
      } else {
        return {};
      }
    }
    result[e] = value;
  }
  if (compared) return as_values(std::move(flags));
  return as_values(std::move(result));
}

std::optional<double> unary(std::string_view op, double a) {
  double r = std::numeric_limits<double>::quiet_NaN();
  if (op == "Neg") r = -a;
  if (op == "Abs") r = std::abs(a);
  if (op == "Floor") r = std::floor(a);
  if (op == "Ceil") r = std::ceil(a);
  if (op == "Round") r = std::nearbyint(a);  // to even, the default rounding mode
  if (op == "Sqrt") r = std::sqrt(a);
  if (op == "Exp") r = std::exp(a);
  if (op == "Log") r = std::log(a);
  if (op == "Reciprocal") r = 1.0 / a;
  if (op == "Sign") r = a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0;
  return std::isfinite(r) ? std::optional(r) : std::nullopt;
}

std::optional<Whole> unary(std::string_view op, Whole a) {
  if (op == "Not") return a == 0 ? 1 : 0;
  if (op == "Sign") return a > 0 ? 1 : a < 0 ? -1 : 0;
  if ((op == "Neg" || op == "Abs") && a != std::numeric_limits<Whole>::min())
    return op == "Neg" || a < 0 ? -a : a;
  return std::nullopt;
}

template <typename T>
Values map_each(const Inference& in) {
  List<T> result;
  for (const T value : *values_of<T>(in, 0)) {
    const auto mapped = unary(in.node.type, value);
    if (!mapped) return {};
    result.push_back(*mapped);
  }
  return as_values(std::move(result));
}

Values cast(const Inference& in, DataType to) {
  const auto* whole = in.integers(0);
  const auto* real = in.reals(0);
  if (is_real(to)) {
    if (real != nullptr) return as_values(*real);
    if (whole == nullptr) return {};
    List<double> out;
    for (const Whole value : *whole) out.push_back(static_cast<double>(value));
    return as_values(std::move(out));
  }
  List<Whole> out;
  if (whole != nullptr) out = *whole;
  if (real != nullptr) {
    for (const double value : *real) {
      if (!(std::abs(value) < 9e18)) return {};
      out.push_back(to == DataType::boolean ? (value != 0.0 ? 1 : 0) : static_cast<Whole>(value));
    }
  }
  if (to == DataType::boolean) {
    for (Whole& value : out) value = value != 0 ? 1 : 0;
  }
  if (to == DataType::int32) {  // signed or unsigned
    for (const Whole value : out) {
      if (value < -(Whole{1} << 31) || value >= (Whole{1} << 32)) return {};
    }
  }
  return as_values(std::move(out));
}

template <typename T>
Values select(const Inference& in, const Typed& typed) {
  const auto* condition = in.integers(0);
  const auto *yes = values_of<T>(in, 1), *no = values_of<T>(in, 2);
  if (condition == nullptr || yes == nullptr || no == nullptr) return {};
  List<T> result(count_of(typed));
  Positions positions(*typed.shape);
  for (T& value : result) {
    const bool first = (*condition)[broadcast_index(*in.shape(0), positions.at())] != 0;
    value = first ? (*yes)[broadcast_index(*in.shape(1), positions.at())]
                  : (*no)[broadcast_index(*in.shape(2), positions.at())];
    positions.advance();
  }
  return as_values(std::move(result));
}

template <typename T>
Values concat(const Inference& in, const Typed& typed) {
  const std::size_t axis = in.axis(in.node.whole("axis", 0), typed.shape->size());
  // As rows: all that lies at and behind the axis is contiguous in each input.
  std::size_t rows = 1;
  for (std::size_t d = 0; d < axis; ++d) rows *= static_cast<std::size_t>((*typed.shape)[d]);
  List<T> result;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
      const auto* values = values_of<T>(in, i);
      if (values == nullptr) return {};
      const auto length = static_cast<std::ptrdiff_t>(values->size() / rows);
      const auto first = values->begin() + static_cast<std::ptrdiff_t>(row) * length;
      result.insert(result.end(), first, first + length);
    }
  }
  if (result.size() != count_of(typed)) return {};
  return as_values(std::move(result));
}

template <typename T>
std::optional<T> accumulate(std::string_view op, T a, T b) {
  if (op == "ReduceMax") return std::max(a, b);
  if (op == "ReduceMin") return std::min(a, b);
  if constexpr (std::is_same_v<T, double>) {
    if (op == "ReduceProd") return a * b;
    if (op == "ReduceSum" || op == "ReduceMean") return a + b;
  } else {
    T r = 0;
    if (op == "ReduceProd") return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    if (op == "ReduceSum" || op == "ReduceMean")
      return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  }
  return std::nullopt;
}

template <typename T>
Values reduce(const Inference& in, const Typed& typed) {
  const Shape& data = *in.shape(0);
  const auto& values = *values_of<T>(in, 0);
  const Axes axes = axes_of(in, 1, "axes", data.size());
  if ((axes.given && !axes.axes) || values.empty()) return {};
  if (!axes.given && in.node.whole("noop_with_empty_axes", 0) != 0) return {};
  Shape kept = data;  // the result with all reduced axes kept at size 1
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (!axes.given || std::find(axes.axes->begin(), axes.axes->end(), d) != axes.axes->end()) kept[d] = 1;
  }
  std::vector<std::optional<T>> sums(count_of(typed));
  Positions positions(data);
  for (const T value : values) {
    auto& sum = sums[broadcast_index(kept, positions.at())];
    sum = sum ? accumulate(in.node.type, *sum, value) : std::optional(value);
    if (!sum) return {};
    positions.advance();
  }
  List<T> result;
  // How many values make one mean: a whole number, however it is divided by below.
  const std::size_t count = values.size() / std::max<std::size_t>(sums.size(), 1);
  const auto each = static_cast<T>(count);
  for (const auto& sum : sums) result.push_back(in.node.type == "ReduceMean" ? *sum / each : *sum);
  return as_values(std::move(result));
}

template <typename T>
Values range(const Inference& in, const Typed& typed) {
  const auto *start = values_of<T>(in, 0), *step = values_of<T>(in, 2);
  if (start == nullptr || step == nullptr) return {};
  List<T> result(count_of(typed));
  for (std::size_t i = 0; i < result.size(); ++i) {
    // Bounded by the limit, an input: no overflow but for the far ends of the type, which no model counts to.
    if constexpr (std::is_same_v<T, double>) {
      result[i] = start->front() + static_cast<double>(i) * step->front();
    } else {
      Whole offset = 0;
      if (__builtin_mul_overflow(static_cast<Whole>(i), step->front(), &offset) ||
          __builtin_add_overflow(start->front(), offset, &result[i])) {
        return {};
      }
    }
  }
  return as_values(std::move(result));
}

Values non_zero(const Inference& in, const Typed& typed) {
  const auto* values = in.integers(0);
  if (values == nullptr) return {};
  const Shape& data = *in.shape(0);
  const std::size_t columns = typed.shape->size() == 2 ? static_cast<std::size_t>((*typed.shape)[1]) : 0;
  List<Whole> result(count_of(typed));
  std::size_t column = 0;
  Positions positions(data);
  for (const Whole value : *values) {
    if (value != 0) {
      for (std::size_t d = 0; d < data.size(); ++d) result[d * columns + column] = positions.at()[d];
      ++column;
    }
    positions.advance();
  }
  return as_values(std::move(result));
}

Values shape_values(const Inference& in, const Typed& typed) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {};
  if (in.node.type == "Size") return as_values(List<Whole>{elements_of(*data).value_or(0)});
  const auto rank = static_cast<Whole>(data->size());
  Whole start = in.node.whole("start", 0);
  start = std::clamp<Whole>(start < 0 ? start + rank : start, 0, rank);
  const auto first = data->begin() + start;
  return as_values(List<Whole>(first, first + (*typed.shape)[0]));
}

Values filled(const Inference& in, const Typed& typed) {
  const std::size_t n = count_of(typed);
  if (in.value == nullptr) return as_values(List<double>(n, 0.0));
  if (in.value->view.integers && in.value->view.integers->size() == 1) {
    return as_values(List<Whole>(n, in.value->view.integers->front()));
  }
  if (in.value->reals && in.value->reals->size() == 1)
    return as_values(List<double>(n, in.value->reals->front()));
  return {};
}

template <typename T>
Values pick(const Inference& in, const std::vector<std::size_t>& sources) {
  const auto& from = *values_of<T>(in, 0);
  List<T> result;
  for (const std::size_t source : sources) {
    if (source >= from.size()) return {};
    result.push_back(from[source]);
  }
  return as_values(std::move(result));
}

template <typename Function>
Values for_either(const Inference& in, std::size_t i, const Function& function) {
  if (in.integers(i) != nullptr) return function(Whole{});
  if (in.reals(i) != nullptr) return function(double{});
  return {};
}

Values fold_one(const Inference& in, const Types& types, std::size_t output) {
  const Typed& typed = types[output];
  const std::string_view op = in.node.type;
  if (op == "Shape" || op == "Size") return shape_values(in, typed);
  if (op == "ConstantOfShape") return filled(in, typed);
  if (op == "Cast" || op == "CastLike") return cast(in, typed.type);
  if (op == "NonZero") return non_zero(in, typed);
  if (op == "Concat") return for_either(in, 0, [&](auto t) { return concat<decltype(t)>(in, typed); });
  if (op == "Range") return for_either(in, 0, [&](auto t) { return range<decltype(t)>(in, typed); });
  if (op == "Where") return for_either(in, 1, [&](auto t) { return select<decltype(t)>(in, typed); });
  if (op.starts_with("Reduce"))
    return for_either(in, 0, [&](auto t) { return reduce<decltype(t)>(in, typed); });
  if (in.integers(0) == nullptr && in.reals(0) == nullptr) return {};
  if (const auto sources = moved_from(in, types, output)) {
    return for_either(in, 0, [&](auto t) { return pick<decltype(t)>(in, *sources); });
  }
  static const std::array<std::string_view, 10> unary_operators{"Abs", "Ceil", "Exp",        "Floor", "Log",
                                                                "Neg", "Not",  "Reciprocal", "Round", "Sqrt"};
  if (op == "Sign" ||
      std::find(unary_operators.begin(), unary_operators.end(), op) != unary_operators.end()) {
    return for_either(in, 0, [&](auto t) { return map_each<decltype(t)>(in); });
  }
  if (in.inputs.size() < 2) return {};
  return for_either(in, 0, [&](auto t) { return elementwise<decltype(t)>(in, typed); });
}

}  // namespace

bool is_whole(DataType type) {
  switch (type) {
    case DataType::int64:
    case DataType::int32:
    case DataType::int16:
    case DataType::int8:
    case DataType::int4:
    case DataType::boolean:
      return true;
    default:
      return false;
  }
}

bool is_real(DataType type) {
  return type == DataType::fp64 || type == DataType::fp32 || type == DataType::fp16 || type == DataType::bf16;
}

std::vector<Values> fold(const Inference& in, const Types& types) {
  std::vector<Values> results(types.size());
  if (!in.node.domain.empty()) return results;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (!types[k].shape || count_of(types[k]) > kMostValues) continue;
    Values values = fold_one(in, types, k);
    const std::size_t n = values.integers ? values.integers->size() : values.reals ? values.reals->size() : 0;
    // A rule for shapes and one for values that disagree must not leave half a truth behind.
    const bool fits = n == count_of(types[k]) && (!values.integers || is_whole(types[k].type)) &&
                      (!values.reals || is_real(types[k].type));
    if (fits) results[k] = std::move(values);
  }
  return results;
}

}  // namespace corecast::graphs::importing
