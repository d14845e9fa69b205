// The elements of matrices as bits, and the numbers that they stand for (PTX ISA, "Matrix Data-types").
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/half.h"
#include "vgpu/matrix_product.h"

namespace cudalab::vgpu {

struct ElementInfo {
  Element element;
  std::string_view name;  // as PTX has it
  std::uint8_t bits;
  bool is_integer;
};
// clang-format off
inline constexpr std::array<ElementInfo, 13> kElements{{
    {Element::kF16,  "f16",  16, false},
    {Element::kBF16, "bf16", 16, false},
    {Element::kTF32, "tf32", 32, false},
    {Element::kE4M3, "e4m3", 8,  false},
    {Element::kE5M2, "e5m2", 8,  false},
    {Element::kF32,  "f32",  32, false},
    {Element::kF64,  "f64",  64, false},
    {Element::kS8,   "s8",   8,  true},
    {Element::kU8,   "u8",   8,  true},
    {Element::kS4,   "s4",   4,  true},
    {Element::kU4,   "u4",   4,  true},
    {Element::kB1,   "b1",   1,  true},
    {Element::kS32,  "s32",  32, true},
}};
// clang-format on

constexpr const ElementInfo& info(Element element) { return kElements[static_cast<std::size_t>(element)]; }
constexpr std::optional<Element> element_named(std::string_view name) {
  for (const ElementInfo& row : kElements)
    if (row.name == name) return row.element;
  return std::nullopt;
}
// Of a fragment: doubles have registers of their own.
constexpr int register_bits(Element element) { return element == Element::kF64 ? 64 : 32; }
constexpr int per_register(Element element) { return register_bits(element) / info(element).bits; }

// A float of 8 bits; `has_infinity`: of IEEE 754's kind, else all exponents are numbers and all ones is NaN.
inline double small_float(std::uint32_t bits, int fraction_bits, bool has_infinity) {
  const int exponent_bits = 7 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const auto exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1), size = bits & 0x7f;
  const double sign = bits & 0x80 ? -1 : 1;
  const bool is_top = exponent == (1 << exponent_bits) - 1;
  if (has_infinity ? is_top && fraction : size == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  if (has_infinity && is_top) return sign * std::numeric_limits<double>::infinity();
  const double mantissa = fraction + (exponent ? 1u << fraction_bits : 0u);
  return sign * std::ldexp(mantissa, std::max(exponent, 1) - bias - fraction_bits);
}

inline double number_of(Element element, std::uint64_t bits) {
  constexpr std::uint32_t kTf32Bits = 0xffff'e000;  // the tensor cores see no others
  const auto word = static_cast<std::uint32_t>(bits);
  switch (element) {
    case Element::kF16: return half_value(static_cast<std::uint16_t>(word), kF16Format);
    case Element::kBF16: return half_value(static_cast<std::uint16_t>(word), kBF16Format);
    case Element::kTF32: return double{std::bit_cast<float>(word & kTf32Bits)};
    case Element::kE4M3: return small_float(word, 3, false);
    case Element::kE5M2: return small_float(word, 2, true);
    case Element::kF64: return std::bit_cast<double>(bits);
    default: return double{std::bit_cast<float>(word)};
  }
}

inline std::uint64_t bits_of_number(Element element, double value) {
  constexpr std::uint32_t kNan = 0x7fff'ffff;  // the card's only one
  if (element == Element::kF16) return half_bits(value, kF16Format);
  if (element == Element::kF64) return std::bit_cast<std::uint64_t>(value);
  return std::isnan(value) ? kNan : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

inline std::int64_t integer_of(Element element, std::uint64_t bits) {
  const bool is_signed = element == Element::kS8 || element == Element::kS4 || element == Element::kS32;
  const int unused = 64 - info(element).bits;
  return is_signed ? static_cast<std::int64_t>(bits << unused) >> unused
                   : static_cast<std::int64_t>(bits << unused >> unused);
}

}  // namespace cudalab::vgpu
