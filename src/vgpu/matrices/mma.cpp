#include "vgpu/matrices/mma.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/half.h"
#include "vgpu/execute/lane_access.h"

namespace cudalab::vgpu::mma {
namespace {

constexpr int kRows = 16, kColumns = 8, kMostDepth = 16;

// Lanes stand in 8 groups of 4. Element i of a lane: pairs of neighbours, in the group's row or eight
// further.
struct Place {
  int row, column;
};
Place place_in_a(int lane, int i) { return {lane / 4 + (i / 2 % 2) * 8, lane % 4 * 2 + i % 2 + i / 4 * 8}; }
Place place_in_b(int lane, int i) { return {lane % 4 * 2 + i % 2 + i / 2 * 8, lane / 4}; }
Place place_in_sum(int lane, int i) { return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}; }

// Calls visit(lane, i, value) for the elements of 16 bits, two a register.
template <class Visit>
void for_each_half(const Warp& warp, const Slot* slots, int registers, HalfFormat format, Visit visit) {
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t bits = lanes_at<std::uint32_t>(warp, slots[r])[lane];
      visit(lane, 2 * r, half_value(static_cast<std::uint16_t>(bits), format));
      visit(lane, 2 * r + 1, half_value(static_cast<std::uint16_t>(bits >> 16), format));
    }
}

using Sum = std::array<std::array<double, kColumns>, kRows>;

Sum read_sum(const Warp& warp, const Slot* slots, bool is_half) {
  Sum sum{};
  const auto put = [&sum](int lane, int i, double value) {
    const Place at = place_in_sum(lane, i);
    sum[at.row][at.column] = value;
  };
  if (is_half) {
    for_each_half(warp, slots, Product::sum_registers(true), kF16Format, put);
    return sum;
  }
  for (int i = 0; i < Product::sum_registers(false); ++i)
    for (int lane = 0; lane < kWarpSize; ++lane) put(lane, i, double{lanes_at<float>(warp, slots[i])[lane]});
  return sum;
}

void write_sum(const Warp& warp, const Slot* slots, bool is_half, const Sum& sum) {
  const auto value = [&sum](int lane, int i) {
    const Place at = place_in_sum(lane, i);
    return sum[at.row][at.column];
  };
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (int r = 0; r < Product::sum_registers(is_half); ++r) {
      if (is_half)
        lanes_at<std::uint32_t>(warp, slots[r])[lane] =
            half_bits(value(lane, 2 * r), kF16Format) |
            std::uint32_t{half_bits(value(lane, 2 * r + 1), kF16Format)} << 16;
      else
        lanes_at<float>(warp, slots[r])[lane] = static_cast<float>(value(lane, r));
    }
  }
}

}  // namespace

// The sum of the products is exact but for double precision, and rounded once.
const Inst* multiply(const Inst* inst, Warp& warp) {
  const auto product = std::bit_cast<Product>(inst->imm);
  const HalfFormat format = product.is_bfloat ? kBF16Format : kF16Format;
  std::array<std::array<double, kMostDepth>, kRows> a{};
  std::array<std::array<double, kColumns>, kMostDepth> b{};
  const Slot* slots = inst->slots + Product::sum_registers(product.d_is_half);
  for_each_half(warp, slots, product.a_registers(), format, [&](int lane, int i, double value) {
    const Place at = place_in_a(lane, i);
    a[at.row][at.column] = value;
  });
  slots += product.a_registers();
  for_each_half(warp, slots, product.b_registers(), format, [&](int lane, int i, double value) {
    const Place at = place_in_b(lane, i);
    b[at.row][at.column] = value;
  });
  slots += product.b_registers();
  const Sum addend = read_sum(warp, slots, product.c_is_half);
  Sum sum{};
  for (int row = 0; row < kRows; ++row) {
    for (int k = 0; k < product.k; ++k)
      for (int column = 0; column < kColumns; ++column) sum[row][column] += a[row][k] * b[k][column];
    for (int column = 0; column < kColumns; ++column) sum[row][column] += addend[row][column];
  }
  write_sum(warp, inst->slots, product.d_is_half, sum);
  return inst + 1;
}

const Inst* load_matrices(const Inst* inst, Warp& warp) {
  constexpr int kSide = 8, kRowBytes = 16;
  const auto matrices = static_cast<int>(inst->imm & (kTransposed - 1));
  LaneAddresses addresses;
  std::copy_n(lanes_at<std::uint64_t>(warp, inst->a), kWarpSize, addresses.begin());
  const std::uint32_t lanes = matrices == 4 ? kAllLanes : (1u << (kSide * matrices)) - 1;
  const LanePointers memory =
      access_lanes(inst, warp, warp.sites[inst->site], addresses, lanes, AccessMode::kRead);
  std::array<std::array<std::uint16_t, kSide>, kWarpSize> rows{};
  for (int row = 0; row < kSide * matrices; ++row) std::memcpy(rows[row].data(), memory[row], kRowBytes);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left), pair = lane % 4 * 2;
    for (int m = 0; m < matrices; ++m) {
      const int first = kSide * m;  // row of all rows
      const bool transposed = inst->imm & kTransposed;
      const std::uint16_t low = transposed ? rows[first + pair][lane / 4] : rows[first + lane / 4][pair];
      const std::uint16_t high =
          transposed ? rows[first + pair + 1][lane / 4] : rows[first + lane / 4][pair + 1];
      lanes_at<std::uint32_t>(warp, inst->slots[m])[lane] = low | std::uint32_t{high} << 16;
    }
  }
  return inst + 1;
}

}  // namespace cudalab::vgpu::mma
