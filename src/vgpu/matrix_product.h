// What a wmma.mma or mma multiplies: decided when it is decoded.
#pragma once

#include <cstdint>

namespace cudalab::vgpu {

// Types of matrix elements; matrices/elements.h knows more of them.
enum class Element : std::uint8_t {
  kF16,
  kBF16,
  kTF32,
  kE4M3,
  kE5M2,
  kF32,
  kF64,
  kS8,
  kU8,
  kS4,
  kU4,
  kB1,
  kS32
};

struct ProductTypes {
  Element a{}, b{}, c{}, d{};
  bool saturates = false;  // integers: the result stays at the limits of s32
  bool ands = false;       // single bits: `and`, else `xor`; the ones are counted
};

// m × k times k × n.
struct ProductShape {
  int m = 0, n = 0, k = 0;
  friend bool operator==(const ProductShape&, const ProductShape&) = default;
};

struct MatrixProduct {
  ProductTypes types;
  ProductShape shape;
};

}  // namespace cudalab::vgpu
