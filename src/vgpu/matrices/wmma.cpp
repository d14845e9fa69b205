#include "vgpu/matrices/wmma.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "vgpu/block.h"
#include "vgpu/execute/lane_access.h"

namespace cudalab::vgpu::wmma {
namespace {

// ---- supported products ------------------------------------------------------------------------------
struct Family {
  Element factors;
  std::initializer_list<Element> sums;
  std::initializer_list<ProductShape> shapes;
};
constexpr ProductShape kSquare{16, 16, 16}, kTall{32, 8, 16}, kWide{8, 32, 16};
const Family kFamilies[] = {
    {Element::kF16, {Element::kF16, Element::kF32}, {kSquare, kTall, kWide}},
    {Element::kBF16, {Element::kF32}, {kSquare, kTall, kWide}},
    {Element::kTF32, {Element::kF32}, {{16, 16, 8}}},
    {Element::kF64, {Element::kF64}, {{8, 8, 4}}},
    {Element::kS8, {Element::kS32}, {kSquare, kTall, kWide}},
    {Element::kU8, {Element::kS32}, {kSquare, kTall, kWide}},
    {Element::kS4, {Element::kS32}, {{8, 8, 32}}},
    {Element::kU4, {Element::kS32}, {{8, 8, 32}}},
    {Element::kB1, {Element::kS32}, {{8, 8, 128}}},
};

// ---- registers ---------------------------------------------------------------------------------------
// The distance of the elements of a register in the row-major tile.
int element_step(const Tile& tile) { return tile.is_transposed ? tile.columns : 1; }

// Calls move(lane, register, index of its first element in the row-major tile).
template <class Move>
void for_each_register(const Tile& tile, std::uint32_t lanes, Move move) {
  const int rows = tile.is_transposed ? tile.columns : tile.rows;
  const int width = 4 * tile.run, per_row = tile.elements() / rows / width, blocks = rows / 8 * per_row;
  const int row_step = tile.is_transposed ? 1 : tile.columns, step = element_step(tile);
  for (int r = 0; r < tile.registers; ++r) {
    const int at = r * per_register(tile.element), block = at / tile.run % blocks;
    const int row = 8 * (block % tile.pair + block / (tile.pair * per_row) * tile.pair);
    const int column = block / tile.pair % per_row * width + at % tile.run;
    for (std::uint32_t left = lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      move(lane, r, (row + lane / 4) * row_step + (column + lane % 4 * tile.run) * step);
    }
  }
}

std::uint64_t mask_of(Element element) {
  return info(element).bits == 64 ? ~0ull : (1ull << info(element).bits) - 1;
}

void to_registers(const Warp& warp, const Tile& tile, const Slot* slots, const ElementBits& elements) {
  const int bits = info(tile.element).bits, count = per_register(tile.element), step = element_step(tile);
  for_each_register(tile, warp.exec, [&](int lane, int r, int first) {
    std::uint64_t held = 0;
    for (int i = 0; i < count; ++i) held |= elements[first + i * step] << (i * bits);
    set_register(warp, slots[r], lane, tile.element, held);
  });
}

void from_registers(const Warp& warp, const Tile& tile, const Slot* slots, ElementBits& elements) {
  const int bits = info(tile.element).bits, count = per_register(tile.element), step = element_step(tile);
  const std::uint64_t mask = mask_of(tile.element);
  for_each_register(tile, kAllLanes, [&](int lane, int r, int first) {
    const std::uint64_t held = register_bits(tile.element) == 64
                                   ? lanes_at<const std::uint64_t>(warp, slots[r])[lane]
                                   : lanes_at<const std::uint32_t>(warp, slots[r])[lane];
    for (int i = 0; i < count; ++i) elements[first + i * step] = held >> (i * bits) & mask;
  });
}

// ---- memory ------------------------------------------------------------------------------------------
// Index of element i of vector v in the row-major tile.
int place(const Tile& tile, int v, int i) {
  const int row = tile.by_columns ? i : v, column = tile.by_columns ? v : i;
  return row * tile.columns + column;
}

// Iterates over the tile's memory, one chunk per lane: move(chunk's memory, its vector, its first element).
template <class Move>
void for_each_chunk(const Inst* inst, Warp& warp, const Tile& tile, AccessMode mode, Move move) {
  const int first_lane = std::countr_zero(warp.exec), chunk_bytes = tile.chunk_bytes();
  const std::uint64_t base = lanes_at<std::uint64_t>(warp, inst->a)[first_lane];
  const std::uint64_t stride =
      std::uint64_t{lanes_at<std::uint32_t>(warp, inst->b)[first_lane]} * info(tile.element).bits / 8;
  const int chunks_of_vector = tile.vector_bytes() / chunk_bytes, chunks = tile.vectors() * chunks_of_vector;
  const int chunk_elements = chunk_bytes * 8 / info(tile.element).bits;
  SiteState* site = &warp.sites[inst->site];
  site += base - kSharedWindow < kWindowBytes ? 1 : base - kLocalWindow < kWindowBytes ? 2 : 0;
  for (int first = 0; first < chunks; first += kWarpSize) {
    const int count = std::min(kWarpSize, chunks - first);
    LaneAddresses addresses{};
    for (int lane = 0; lane < count; ++lane) {
      const int vector = (first + lane) / chunks_of_vector, chunk = (first + lane) % chunks_of_vector;
      addresses[lane] = base + static_cast<std::uint64_t>(vector) * stride +
                        static_cast<std::uint64_t>(chunk * chunk_bytes);
    }
    const std::uint32_t lanes = count == kWarpSize ? kAllLanes : (1u << count) - 1;
    const LanePointers memory = access_lanes(inst, warp, *site, addresses, lanes, mode);
    for (int lane = 0; lane < count; ++lane)
      move(memory[lane], (first + lane) / chunks_of_vector,
           (first + lane) % chunks_of_vector * chunk_elements, chunk_elements);
  }
}

// Element i of a chunk; elements narrower than a byte share one.
std::uint64_t element_in(const std::byte* memory, Element element, int i) {
  const int bits = info(element).bits;
  std::uint64_t held = 0;
  std::memcpy(&held, memory + i * bits / 8, std::max<std::size_t>(1, static_cast<std::size_t>(bits / 8)));
  return bits < 8 ? held >> (i * bits % 8) & mask_of(element) : held;
}
void put_element(std::byte* memory, Element element, int i, std::uint64_t value) {
  std::memcpy(memory + i * info(element).bits / 8, &value, static_cast<std::size_t>(info(element).bits / 8));
}

}  // namespace

const Inst* load(const Inst* inst, Warp& warp) {
  const auto tile = std::bit_cast<Tile>(inst->imm);
  ElementBits elements;
  for_each_chunk(inst, warp, tile, AccessMode::kRead,
                 [&](const std::byte* memory, int vector, int first, int count) {
                   for (int i = 0; i < count; ++i)
                     elements[place(tile, vector, first + i)] = element_in(memory, tile.element, i);
                 });
  to_registers(warp, tile, inst->slots, elements);
  return inst + 1;
}

const Inst* store(const Inst* inst, Warp& warp) {
  const auto tile = std::bit_cast<Tile>(inst->imm);
  ElementBits elements;
  from_registers(warp, tile, inst->slots, elements);
  for_each_chunk(inst, warp, tile, AccessMode::kWrite,
                 [&](std::byte* memory, int vector, int first, int count) {
                   for (int i = 0; i < count; ++i)
                     put_element(memory, tile.element, i, elements[place(tile, vector, first + i)]);
                 });
  return inst + 1;
}

// ---- multiplication ----------------------------------------------------------------------------------
namespace {
// A lane holds 8 registers of a half-precision factor even if fewer suffice.
std::uint8_t registers_of(int elements, Element element, bool is_factor) {
  constexpr std::uint8_t kHalfRegisters = 8;
  if (is_factor && element == Element::kF16) return kHalfRegisters;
  return static_cast<std::uint8_t>(elements / (kWarpSize * per_register(element)));
}

// A GPU computes m8n32k16 as the transposed product: b and the sum are held as a and the sum of m32n8k16 are.
bool is_computed_transposed(const ProductShape& shape) { return shape.m == 8 && shape.n == 32; }

std::uint8_t pair_of(int rows) { return rows > 8 ? 2 : 1; }
}  // namespace

Tile Product::a() const {
  return {.rows = static_cast<std::uint8_t>(shape.m),
          .columns = static_cast<std::uint8_t>(shape.k),
          .element = types.a,
          .registers = registers_of(shape.m * shape.k, types.a, true),
          .pair = pair_of(shape.m),
          .run = static_cast<std::uint8_t>(per_register(types.a))};
}

Tile Product::b() const {
  return {.rows = static_cast<std::uint8_t>(shape.k),
          .columns = static_cast<std::uint8_t>(shape.n),
          .element = types.b,
          .registers = registers_of(shape.k * shape.n, types.b, true),
          .is_transposed = true,
          .pair = is_computed_transposed(shape) ? pair_of(shape.n) : std::uint8_t{1},
          .run = static_cast<std::uint8_t>(per_register(types.b))};
}

Tile Product::sum(Element element) const {
  const bool is_transposed = is_computed_transposed(shape);
  return {.rows = static_cast<std::uint8_t>(shape.m),
          .columns = static_cast<std::uint8_t>(shape.n),
          .element = element,
          .registers = registers_of(shape.m * shape.n, element, false),
          .is_transposed = is_transposed,
          .pair = pair_of(is_transposed ? shape.n : shape.m),
          .run = 2};
}

bool is_known(const Product& product) {
  const ProductTypes& types = product.types;
  const auto has = [](auto some, auto one) { return std::find(some.begin(), some.end(), one) != some.end(); };
  return std::ranges::any_of(kFamilies, [&](const Family& family) {
    return has(family.shapes, product.shape) && family.factors == types.a && types.a == types.b &&
           has(family.sums, types.c) && has(family.sums, types.d);
  });
}

bool is_tile(const ProductShape& shape, Element element, bool is_factor) {
  return std::ranges::any_of(kFamilies, [&](const Family& family) {
    const bool is_shape = std::find(family.shapes.begin(), family.shapes.end(), shape) != family.shapes.end();
    const bool is_sum = std::find(family.sums.begin(), family.sums.end(), element) != family.sums.end();
    return is_shape && (is_factor ? family.factors == element : is_sum);
  });
}

const Inst* multiply(const Inst* inst, Warp& warp) {
  const Product product{warp.launch->program->products[inst->imm]};
  const Tile to = product.sum(product.types.d);
  ProductMatrices matrices;
  const Slot* slots = inst->slots + to.registers;
  from_registers(warp, product.a(), slots, matrices.a);
  slots += product.a().registers;
  from_registers(warp, product.b(), slots, matrices.b);
  slots += product.b().registers;
  from_registers(warp, product.sum(product.types.c), slots, matrices.c);
  vgpu::multiply(product.types, product.shape, matrices);
  to_registers(warp, to, inst->slots, matrices.d);
  return inst + 1;
}

}  // namespace cudalab::vgpu::wmma
