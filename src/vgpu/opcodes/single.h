// What single precision on the card does with NaNs and with subnormal numbers. Inlined wherever it is used:
// each instruction-set level compiles it anew.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace cudalab::vgpu {

// The card makes one NaN, whatever NaNs went in.
inline constexpr std::uint32_t kNanBits32 = 0x7fffffff;
[[gnu::always_inline]] inline float one_nan(float value) {
  return value != value ? std::bit_cast<float>(kNanBits32) : value;
}

// .ftz: subnormal numbers count as zero, with their sign.
[[gnu::always_inline]] inline float flush(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

}  // namespace cudalab::vgpu
