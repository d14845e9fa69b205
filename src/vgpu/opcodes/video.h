// Video instructions: arithmetic on bytes, half-words and words of registers, with saturation, a second
// operation or a merge (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions").
#pragma once

#include <bit>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The operation on a part of a and a part of b.
enum class VideoOperation : std::uint8_t {
  kAdd,
  kSubtract,
  kDifference,
  kMinimum,
  kMaximum,
  kAverage,
  kMultiplyAdd,  // with c, so no VideoEnd operation follows
  kShiftLeft,
  kShiftRight,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};
// Combines the results with c: they replace parts of c, or are added to or compared with all of c.
enum class VideoEnd : std::uint8_t { kMerge, kAdd, kMinimum, kMaximum };

struct VideoOp {
  VideoOperation operation{};
  VideoEnd end{};
  std::uint8_t a_bits = 32, b_bits = 32, d_bits = 32;  // width of a part
  std::uint8_t positions = 1;                          // parts of d, one bit each
  bool is_simd = false;                                // one result per position; else one for all positions
  enum Flag : std::uint8_t {
    kSignedA = 1,
    kSignedB = 2,
    kSignedD = 4,
    kSaturates = 8,
    kWraps = 16,
    kPlusOne = 32,
    kShift7 = 64,
    kShift15 = 128
  };  // for kMultiplyAdd
  std::uint8_t flags = 0;
};
static_assert(sizeof(VideoOp) == sizeof(std::uint64_t));

// The parts of the 64 bits {b, a} that are operands: for position i, part `(parts >> 4 i) & 15`.
constexpr std::uint32_t video_parts(std::uint32_t of_a, std::uint32_t of_b) { return of_a | of_b << 16; }

// imm: a VideoOp; a, b, c, d: 32 bits; e.bits: video_parts.
const Inst* video(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu
