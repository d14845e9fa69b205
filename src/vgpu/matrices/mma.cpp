// mma, ldmatrix, stmatrix and movmatrix: element types, multiplication of small matrices, and fragment
// layouts that PTX specifies.
#include "vgpu/matrices/mma.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vgpu/block.h"
#include "vgpu/execute/lane_access.h"

namespace cudalab::vgpu {
namespace {

template <class Number>
using Numbers = std::array<Number, kMostElements>;

template <class Number>
Number value_of(Element element, std::uint64_t bits) {
  if constexpr (std::is_same_v<Number, double>)
    return number_of(element, bits);
  else
    return integer_of(element, bits);
}

template <class Number>
void read(Numbers<Number>& to, const ElementBits& bits, Element element, int count) {
  for (int i = 0; i < count; ++i) to[i] = value_of<Number>(element, bits[i]);
}

std::uint64_t result_bits(const ProductTypes& types, double sum) { return bits_of_number(types.d, sum); }
std::uint64_t result_bits(const ProductTypes& types, std::int64_t sum) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (types.saturates)
    sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, Limits::min()), Limits::max());
  return static_cast<std::uint32_t>(sum);
}

// `add(sum, a, b)` adds a product. CFirst: the sum begins with c; else c is added last.
template <class Number, bool CFirst, class Add>
void multiply_with(const ProductTypes& types, const ProductShape& shape, ProductMatrices& matrices, Add add) {
  Numbers<Number> a, b;
  read<Number>(a, matrices.a, types.a, shape.m * shape.k);
  read<Number>(b, matrices.b, types.b, shape.k * shape.n);
  for (int row = 0; row < shape.m; ++row) {
    std::array<Number, 32> sums;
    for (int column = 0; column < shape.n; ++column)
      sums[column] = CFirst ? value_of<Number>(types.c, matrices.c[row * shape.n + column]) : Number{0};
    for (int k = 0; k < shape.k; ++k)
      for (int column = 0; column < shape.n; ++column)
        add(sums[column], a[row * shape.k + k], b[k * shape.n + column]);
    for (int column = 0; column < shape.n; ++column) {
      const int i = row * shape.n + column;
      if (!CFirst) sums[column] += value_of<Number>(types.c, matrices.c[i]);
      matrices.d[i] = result_bits(types, sums[column]);
    }
  }
}

}  // namespace

void multiply(const ProductTypes& types, const ProductShape& shape, ProductMatrices& matrices) {
  using Integer = std::int64_t;
  if (types.a == Element::kB1 && types.ands)
    return multiply_with<Integer, true>(types, shape, matrices,
                                        [](Integer& sum, Integer a, Integer b) { sum += a & b; });
  if (types.a == Element::kB1)
    return multiply_with<Integer, true>(types, shape, matrices,
                                        [](Integer& sum, Integer a, Integer b) { sum += a ^ b; });
  if (info(types.a).is_integer)
    return multiply_with<Integer, true>(types, shape, matrices,
                                        [](Integer& sum, Integer a, Integer b) { sum += a * b; });
  if (types.a == Element::kF64)
    return multiply_with<double, true>(types, shape, matrices,
                                       [](double& sum, double a, double b) { sum = std::fma(a, b, sum); });
  multiply_with<double, false>(types, shape, matrices, [](double& sum, double a, double b) { sum += a * b; });
}

}  // namespace cudalab::vgpu

namespace cudalab::vgpu::mma {
namespace {

constexpr int kQuads = 4, kElementsOfFactor = 4, kElementsOfSum = 8;

// Lanes 0–3 and 16–19 multiply the first matrices, lanes 4–7 and 20–23 the second, and so on. Lanes 16 and
// higher hold the second half of the rows of a and of the columns of b.
int line_of(int lane) { return lane % 4 + (lane < 16 ? 0 : 4); }

MatrixPlace place_in_a(int lane, int i, bool columns) {
  return columns ? MatrixPlace{i + (lane < 16 ? 0 : 4), lane % 4} : MatrixPlace{line_of(lane), i};
}
MatrixPlace place_in_b(int lane, int i, bool columns) {
  return columns ? MatrixPlace{i, line_of(lane)} : MatrixPlace{lane % 4, i + (lane < 16 ? 0 : 4)};
}
MatrixPlace place_in_sum(int lane, int i, Element element) {
  if (element == Element::kF16) return {line_of(lane), i};
  return {(lane & 1) + (i & 2) + (lane < 16 ? 0 : 4), (i & 4) + (lane & 2) + (i & 1)};
}

template <class Function>
void for_each_lane_of(int quad, const Function& function) {
  for (int lane = 4 * quad; lane < 4 * quad + 4; ++lane) function(lane), function(lane + 16);
}

std::uint64_t element_at(const Warp& warp, const Slot* slots, Element element, int lane, int i) {
  const int count = per_register(element), bits = info(element).bits;
  const std::uint64_t held = lanes_at<const std::uint32_t>(warp, slots[i / count])[lane];
  return held >> (i % count * bits) & ((std::uint64_t{1} << bits) - 1);
}

// The first element of a register overwrites the whole register.
void put_element(const Warp& warp, const Slot* slots, Element element, int lane, int i, std::uint64_t value) {
  const int count = per_register(element);
  std::uint32_t& held = lanes_at<std::uint32_t>(warp, slots[i / count])[lane];
  const auto bits = static_cast<std::uint32_t>(value) << (i % count * info(element).bits);
  held = i % count == 0 ? bits : held | bits;
}

void read_lane(const Inst* inst, const Warp& warp, const ProductTypes& types, int lane, ProductMatrices& to) {
  const Slot* a = inst->slots + quad_sum_registers(types.d);
  const Slot* b = a + kQuadFactorRegisters;
  const Slot* c = b + kQuadFactorRegisters;
  for (int i = 0; i < kElementsOfFactor; ++i) {
    const MatrixPlace in_a = place_in_a(lane, i, inst->e.bits & kColumnsOfA),
                      in_b = place_in_b(lane, i, inst->e.bits & kColumnsOfB);
    to.a[in_a.row * kQuadShape.k + in_a.column] = element_at(warp, a, types.a, lane, i);
    to.b[in_b.row * kQuadShape.n + in_b.column] = element_at(warp, b, types.b, lane, i);
  }
  for (int i = 0; i < kElementsOfSum; ++i) {
    const MatrixPlace at = place_in_sum(lane, i, types.c);
    to.c[at.row * kQuadShape.n + at.column] = element_at(warp, c, types.c, lane, i);
  }
}

}  // namespace

bool has_quad_sums(Element c, Element d) {
  return (c == Element::kF16 || c == Element::kF32) && (d == c || d == Element::kF32);
}

const Inst* multiply_quads(const Inst* inst, Warp& warp) {
  const ProductTypes& types = warp.launch->program->products[inst->imm].types;
  for (int quad = 0; quad < kQuads; ++quad) {
    ProductMatrices matrices;
    for_each_lane_of(quad, [&](int lane) { read_lane(inst, warp, types, lane, matrices); });
    vgpu::multiply(types, kQuadShape, matrices);
    for_each_lane_of(quad, [&](int lane) {
      if (!(warp.exec >> lane & 1)) return;
      for (int i = 0; i < kElementsOfSum; ++i) {
        const MatrixPlace at = place_in_sum(lane, i, types.d);
        put_element(warp, inst->slots, types.d, lane, i, matrices.d[at.row * kQuadShape.n + at.column]);
      }
    });
  }
  return inst + 1;
}

namespace {

// ---- supported products ------------------------------------------------------------------------------
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
// Lanes form 8 groups of 4. A register holds neighbouring elements. Successive registers of a advance first
// by 8 rows, then by as many elements as four lanes hold.
MatrixPlace place_in_a(const ProductShape& shape, int per_register, int lane, int r, int i) {
  const int bands = shape.m / 8;
  return {lane / 4 + r % bands * 8, (r / bands * 4 + lane % 4) * per_register + i};
}
MatrixPlace place_in_b(int per_register, int lane, int r, int i) {
  return {(r * 4 + lane % 4) * per_register + i, lane / 4};
}
// For a sum: pairs of neighbours, in the group's row or eight rows below; `element` counts over all
// registers.
MatrixPlace place_in_sum(int lane, int element) {
  return {lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
}

std::uint64_t register_of(const Warp& warp, Slot slot, Element element, int lane) {
  if (register_bits(element) == 64) return lanes_at<const std::uint64_t>(warp, slot)[lane];
  return lanes_at<const std::uint32_t>(warp, slot)[lane];
}

// Calls visit(lane, register, index in the register, its bits).
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

// The source of the low half of a lane's register for a matrix; the high half is the next element.
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
