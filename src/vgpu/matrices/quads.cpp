#include "vgpu/matrices/quads.h"

#include "vgpu/block.h"

namespace cudalab::vgpu::mma {
namespace {

constexpr int kQuads = 4, kElementsOfFactor = 4, kElementsOfSum = 8;

// Lanes 0–3 and 16–19 multiply the first matrices, 4–7 and 20–23 the second, …; those from 16 on hold the
// second half of the rows of a and of the columns of b.
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

// The first element of a register replaces all of it.
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

}  // namespace cudalab::vgpu::mma
