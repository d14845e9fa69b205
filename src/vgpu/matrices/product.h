// d = a · b + c of small matrices, whatever their elements are.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/matrices/elements.h"

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

// Sums of floats are exact but for double precision, and rounded once; those of doubles are a chain of fused
// operations that begins with c.
void multiply(const ProductTypes& types, const ProductShape& shape, ProductMatrices& matrices);

}  // namespace cudalab::vgpu
