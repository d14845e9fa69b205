// wmma: a warp loads, multiplies and stores small matrices.
//
// PTX does not specify which lane holds which element. Here register r of lane l holds the elements from (l ·
// registers + r) · (elements per register) on, in row-major order, modulo the number of elements: a matrix
// smaller than its registers is stored several times, as on a GPU.
#pragma once

#include "vgpu/matrices/mma.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu::wmma {

// A matrix in registers, as Inst::imm holds it.
struct Tile {
  std::uint8_t rows = 0, columns = 0;
  Element element{};
  std::uint8_t registers = 0;   // per lane
  std::uint8_t by_columns = 0;  // in memory
  std::uint8_t unused[3] = {};
  int elements() const { return rows * columns; }
  // Rows or columns that are contiguous in memory.
  int vectors() const { return by_columns ? columns : rows; }
  int length() const { return by_columns ? rows : columns; }  // elements per vector
  int vector_bytes() const { return length() * info(element).bits / 8; }
  int chunk_bytes() const { return vector_bytes() < 16 ? vector_bytes() : 16; }  // moved by one lane
};
static_assert(sizeof(Tile) == sizeof(std::uint64_t));

// slots: the registers; a: the generic address; b: stride between rows (or columns), in elements; imm: the
// Tile.
const Inst* load(const Inst* inst, Warp& warp);
const Inst* store(const Inst* inst, Warp& warp);

// The operands of a wmma.mma.
struct Product : MatrixProduct {
  Tile a() const { return tile(shape.m, shape.k, types.a, true); }
  Tile b() const { return tile(shape.k, shape.n, types.b, true); }
  Tile sum(Element element) const { return tile(shape.m, shape.n, element, false); }
  // Half-precision factors always take 8 registers, other factors only as many as they need.
  static Tile tile(int rows, int columns, Element element, bool is_factor);
};
// Whether PTX has this form.
bool is_known(const Product& product);

// Whether some form of that shape has such a factor, or such a sum.
bool is_tile(const ProductShape& shape, Element element, bool is_factor);

// imm: index of a Product in Program::products; slots: the registers of d, a, b, c.
const Inst* multiply(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::wmma
