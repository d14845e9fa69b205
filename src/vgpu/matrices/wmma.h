// wmma: a warp loads, multiplies and stores small matrices.
//
// PTX does not specify which lane holds which element, but programs that combine wmma with ldmatrix or mma
// rely on a GPU's layout. Tile describes the one that an H200 has, for all forms
// (expected/h200/instructions.txt).
#pragma once

#include "vgpu/matrices/mma.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu::wmma {

// A matrix in registers, as Inst::imm holds it. It consists of blocks of 8 rows. In a block, each group of
// four lanes holds a row, and each lane `run` consecutive elements of it. The lane's registers hold its
// elements of the first block, then of the next: `pair` blocks below each other, then those to their right,
// then the rows below. A matrix smaller than its registers is held several times.
struct Tile {
  std::uint8_t rows = 0, columns = 0;
  Element element{};
  std::uint8_t registers = 0;      // per lane
  std::uint8_t by_columns = 0;     // in memory
  std::uint8_t is_transposed = 0;  // for the order in registers, rows and columns are exchanged
  std::uint8_t pair = 1;
  std::uint8_t run = 1;
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
  Tile a() const;
  Tile b() const;
  Tile sum(Element element) const;
};
// Whether PTX has this form.
bool is_known(const Product& product);

// Whether some form of that shape has such a factor, or such a sum.
bool is_tile(const ProductShape& shape, Element element, bool is_factor);

// imm: index of a Product in Program::products; slots: the registers of d, a, b, c.
const Inst* multiply(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::wmma
