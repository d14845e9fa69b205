// Values of matrix elements in tests.
#pragma once

namespace cudalab::vgpu {

// Small multiples of 1/8, so sums of 16 products are exact even in half precision.
inline double element(int i, int salt) { return ((i * 37 + salt * 11) % 9 - 4) / 8.0; }

}  // namespace cudalab::vgpu
