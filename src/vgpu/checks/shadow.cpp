#include "vgpu/checks/shadow.h"

#include <cstring>

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

// The loops below carry no early exit, so that the compiler makes vectors of them.
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

// The first reader since everything was settled is kept; of the others, the latest. A writer among the
// readers then still meets somebody else's read.
struct ReadUpdate {
  ShadowCells cells;
  SpanAccess access;
  std::uint32_t settled, first_expected, span;

  // Lane i reads granule g. Returns whether its last write was not expected.
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

}  // namespace cudalab::vgpu
