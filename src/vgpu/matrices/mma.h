// mma, ldmatrix, stmatrix and movmatrix: small matrices whose place in a warp's registers PTX lays down (PTX
// ISA, "Matrix multiply-accumulate operation using mma instruction": the figures of the fragments).
#pragma once

#include "vgpu/matrices/product.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu::mma {

// m × k times k × 8.
struct Product : MatrixProduct {
  int a_registers() const { return shape.m * shape.k / (kWarpSize * per_register(types.a)); }
  int b_registers() const { return shape.k * shape.n / (kWarpSize * per_register(types.b)); }
  int sum_registers(Element element) const { return shape.m * shape.n / (kWarpSize * per_register(element)); }
};
// Whether PTX has such a product, and the virtual GPU does.
bool is_known(const Product& product);

// imm: the number of a Product in Program::products; slots: the registers of d, a, b, c.
const Inst* multiply(const Inst* inst, Warp& warp);

// 1, 2 or 4 matrices of 8 × 8 elements of 16 bits, which lanes 0–7, 8–15, … point to row by row. slots: a
// register each; a: generic addresses; imm: how many, plus kTransposed.
inline constexpr std::uint64_t kTransposed = 8;
inline constexpr int kRowBytes = 16;  // of such a matrix
const Inst* load_matrices(const Inst* inst, Warp& warp);
const Inst* store_matrices(const Inst* inst, Warp& warp);
// d = the matrix in a, transposed.
const Inst* transpose_matrix(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::mma
