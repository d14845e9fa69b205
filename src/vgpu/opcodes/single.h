// NaNs and subnormal numbers in single precision, as the GPU handles them. The functions are always inlined,
// because each instruction-set level must compile them with its own instructions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace cudalab::vgpu {

// The GPU returns one canonical NaN, whatever NaNs the operands are.
inline constexpr std::uint32_t kNanBits32 = 0x7fffffff;
[[gnu::always_inline]] inline float one_nan(float value) {
  return value != value ? std::bit_cast<float>(kNanBits32) : value;
}

// .ftz: subnormal numbers are flushed to zero and keep their sign.
[[gnu::always_inline]] inline float flush(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

}  // namespace cudalab::vgpu
