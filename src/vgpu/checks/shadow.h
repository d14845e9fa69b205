// The shadow memory of the race checks, for memory that one block uses. For each granule it stores the last
// write and two reads, each with thread, source line and tick (block_clock.h).
//
//   access record:  | thread 10 | strong 1 | atomic 1 | source line 20 |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "vgpu/memory/footprint.h"
#include "vgpu/memory/memory.h"

namespace cudalab::vgpu {

inline constexpr std::uint32_t kThreadShift = kLaneShift;
inline constexpr std::uint32_t kStrong = 1u << 21, kAtomic = 1u << 20, kLineMask = kAtomic - 1;
// For a read: whether it is an ordinary load, which compilers may hoist and execute for lanes that do not
// need it.
constexpr bool is_plain(std::uint32_t record) { return (record & (kStrong | kAtomic)) == 0; }
constexpr std::uint32_t thread_of_record(std::uint32_t record) { return record >> kThreadShift; }
constexpr bool is_same_thread(std::uint32_t a, std::uint32_t b) { return ((a ^ b) >> kThreadShift) == 0; }

// Columns of a table; row n is granule n.
struct ShadowCells {
  std::uint32_t *write_tick = nullptr, *write = nullptr;
  // The first read since the last barrier of the whole block.
  std::uint32_t *read_tick = nullptr, *read = nullptr;
  std::uint32_t *other_tick = nullptr, *other = nullptr;  // the latest read by another thread
  static constexpr int kColumns = 6;

  ShadowCells from(std::size_t row) const {
    return {write_tick + row, write + row, read_tick + row, read + row, other_tick + row, other + row};
  }
};

// Zero-initialized, so every cell means an access in the distant past.
class ShadowTable {
 public:
  explicit ShadowTable(std::size_t rows);
  std::size_t rows() const { return rows_; }
  ShadowCells cells() const;
  void clear();

 private:
  std::size_t rows_ = 0;
  HostBytes columns_;
};

// One access to some granules: contiguous ones, or those that `granule` lists.
struct SpanAccess {
  const std::uint32_t *lane,
      *other;  // lanes of the footprint; `other` differs if several lanes touch the granule
  const std::int32_t* granule = nullptr;
  std::size_t count;
  std::uint32_t record, now;  // `record`: access record without the lane
};

// Whether some granule was written after `tick`; was written or read after it; was not written after it. If
// the access lists granules, those are tested.
bool any_written_since(const ShadowCells& cells, std::size_t count, std::uint32_t tick);
bool any_touched_since(const ShadowCells& cells, const SpanAccess& access, std::uint32_t tick);
bool any_unwritten_since(const ShadowCells& cells, std::size_t count, std::uint32_t tick);

// The last write of a granule must be in this range for a read of it to need no further check; empty if last
// < first.
struct TickRange {
  std::uint32_t first, last;
};
// `settled`: reads up to this tick need not be kept. Returns whether all last writes are in the range.
bool remember_reads(const ShadowCells& cells, const SpanAccess& access, std::uint32_t settled,
                    TickRange expected);
void remember_writes(const ShadowCells& cells, const SpanAccess& access);

// Shadow of the global memory that one block uses, in lines of 128 bytes.
class LineShadow {
 public:
  static constexpr int kLineShift = 7;
  explicit LineShadow(int granule_shift) : granules_per_line_(1u << (kLineShift - granule_shift)) {}
  void start_block() { forget_lines(); }
  // Cells of the line's first granule. They stay valid until more than kMost lines are in use; then
  // everything is forgotten.
  ShadowCells line(std::uint64_t address);
  std::uint32_t granules_per_line() const { return granules_per_line_; }

 private:
  static constexpr std::size_t kMost = 8192;  // lines; beyond this, everything is forgotten
  // A slot of a hash table with linear probing. Slots of earlier blocks count as empty.
  struct Slot {
    std::uint64_t line = 0;
    std::uint32_t row = 0;
    std::uint32_t block = 0;  // by block_; 0: never used
  };
  Slot& slot_of(std::uint64_t line);
  void forget_lines();
  void grow();

  std::uint32_t granules_per_line_;
  std::optional<ShadowTable> table_;
  std::vector<Slot> slots_;  // a power of two, at least twice as many as lines
  std::uint32_t used_ = 0, block_ = 1;
};

}  // namespace cudalab::vgpu
