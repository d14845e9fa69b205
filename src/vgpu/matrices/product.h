// d = a · b + c of small matrices, whatever their elements are.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/matrices/elements.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Of an element in a matrix.
struct MatrixPlace {
  int row, column;
};

// Bits of elements, row by row.
inline constexpr std::size_t kMostElements = 16 * 256;
using ElementBits = std::array<std::uint64_t, kMostElements>;
struct ProductMatrices {
  ElementBits a, b, c, d;
};

// What a register of elements holds.
inline void set_register(const Warp& warp, Slot slot, int lane, Element element, std::uint64_t held) {
  if (register_bits(element) == 64)
    lanes_at<std::uint64_t>(warp, slot)[lane] = held;
  else
    lanes_at<std::uint32_t>(warp, slot)[lane] = static_cast<std::uint32_t>(held);
}

// Sums of floats are exact but for double precision, and rounded once; those of doubles are a chain of fused
// operations that begins with c.
void multiply(const ProductTypes& types, const ProductShape& shape, ProductMatrices& matrices);

}  // namespace cudalab::vgpu
