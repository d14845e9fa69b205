#include "vgpu/matrices/wmma.h"

#include <algorithm>
#include <cstring>

#include "core/half.h"
#include "vgpu/execute/lane_access.h"

namespace cudalab::vgpu::wmma {
namespace {

constexpr int kChunkBytes = 16;  // that one lane moves: rows and columns are multiples of it
constexpr int kMostBytes = 32 * 16 * 4;
using TileBytes = std::array<std::byte, kMostBytes>;  // row-major

// ---- registers ---------------------------------------------------------------------------------------
// Calls move(register's bits, where its elements begin in the tile).
template <class Move>
void for_each_register(const Warp& warp, const Tile& tile, const Slot* slots, std::uint32_t lanes,
                       Move move) {
  const int per_register = 4 / tile.element_bytes;
  for (int r = 0; r < tile.registers; ++r) {
    auto* bits = lanes_at<std::uint32_t>(warp, slots[r]);
    for (std::uint32_t left = lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const int first = (lane * tile.registers + r) * per_register % tile.elements();
      move(bits[lane], static_cast<std::size_t>(first) * tile.element_bytes);
    }
  }
}

void to_registers(const Warp& warp, const Tile& tile, const Slot* slots, const TileBytes& bytes) {
  for_each_register(warp, tile, slots, warp.exec, [&](std::uint32_t& bits, std::size_t at) {
    std::memcpy(&bits, bytes.data() + at, sizeof bits);
  });
}

TileBytes from_registers(const Warp& warp, const Tile& tile, const Slot* slots) {
  TileBytes bytes{};
  for_each_register(warp, tile, slots, kAllLanes, [&](std::uint32_t& bits, std::size_t at) {
    std::memcpy(bytes.data() + at, &bits, sizeof bits);
  });
  return bytes;
}

// ---- memory ------------------------------------------------------------------------------------------
// Where element i of vector v stands in the row-major tile, in bytes.
std::size_t place(const Tile& tile, int v, int i) {
  const int row = tile.by_columns ? i : v, column = tile.by_columns ? v : i;
  return static_cast<std::size_t>(row * tile.columns + column) * tile.element_bytes;
}

// Goes through the tile's memory a chunk a lane: move(chunk's memory, its vector, its first element).
template <class Move>
void for_each_chunk(const Inst* inst, Warp& warp, const Tile& tile, AccessMode mode, Move move) {
  const int first_lane = std::countr_zero(warp.exec);
  const std::uint64_t base = lanes_at<std::uint64_t>(warp, inst->a)[first_lane];
  const std::uint64_t stride =
      std::uint64_t{lanes_at<std::uint32_t>(warp, inst->b)[first_lane]} * tile.element_bytes;
  const int chunks_of_vector = tile.length() * tile.element_bytes / kChunkBytes,
            chunks = tile.vectors() * chunks_of_vector;
  SiteState* site = &warp.sites[inst->site];
  site += base - kSharedWindow < kWindowBytes ? 1 : base - kLocalWindow < kWindowBytes ? 2 : 0;
  for (int first = 0; first < chunks; first += kWarpSize) {
    const int count = std::min(kWarpSize, chunks - first);
    LaneAddresses addresses{};
    for (int lane = 0; lane < count; ++lane) {
      const int vector = (first + lane) / chunks_of_vector, chunk = (first + lane) % chunks_of_vector;
      addresses[lane] = base + static_cast<std::uint64_t>(vector) * stride +
                        static_cast<std::uint64_t>(chunk * kChunkBytes);
    }
    const std::uint32_t lanes = count == kWarpSize ? kAllLanes : (1u << count) - 1;
    const LanePointers memory = access_lanes(inst, warp, *site, addresses, lanes, mode);
    for (int lane = 0; lane < count; ++lane)
      move(memory[lane], (first + lane) / chunks_of_vector,
           (first + lane) % chunks_of_vector * kChunkBytes / tile.element_bytes);
  }
}

// ---- numbers -----------------------------------------------------------------------------------------
using Numbers = std::array<float, kMostBytes / 2>;

Numbers numbers_in(const TileBytes& bytes, const Tile& tile) {
  Numbers numbers;
  for (int i = 0; i < tile.elements(); ++i) {
    if (tile.element_bytes == 4) {
      std::memcpy(&numbers[i], bytes.data() + i * sizeof(float), sizeof(float));
    } else {
      std::uint16_t half;
      std::memcpy(&half, bytes.data() + i * sizeof half, sizeof half);
      numbers[i] = static_cast<float>(half_value(half, kF16Format));
    }
  }
  return numbers;
}

void put_number(TileBytes& bytes, const Tile& tile, int i, double value) {
  if (tile.element_bytes == 4) {
    const auto rounded = static_cast<float>(value);
    std::memcpy(bytes.data() + i * sizeof rounded, &rounded, sizeof rounded);
  } else {
    const std::uint16_t rounded = half_bits(value, kF16Format);
    std::memcpy(bytes.data() + i * sizeof rounded, &rounded, sizeof rounded);
  }
}

}  // namespace

const Inst* load(const Inst* inst, Warp& warp) {
  const auto tile = std::bit_cast<Tile>(inst->imm);
  TileBytes bytes{};
  for_each_chunk(inst, warp, tile, AccessMode::kRead, [&](const std::byte* memory, int vector, int first) {
    for (int i = 0; i < kChunkBytes / tile.element_bytes; ++i)
      std::memcpy(bytes.data() + place(tile, vector, first + i), memory + i * tile.element_bytes,
                  tile.element_bytes);
  });
  to_registers(warp, tile, inst->slots, bytes);
  return inst + 1;
}

const Inst* store(const Inst* inst, Warp& warp) {
  const auto tile = std::bit_cast<Tile>(inst->imm);
  const TileBytes bytes = from_registers(warp, tile, inst->slots);
  for_each_chunk(inst, warp, tile, AccessMode::kWrite, [&](std::byte* memory, int vector, int first) {
    for (int i = 0; i < kChunkBytes / tile.element_bytes; ++i)
      std::memcpy(memory + i * tile.element_bytes, bytes.data() + place(tile, vector, first + i),
                  tile.element_bytes);
  });
  return inst + 1;
}

// The sum of the products is exact but for double precision, and rounded once.
const Inst* multiply(const Inst* inst, Warp& warp) {
  const auto shape = std::bit_cast<Multiplication>(inst->imm);
  const Tile to = shape.sum(shape.d_bytes), addend = shape.sum(shape.c_bytes);
  const Slot* slots = inst->slots + to.registers;
  const Numbers a = numbers_in(from_registers(warp, shape.a(), slots), shape.a());
  slots += shape.a().registers;
  const Numbers b = numbers_in(from_registers(warp, shape.b(), slots), shape.b());
  slots += shape.b().registers;
  const Numbers c = numbers_in(from_registers(warp, addend, slots), addend);
  TileBytes result{};
  for (int row = 0; row < shape.m; ++row) {
    std::array<double, 32> sums{};
    for (int k = 0; k < shape.k; ++k)
      for (int column = 0; column < shape.n; ++column)
        sums[column] += double{a[row * shape.k + k]} * double{b[k * shape.n + column]};
    for (int column = 0; column < shape.n; ++column)
      put_number(result, to, row * shape.n + column, sums[column] + double{c[row * shape.n + column]});
  }
  to_registers(warp, to, inst->slots, result);
  return inst + 1;
}

}  // namespace cudalab::vgpu::wmma
