#include "vgpu/checks/shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "vgpu/levels.h"

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

// The loops below have no early exit, so the compiler can vectorize them.
CUDALAB_EACH_LEVEL bool any_written_since(const ShadowCells& cells, std::size_t count, std::uint32_t tick) {
  std::uint32_t any = 0;
  for (std::size_t g = 0; g < count; ++g) any |= cells.write_tick[g] > tick;
  return any != 0;
}

CUDALAB_EACH_LEVEL bool any_unwritten_since(const ShadowCells& cells, std::size_t count, std::uint32_t tick) {
  std::uint32_t any = 0;
  for (std::size_t g = 0; g < count; ++g) any |= cells.write_tick[g] <= tick;
  return any != 0;
}

namespace {

constexpr std::uint32_t ones_if(bool condition) { return 0u - static_cast<std::uint32_t>(condition); }
constexpr std::uint32_t choose(std::uint32_t mask, std::uint32_t yes, std::uint32_t no) {
  return (yes & mask) | (no & ~mask);
}

// Keeps the first read since everything was settled, and the latest read by any other thread. A writer that
// is itself one of the readers then still finds a read by another thread.
struct ReadUpdate {
  ShadowCells cells;
  SpanAccess access;
  std::uint32_t settled, first_expected, span;

  // Lane i reads granule g. Returns whether its last write is outside the expected range.
  std::uint32_t operator()(std::size_t i, std::ptrdiff_t g) const {
    const std::uint32_t mine = access.record + access.lane[i], second = access.record + access.other[i];
    const std::uint32_t is_first = ones_if(cells.read_tick[g] <= settled);
    const std::uint32_t is_mine = ones_if(((cells.read[g] ^ mine) >> kThreadShift) == 0) & ~is_first;
    const std::uint32_t has_other = ones_if(mine != second) | ~(is_first | is_mine);
    cells.other[g] = choose(has_other, choose(is_first | is_mine, second, mine), cells.other[g]);
    cells.other_tick[g] = choose(has_other, access.now, cells.other_tick[g]);
    cells.read[g] = choose(is_first | is_mine, mine, cells.read[g]);
    cells.read_tick[g] = choose(is_first | is_mine, access.now, cells.read_tick[g]);
    return cells.write_tick[g] - first_expected > span;
  }
};

}  // namespace

CUDALAB_EACH_LEVEL bool any_touched_since(const ShadowCells& cells, const SpanAccess& access,
                                          std::uint32_t tick) {
  const std::uint32_t *written = cells.write_tick, *read = cells.read_tick;
  std::uint32_t any = 0;
  if (access.granule) {
    for (std::size_t i = 0; i < access.count; ++i)
      any |= (written[access.granule[i]] > tick) | (read[access.granule[i]] > tick);
  } else {
    for (std::size_t g = 0; g < access.count; ++g) any |= (written[g] > tick) | (read[g] > tick);
  }
  return any != 0;
}

CUDALAB_EACH_LEVEL bool remember_reads(const ShadowCells& cells, const SpanAccess& access,
                                       std::uint32_t settled, TickRange expected) {
  const ReadUpdate update{cells, access, settled, expected.first, expected.last - expected.first};
  const std::size_t count = access.count;
  std::uint32_t unexpected = expected.last < expected.first;
  if (access.granule) {
    for (std::size_t i = 0; i < count; ++i) unexpected |= update(i, access.granule[i]);
  } else {
#pragma GCC ivdep  // columns and lanes do not overlap
    for (std::size_t i = 0; i < count; ++i) unexpected |= update(i, static_cast<std::ptrdiff_t>(i));
  }
  return unexpected == 0;
}

CUDALAB_EACH_LEVEL void remember_writes(const ShadowCells& cells, const SpanAccess& access) {
  std::uint32_t* __restrict write_tick = cells.write_tick;
  std::uint32_t* __restrict write = cells.write;
  const std::uint32_t* __restrict lane = access.lane;
  for (std::size_t i = 0; i < access.count; ++i) {
    const std::ptrdiff_t g = access.granule ? access.granule[i] : static_cast<std::ptrdiff_t>(i);
    write_tick[g] = access.now;
    write[g] = access.record + lane[i];
  }
}

// ---- lines -------------------------------------------------------------------------------------------
namespace {
constexpr std::size_t kFewSlots = 64;
constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;
}  // namespace

// The line's slot, or the empty slot where it belongs.
LineShadow::Slot& LineShadow::slot_of(std::uint64_t line) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (line * kGolden) >> (64 - std::countr_zero(slots_.size()));
  while (slots_[at].block == block_ && slots_[at].line != line) at = (at + 1) & mask;
  return slots_[at];
}

void LineShadow::forget_lines() {
  used_ = 0;
  if (++block_ != 0) return;
  std::ranges::fill(slots_, Slot{});
  block_ = 1;
}

void LineShadow::grow() {
  const std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(std::max(kFewSlots, 2 * slots_.size())));
  for (const Slot& slot : old)
    if (slot.block == block_) slot_of(slot.line) = slot;
}

ShadowCells LineShadow::line(std::uint64_t address) {
  if (!table_) table_.emplace(kMost * granules_per_line_);
  if (2 * (used_ + 1) > slots_.size()) grow();
  const std::uint64_t number = address >> kLineShift;
  Slot* slot = &slot_of(number);
  if (slot->block != block_) {
    if (used_ == kMost) {
      forget_lines();
      table_->clear();
      slot = &slot_of(number);
    }
    *slot = {number, used_++, block_};
  }
  return table_->cells().from(std::size_t{slot->row} * granules_per_line_);
}

}  // namespace cudalab::vgpu
