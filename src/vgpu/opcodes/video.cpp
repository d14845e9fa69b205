#include "vgpu/opcodes/video.h"

#include <algorithm>
#include <bit>

namespace cudalab::vgpu {
namespace {

using Number = __int128;  // holds 32-bit values shifted left by 32

Number part(std::uint64_t both, std::uint32_t number, unsigned bits, bool is_signed) {
  const unsigned unused = 64 - bits;
  const std::uint64_t high = both >> (number * bits) << unused;
  return is_signed ? Number{static_cast<std::int64_t>(high) >> unused} : Number{high >> unused};
}

Number operate(const VideoOp& op, Number a, Number b) {
  constexpr Number kWordBits = 32;
  const Number distance = op.flags & VideoOp::kWraps ? b % kWordBits : std::min(b, kWordBits);
  switch (op.operation) {
    case VideoOperation::kAdd: return a + b;
    case VideoOperation::kSubtract: return a - b;
    case VideoOperation::kDifference: return a < b ? b - a : a - b;
    case VideoOperation::kMinimum: return std::min(a, b);
    case VideoOperation::kMaximum: return std::max(a, b);
    case VideoOperation::kMultiplyAdd: return a * b;
    case VideoOperation::kAverage: return (a + b + (a + b >= 0)) >> 1;
    case VideoOperation::kShiftLeft: return a * (Number{1} << distance);
    case VideoOperation::kShiftRight: return a >> distance;
    case VideoOperation::kEqual: return a == b;
    case VideoOperation::kNotEqual: return a != b;
    case VideoOperation::kLess: return a < b;
    case VideoOperation::kLessEqual: return a <= b;
    case VideoOperation::kGreater: return a > b;
    case VideoOperation::kGreaterEqual: return a >= b;
  }
  return 0;
}

Number saturated(const VideoOp& op, Number value) {
  if (!(op.flags & VideoOp::kSaturates)) return value;
  const bool is_signed = op.flags & VideoOp::kSignedD;
  const Number values = Number{1} << op.d_bits, least = is_signed ? -values / 2 : 0;
  return std::clamp(value, least, least + values - 1);
}

std::uint32_t merged(const VideoOp& op, std::uint32_t c, int position, Number value) {
  const int at = position * op.d_bits;
  const std::uint64_t mask = ((std::uint64_t{1} << op.d_bits) - 1) << at;
  return static_cast<std::uint32_t>((c & ~mask) | (static_cast<std::uint64_t>(value) << at & mask));
}

std::uint32_t with_c(const VideoOp& op, std::uint32_t c, int position, Number value) {
  const Number other = part(c, 0, 32, op.flags & VideoOp::kSignedD);
  switch (op.end) {
    case VideoEnd::kMerge: return merged(op, c, position, value);
    case VideoEnd::kAdd: return static_cast<std::uint32_t>(other + value);
    case VideoEnd::kMinimum: return static_cast<std::uint32_t>(std::min(other, value));
    case VideoEnd::kMaximum: return static_cast<std::uint32_t>(std::max(other, value));
  }
  return c;
}

// "signedFinal": if a factor is signed, the sum and its saturation limits are signed.
std::uint32_t multiply_add(const VideoOp& op, Number product, std::uint32_t c) {
  const bool is_signed = op.flags & (VideoOp::kSignedA | VideoOp::kSignedB);
  const Number sum = product + part(c, 0, 32, is_signed) + (op.flags & VideoOp::kPlusOne ? 1 : 0);
  VideoOp end = op;
  end.flags =
      static_cast<std::uint8_t>((op.flags & ~VideoOp::kSignedD) | (is_signed ? VideoOp::kSignedD : 0));
  const int shift = op.flags & VideoOp::kShift7 ? 7 : op.flags & VideoOp::kShift15 ? 15 : 0;
  return static_cast<std::uint32_t>(saturated(end, sum >> shift));
}

std::uint32_t compute(const VideoOp& op, std::uint32_t parts, std::uint64_t both, std::uint32_t c) {
  for (int position = 0; position < 4; ++position) {
    if (!(op.positions >> position & 1)) continue;
    const int digit = op.is_simd ? 4 * position : 0;
    const Number a = part(both, parts >> digit & 15, op.a_bits, op.flags & VideoOp::kSignedA);
    const Number b = part(both, parts >> (16 + digit) & 15, op.b_bits, op.flags & VideoOp::kSignedB);
    if (op.operation == VideoOperation::kMultiplyAdd) return multiply_add(op, operate(op, a, b), c);
    c = with_c(op, c, position, saturated(op, operate(op, a, b)));
  }
  return c;
}

}  // namespace

const Inst* video(const Inst* inst, Warp& warp) {
  const auto op = std::bit_cast<VideoOp>(inst->imm);
  const auto *a = lanes_at<const std::uint32_t>(warp, inst->a),
             *b = lanes_at<const std::uint32_t>(warp, inst->b),
             *c = lanes_at<const std::uint32_t>(warp, inst->c);
  auto* d = lanes_at<std::uint32_t>(warp, inst->d);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    d[lane] = compute(op, inst->e.bits, std::uint64_t{b[lane]} << 32 | a[lane], c[lane]);
  }
  return inst + 1;
}

}  // namespace cudalab::vgpu
