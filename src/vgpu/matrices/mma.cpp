#include "vgpu/matrices/mma.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vgpu/block.h"
#include "vgpu/execute/lane_access.h"

namespace cudalab::vgpu::mma {
namespace {

// ---- the products that there are ---------------------------------------------------------------------
struct Family {
  std::initializer_list<Element> factors, sums;
  std::initializer_list<ProductShape> shapes;
  bool mixes;  // a and b may differ
};
const Family kFamilies[] = {
    {{Element::kF16}, {Element::kF16, Element::kF32}, {{16, 8, 8}, {16, 8, 16}}, false},
    {{Element::kBF16}, {Element::kF32}, {{16, 8, 8}, {16, 8, 16}}, false},
    {{Element::kTF32}, {Element::kF32}, {{16, 8, 4}, {16, 8, 8}}, false},
    {{Element::kE4M3, Element::kE5M2}, {Element::kF32, Element::kF16}, {{16, 8, 16}, {16, 8, 32}}, true},
    {{Element::kF64}, {Element::kF64}, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}, false},
    {{Element::kS8, Element::kU8}, {Element::kS32}, {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}}, true},
    {{Element::kS4, Element::kU4}, {Element::kS32}, {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}}, true},
    {{Element::kB1}, {Element::kS32}, {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}, false},
};

template <class T>
bool has(std::initializer_list<T> some, T one) {
  return std::find(some.begin(), some.end(), one) != some.end();
}

// ---- fragments ---------------------------------------------------------------------------------------
// Lanes stand in 8 groups of 4. A register holds neighbouring elements; the registers of a go down by 8 rows
// first, then on by as many elements as four lanes hold.
MatrixPlace place_in_a(const ProductShape& shape, int per_register, int lane, int r, int i) {
  const int bands = shape.m / 8;
  return {lane / 4 + r % bands * 8, (r / bands * 4 + lane % 4) * per_register + i};
}
MatrixPlace place_in_b(int per_register, int lane, int r, int i) {
  return {(r * 4 + lane % 4) * per_register + i, lane / 4};
}
// Of a sum: pairs of neighbours, in the group's row or eight further; `element` counts over all registers.
MatrixPlace place_in_sum(int lane, int element) {
  return {lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
}

std::uint64_t register_of(const Warp& warp, Slot slot, Element element, int lane) {
  if (register_bits(element) == 64) return lanes_at<const std::uint64_t>(warp, slot)[lane];
  return lanes_at<const std::uint32_t>(warp, slot)[lane];
}

// Calls visit(lane, register, number in the register, its bits).
template <class Visit>
void for_each_element(const Warp& warp, const Slot* slots, int registers, Element element, Visit visit) {
  const int bits = info(element).bits, count = per_register(element);
  const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t held = register_of(warp, slots[r], element, lane);
      for (int i = 0; i < count; ++i) visit(lane, r, i, held >> (i * bits) & mask);
    }
}

void read_factors(const Warp& warp, const Product& product, const Slot* slots, ProductMatrices& to) {
  const ProductShape& shape = product.shape;
  const int in_a = per_register(product.types.a), in_b = per_register(product.types.b);
  for_each_element(warp, slots, product.a_registers(), product.types.a,
                   [&](int lane, int r, int i, std::uint64_t bits) {
                     const MatrixPlace at = place_in_a(shape, in_a, lane, r, i);
                     to.a[at.row * shape.k + at.column] = bits;
                   });
  for_each_element(warp, slots + product.a_registers(), product.b_registers(), product.types.b,
                   [&](int lane, int r, int i, std::uint64_t bits) {
                     const MatrixPlace at = place_in_b(in_b, lane, r, i);
                     to.b[at.row * shape.n + at.column] = bits;
                   });
}

void write_sum(const Warp& warp, const Product& product, const Slot* slots, const ElementBits& sum) {
  const Element element = product.types.d;
  const int bits = info(element).bits, count = per_register(element);
  for (int r = 0; r < product.sum_registers(element); ++r)
    for (std::uint32_t left = warp.exec; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      std::uint64_t held = 0;
      for (int i = 0; i < count; ++i) {
        const MatrixPlace at = place_in_sum(lane, r * count + i);
        held |= sum[at.row * product.shape.n + at.column] << (i * bits);
      }
      set_register(warp, slots[r], lane, element, held);
    }
}

}  // namespace

bool is_known(const Product& product) {
  const ProductTypes& types = product.types;
  return std::ranges::any_of(kFamilies, [&](const Family& family) {
    return has(family.shapes, product.shape) && has(family.factors, types.a) &&
           has(family.factors, types.b) && (family.mixes || types.a == types.b) &&
           has(family.sums, types.c) && has(family.sums, types.d);
  });
}

const Inst* multiply(const Inst* inst, Warp& warp) {
  const Product product{warp.launch->program->products[inst->imm]};
  ProductMatrices matrices;
  const Slot* factors = inst->slots + product.sum_registers(product.types.d);
  read_factors(warp, product, factors, matrices);
  const Slot* addend = factors + product.a_registers() + product.b_registers();
  const int count = per_register(product.types.c);
  for_each_element(warp, addend, product.sum_registers(product.types.c), product.types.c,
                   [&](int lane, int r, int i, std::uint64_t bits) {
                     const MatrixPlace at = place_in_sum(lane, r * count + i);
                     matrices.c[at.row * product.shape.n + at.column] = bits;
                   });
  vgpu::multiply(product.types, product.shape, matrices);
  write_sum(warp, product, inst->slots, matrices.d);
  return inst + 1;
}

// ---- matrices of 8 × 8 -------------------------------------------------------------------------------
namespace {

constexpr int kSide = kRowBytes / static_cast<int>(sizeof(std::uint16_t));
using Rows = std::array<std::array<std::uint16_t, kSide>, kWarpSize>;  // of four matrices

// Where the low half of a lane's register for a matrix comes from; the high half is the next.
std::uint16_t& half_of(Rows& rows, int matrix, int lane, int half, bool transposed) {
  const int first = kSide * matrix, group = lane / 4, place = lane % 4 * 2 + half;
  return transposed ? rows[first + place][group] : rows[first + group][place];
}

int matrices_of(const Inst* inst) { return static_cast<int>(inst->imm & (kTransposed - 1)); }

LanePointers rows_in_memory(const Inst* inst, Warp& warp, AccessMode mode) {
  LaneAddresses addresses;
  std::copy_n(lanes_at<std::uint64_t>(warp, inst->a), kWarpSize, addresses.begin());
  const int rows = kSide * matrices_of(inst);
  const std::uint32_t lanes = rows == kWarpSize ? kAllLanes : (1u << rows) - 1;
  return access_lanes(inst, warp, warp.sites[inst->site], addresses, lanes, mode);
}

void to_registers(const Inst* inst, const Warp& warp, Rows& rows, bool transposed, const Slot* slots) {
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (int m = 0; m < std::max(matrices_of(inst), 1); ++m)
      lanes_at<std::uint32_t>(warp, slots[m])[lane] =
          half_of(rows, m, lane, 0, transposed) | std::uint32_t{half_of(rows, m, lane, 1, transposed)} << 16;
  }
}

void from_register(const Warp& warp, Slot slot, int matrix, bool transposed, Rows& rows) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t held = lanes_at<const std::uint32_t>(warp, slot)[lane];
    half_of(rows, matrix, lane, 0, transposed) = static_cast<std::uint16_t>(held);
    half_of(rows, matrix, lane, 1, transposed) = static_cast<std::uint16_t>(held >> 16);
  }
}

}  // namespace

const Inst* load_matrices(const Inst* inst, Warp& warp) {
  const LanePointers memory = rows_in_memory(inst, warp, AccessMode::kRead);
  Rows rows{};
  for (int row = 0; row < kSide * matrices_of(inst); ++row)
    std::memcpy(rows[row].data(), memory[row], kRowBytes);
  to_registers(inst, warp, rows, inst->imm & kTransposed, inst->slots);
  return inst + 1;
}

const Inst* store_matrices(const Inst* inst, Warp& warp) {
  Rows rows{};
  for (int m = 0; m < matrices_of(inst); ++m)
    from_register(warp, inst->slots[m], m, inst->imm & kTransposed, rows);
  const LanePointers memory = rows_in_memory(inst, warp, AccessMode::kWrite);
  for (int row = 0; row < kSide * matrices_of(inst); ++row)
    std::memcpy(memory[row], rows[row].data(), kRowBytes);
  return inst + 1;
}

const Inst* transpose_matrix(const Inst* inst, Warp& warp) {
  Rows rows{};
  from_register(warp, inst->a, 0, false, rows);
  to_registers(inst, warp, rows, true, &inst->d);
  return inst + 1;
}

}  // namespace cudalab::vgpu::mma
