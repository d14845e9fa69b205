// mma and ldmatrix: small matrices whose place in a warp's registers PTX lays down (PTX ISA 9.7.14, "Matrix
// fragments for mma.m16n8k16" and "ldmatrix").
#pragma once

#include <bit>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu::mma {

// d = a · b + c: 16 × k times k × 8, as Inst::imm holds it.
struct Product {
  std::uint8_t k = 16;                        // or 8
  std::uint8_t is_bfloat = 0;                 // a and b; else f16
  std::uint8_t c_is_half = 0, d_is_half = 0;  // else f32
  std::uint8_t unused[4] = {};
  int a_registers() const { return k / 4; }
  int b_registers() const { return k / 8; }
  static int sum_registers(bool is_half) { return is_half ? 2 : 4; }
};
static_assert(sizeof(Product) == sizeof(std::uint64_t));

// slots: the registers of d, a, b, c.
const Inst* multiply(const Inst* inst, Warp& warp);

// 1, 2 or 4 matrices of 8 × 8 elements of 16 bits, which lanes 0–7, 8–15, … point to row by row. slots: a
// register each; a: generic addresses; imm: how many, plus kTransposed.
inline constexpr std::uint64_t kTransposed = 8;
const Inst* load_matrices(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::mma
