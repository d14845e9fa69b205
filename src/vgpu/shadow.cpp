#include "vgpu/shadow.h"

#include <cstring>

namespace cudalab::vgpu {

ShadowTable::ShadowTable(std::size_t rows)
    : rows_(rows), columns_(allocate_host(rows * ShadowCells::kColumns * sizeof(std::uint32_t))) {}

ShadowCells ShadowTable::cells() const {
  auto* column = reinterpret_cast<std::uint32_t*>(columns_.get());
  const auto next = [&] {
    std::uint32_t* it = column;
    column += rows_;
    return it;
  };
  ShadowCells cells;
  cells.write_tick = next();
  cells.write = next();
  cells.read_tick = next();
  cells.read = next();
  cells.other_tick = next();
  cells.other = next();
  return cells;
}

void ShadowTable::clear() {
  if (columns_) std::memset(columns_.get(), 0, rows_ * ShadowCells::kColumns * sizeof(std::uint32_t));
}

// The loops below carry no early exit, so that the compiler makes vectors of them.
bool any_written_since(const ShadowCells& cells, std::size_t count, std::uint32_t tick) {
  std::uint32_t any = 0;
  for (std::size_t g = 0; g < count; ++g) any |= cells.write_tick[g] > tick;
  return any != 0;
}

bool any_touched_since(const ShadowCells& cells, std::size_t count, std::uint32_t tick) {
  std::uint32_t any = 0;
  for (std::size_t g = 0; g < count; ++g) any |= (cells.write_tick[g] > tick) | (cells.read_tick[g] > tick);
  return any != 0;
}

bool any_unwritten_since(const ShadowCells& cells, std::size_t count, std::uint32_t tick) {
  std::uint32_t any = 0;
  for (std::size_t g = 0; g < count; ++g) any |= cells.write_tick[g] <= tick;
  return any != 0;
}

namespace {

constexpr std::uint32_t ones_if(bool condition) { return 0u - static_cast<std::uint32_t>(condition); }
constexpr std::uint32_t choose(std::uint32_t mask, std::uint32_t yes, std::uint32_t no) {
  return (yes & mask) | (no & ~mask);
}

}  // namespace

// The first reader since everything was settled is kept; of the others, the latest. A writer among the readers then
// still meets somebody else's read.
void remember_reads(const ShadowCells& cells, const RunAccess& access, std::uint32_t settled, bool is_shared) {
  std::uint32_t* __restrict read_tick = cells.read_tick;
  std::uint32_t* __restrict read = cells.read;
  std::uint32_t* __restrict other_tick = cells.other_tick;
  std::uint32_t* __restrict other = cells.other;
  const std::uint32_t* __restrict lane = access.lane;
  const std::uint32_t* __restrict other_lane = access.other;
  const std::uint32_t record = access.record, now = access.now, shared = ones_if(is_shared);
  for (std::size_t g = 0; g < access.count; ++g) {
    const std::uint32_t mine = record + lane[g], second = record + other_lane[g];
    const std::uint32_t is_first = ones_if(read_tick[g] <= settled);
    const std::uint32_t is_mine = ones_if(((read[g] ^ mine) >> kThreadShift) == 0) & ~is_first;
    const std::uint32_t has_other = shared | ~(is_first | is_mine);
    other[g] = choose(has_other, choose(is_first | is_mine, second, mine), other[g]);
    other_tick[g] = choose(has_other, now, other_tick[g]);
    read[g] = choose(is_first | is_mine, mine, read[g]);
    read_tick[g] = choose(is_first | is_mine, now, read_tick[g]);
  }
}

void remember_writes(const ShadowCells& cells, const RunAccess& access) {
  std::uint32_t* __restrict write_tick = cells.write_tick;
  std::uint32_t* __restrict write = cells.write;
  const std::uint32_t* __restrict lane = access.lane;
  for (std::size_t g = 0; g < access.count; ++g) {
    write_tick[g] = access.now;
    write[g] = access.record + lane[g];
  }
}

}  // namespace cudalab::vgpu
