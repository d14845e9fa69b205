// wmma: a warp loads, multiplies and stores small matrices of half and single precision.
//
// Which lane holds which element is left open by PTX. Here register r of lane l holds the elements from
// (l · registers + r) · (elements a register) on, in row-major order, modulo the number of elements: a matrix
// that is smaller than its registers is there several times, as on the card.
#pragma once

#include <bit>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu::wmma {

// A matrix in registers, as Inst::imm holds it.
struct Tile {
  std::uint8_t rows = 0, columns = 0;
  std::uint8_t element_bytes = 0;  // 2: half precision, two a register; 4: single
  std::uint8_t registers = 0;      // a lane
  std::uint8_t by_columns = 0;     // in memory
  std::uint8_t unused[3] = {};
  int elements() const { return rows * columns; }
  int vectors() const { return by_columns ? columns : rows; }  // that lie in a row in memory
  int length() const { return by_columns ? rows : columns; }   // of one
};
static_assert(sizeof(Tile) == sizeof(std::uint64_t));

// slots: the registers; a: the generic address; b: elements from one row (or column) to the next; imm: the
// Tile.
const Inst* load(const Inst* inst, Warp& warp);
const Inst* store(const Inst* inst, Warp& warp);

// d = a · b + c. slots: the registers of d, a, b, c.
struct Multiplication {
  std::uint8_t m = 0, n = 0, k = 0;
  std::uint8_t c_bytes = 0, d_bytes = 0;  // of an element
  std::uint8_t unused[3] = {};
  Tile a() const { return {m, k, 2, 8, 0, {}}; }
  Tile b() const { return {k, n, 2, 8, 0, {}}; }
  Tile sum(std::uint8_t bytes) const {
    return {m, n, bytes, static_cast<std::uint8_t>(bytes == 2 ? 4 : 8), 0, {}};
  }
};
static_assert(sizeof(Multiplication) == sizeof(std::uint64_t));
const Inst* multiply(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::wmma
