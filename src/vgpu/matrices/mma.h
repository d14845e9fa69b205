// mma, ldmatrix, stmatrix and movmatrix: element types, multiplication of small matrices, and fragment
// layouts that PTX specifies.
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
#include "vgpu/program.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Matrix elements as bits, and the numbers that they represent (PTX ISA, "Matrix Data-types").

struct ElementInfo {
  Element element;
  std::string_view name;  // as in PTX
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
// In a fragment, doubles have their own registers.
constexpr int register_bits(Element element) { return element == Element::kF64 ? 64 : 32; }
constexpr int per_register(Element element) { return register_bits(element) / info(element).bits; }

// An 8-bit float. `has_infinity`: like IEEE 754; otherwise all exponents are numbers and all ones is NaN.
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
  constexpr std::uint32_t kTf32Bits = 0xffff'e000;  // the tensor cores ignore the other bits
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
  constexpr std::uint32_t kNan = 0x7fff'ffff;  // the GPU's canonical NaN
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

// d = a · b + c for small matrices of any element type.

// The position of an element in a matrix.
struct MatrixPlace {
  int row, column;
};

// Bits of elements in row-major order.
inline constexpr std::size_t kMostElements = 16 * 256;
using ElementBits = std::array<std::uint64_t, kMostElements>;
struct ProductMatrices {
  ElementBits a, b, c, d;
};

// Writes a register that holds elements.
inline void set_register(const Warp& warp, Slot slot, int lane, Element element, std::uint64_t held) {
  if (register_bits(element) == 64)
    lanes_at<std::uint64_t>(warp, slot)[lane] = held;
  else
    lanes_at<std::uint32_t>(warp, slot)[lane] = static_cast<std::uint32_t>(held);
}

// Sums of floats are exact except in double precision, and rounded once; sums of doubles are a chain of fused
// operations that begins with c.
void multiply(const ProductTypes& types, const ProductShape& shape, ProductMatrices& matrices);

}  // namespace cudalab::vgpu

namespace cudalab::vgpu::mma {

// mma of shape m8n8k4 on f16, from the first tensor cores: four multiplications at once, each by eight lanes
// (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").

inline constexpr ProductShape kQuadShape{8, 8, 4};
inline constexpr int kQuadFactorRegisters = 2;  // of a, and of b
constexpr int quad_sum_registers(Element element) { return 8 / per_register(element); }
// Whether PTX has sums of these types: c may be widened to d, but not narrowed.
bool has_quad_sums(Element c, Element d);

enum QuadLayout : std::uint32_t { kColumnsOfA = 1, kColumnsOfB = 2 };

// imm: index into Program::products; e.bits: QuadLayout; slots: the registers of d, a, b, c.
const Inst* multiply_quads(const Inst* inst, Warp& warp);

// mma, ldmatrix, stmatrix and movmatrix: small matrices whose distribution over a warp's registers is
// specified by PTX (PTX ISA, "Matrix multiply-accumulate operation using mma instruction": the figures of the
// fragments).

// m × k times k × 8.
struct Product : MatrixProduct {
  int a_registers() const { return shape.m * shape.k / (kWarpSize * per_register(types.a)); }
  int b_registers() const { return shape.k * shape.n / (kWarpSize * per_register(types.b)); }
  int sum_registers(Element element) const { return shape.m * shape.n / (kWarpSize * per_register(element)); }
};
// Whether PTX has this form, and the virtual GPU supports it.
bool is_known(const Product& product);

// imm: index of a Product in Program::products; slots: the registers of d, a, b, c.
const Inst* multiply(const Inst* inst, Warp& warp);

// 1, 2 or 4 matrices of 8 × 8 elements of 16 bits; lanes 0–7, 8–15, … hold the addresses of their rows.
// slots: one register each; a: generic addresses; imm: number of matrices, plus kTransposed.
inline constexpr std::uint64_t kTransposed = 8;
inline constexpr int kRowBytes = 16;  // of such a matrix
const Inst* load_matrices(const Inst* inst, Warp& warp);
const Inst* store_matrices(const Inst* inst, Warp& warp);
// d = the matrix in a, transposed.
const Inst* transpose_matrix(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::mma
