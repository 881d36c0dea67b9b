// Element types of tensors and of arithmetic, by their field names.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace corecast {

enum class DataType { fp64, fp32, fp16, bf16, int64, int32, int16, int8, int4, boolean, string, unknown };

inline constexpr std::array<std::string_view, 12> kDataTypeNames{
    "fp64", "fp32", "fp16", "bf16", "int64", "int32", "int16", "int8", "int4", "bool", "string", "unknown"};

[[nodiscard]] constexpr std::string_view name_of(DataType type) {
  return kDataTypeNames[static_cast<std::size_t>(type)];
}

// int8 stands for uint8 too, and so on: the cost is the same.
[[nodiscard]] constexpr std::optional<DataType> data_type_named(std::string_view name) {
  for (std::size_t i = 0; i < kDataTypeNames.size(); ++i) {
    if (kDataTypeNames[i] == name) return static_cast<DataType>(i);
  }
  return std::nullopt;
}

// Bytes of one element; int4 packs two in a byte; a string is counted as its 16-byte handle.
[[nodiscard]] constexpr double bytes_per_element(DataType type) {
  switch (type) {
    case DataType::fp64:
    case DataType::int64:
      return 8.0;
    case DataType::fp32:
    case DataType::int32:
    case DataType::unknown:
      return 4.0;
    case DataType::fp16:
    case DataType::bf16:
    case DataType::int16:
      return 2.0;
    case DataType::int8:
    case DataType::boolean:
      return 1.0;
    case DataType::int4:
      return 0.5;
    case DataType::string:
      return 16.0;
  }
  return 4.0;
}

}  // namespace corecast
