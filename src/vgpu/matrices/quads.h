// mma of shape m8n8k4 on f16, the first tensor cores' own: four products at once, each by eight lanes (PTX
// ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").
#pragma once

#include "vgpu/matrices/product.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu::mma {

inline constexpr ProductShape kQuadShape{8, 8, 4};
inline constexpr int kQuadFactorRegisters = 2;  // of a, and of b
constexpr int quad_sum_registers(Element element) { return 8 / per_register(element); }
// Whether PTX has sums of these types: c is widened to d, never narrowed.
bool has_quad_sums(Element c, Element d);

enum QuadLayout : std::uint32_t { kColumnsOfA = 1, kColumnsOfB = 2 };

// imm: the number of the product in Program::products; e.bits: QuadLayout; slots: the registers of d, a, b,
// c.
const Inst* multiply_quads(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::mma
