// The element types of buffers and kernel arguments: their names on the command line and their sizes.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace cudalab {

enum class ScalarType { kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF16, kBF16, kF32, kF64 };

struct ScalarTypeInfo {
  ScalarType type;
  std::string_view name;       // as in `--type f32`
  std::string_view cuda_name;  // as in a kernel's source
  std::size_t bytes;
};

inline constexpr std::array<ScalarTypeInfo, 12> kScalarTypes{{
    {ScalarType::kU8, "u8", "unsigned char", 1},
    {ScalarType::kI8, "i8", "signed char", 1},
    {ScalarType::kU16, "u16", "unsigned short", 2},
    {ScalarType::kI16, "i16", "short", 2},
    {ScalarType::kU32, "u32", "unsigned int", 4},
    {ScalarType::kI32, "i32", "int", 4},
    {ScalarType::kU64, "u64", "unsigned long long", 8},
    {ScalarType::kI64, "i64", "long long", 8},
    {ScalarType::kF16, "f16", "__half", 2},
    {ScalarType::kBF16, "bf16", "__nv_bfloat16", 2},
    {ScalarType::kF32, "f32", "float", 4},
    {ScalarType::kF64, "f64", "double", 8},
}};

constexpr const ScalarTypeInfo& info(ScalarType type) { return kScalarTypes[static_cast<std::size_t>(type)]; }

constexpr std::optional<ScalarType> scalar_type_named(std::string_view name) {
  for (const ScalarTypeInfo& row : kScalarTypes)
    if (row.name == name) return row.type;
  return std::nullopt;
}

}  // namespace cudalab
