// Replays the sampled lines of a launch through caches with least-recently-used replacement.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/time/access_trace.h"

namespace cudalab::vgpu {

// A cache of lines whose least recently used one leaves, for replaying hundreds of them side by side: what
// the computer's own caches do not hold is what such a replay waits for.

// Lines have four sectors, each there or not, written or not. Where a line lies is found by linear probing in
// a table at most half full, in which eight neighbouring lines stay neighbours.
class LineCache {
  static constexpr std::uint32_t kNobody = ~0u;

 public:
  // Half of what this computer's own caches move at once. Sectors have a bit each.
  struct alignas(32) Line {
    std::uint64_t number = 0;
    std::uint64_t asked_at : 48 = 0;  // when it was asked for
    std::uint64_t parts : 16 = 0;     // of each sector's four bits: which part of it is there (line_sample.h)
    std::uint32_t before = kNobody, after = kNobody;  // in the order of use
    std::uint64_t asked_by : 42 = 0;                  // which warp
    std::uint64_t valid : 4 = 0, dirty : 4 = 0;
    std::uint64_t source : 2 = 0;  // of what came last: 1: the L2, 2: DRAM
    std::uint64_t here : 8 = 0;    // which sectors each half of the L2 has
  };
  explicit LineCache(std::size_t capacity = 1) { begin(capacity); }

  // Empty again, with the memory that it has.
  void begin(std::size_t capacity) {
    capacity_ = std::max<std::size_t>(capacity, 1);
    lines_.clear();
    slots_.clear();
    first_ = last_ = kNobody;
  }

  Line* find(std::uint64_t number) {
    if (slots_.empty()) return nullptr;
    const std::uint32_t place = slots_[slot_of(number)].place;
    if (place == kNobody) return nullptr;
    if (place != first_) unlink(place), link_first(place);
    return &lines_[place];
  }
  // Two calls, some time before a line is looked for: then neither its slot nor the line itself, which are
  // anywhere in this computer's memory, is waited for.
  void fetch_slot(std::uint64_t number) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home_of(number)]);
  }
  void fetch_line(std::uint64_t number) const {
    if (slots_.empty()) return;
    const Slot& slot = slots_[home_of(number)];
    if (slot.place != kNobody) __builtin_prefetch(&lines_[slot.place]);
  }
  // For so many lines about, while it is empty: its table need not grow.
  void reserve(std::size_t lines) {
    lines_.reserve(std::min(lines, capacity_));
    slots_.assign(std::bit_ceil(std::max(kFewestSlots, 2 * std::min(lines, capacity_) + 2)), {});
  }
  bool is_full() const { return lines_.size() >= capacity_; }
  // The line that had to leave for it is put into `left`; its number stays 0 where none had to.
  Line& insert(std::uint64_t number, Line& left) {
    std::uint32_t place;
    if (is_full()) {
      place = last_;
      left = lines_[place];
      remove(slot_of(left.number));
      unlink(place);
    } else {
      place = static_cast<std::uint32_t>(lines_.size());
      if (2 * (lines_.size() + 1) > slots_.size()) grow();
      lines_.emplace_back();
    }
    lines_[place] = {};
    lines_[place].number = number;
    put(place);
    link_first(place);
    return lines_[place];
  }

 private:
  void unlink(std::uint32_t place) {
    const Line& line = lines_[place];
    (line.before == kNobody ? first_ : lines_[line.before].after) = line.after;
    (line.after == kNobody ? last_ : lines_[line.after].before) = line.before;
  }
  void link_first(std::uint32_t place) {
    lines_[place].before = kNobody;
    lines_[place].after = first_;
    if (first_ != kNobody) lines_[first_].before = place;
    first_ = place;
    if (last_ == kNobody) last_ = place;
  }

  struct Slot {
    std::uint32_t place = kNobody, number = 0;  // the lower half of it
  };
  std::size_t home_of(std::uint64_t number) const {
    constexpr int kNeighbours = 3;  // lines 2^3, whose slots are a cache line of this computer's
    const std::uint64_t scattered = (number >> kNeighbours) * 0x9E3779B97F4A7C15ull >> 20;
    return (scattered << kNeighbours | (number & ((1u << kNeighbours) - 1))) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  bool holds(const Slot& slot, std::uint64_t number) const {
    return slot.number == static_cast<std::uint32_t>(number) && lines_[slot.place].number == number;
  }
  // Where it is, or would be put.
  std::size_t slot_of(std::uint64_t number) const {
    std::size_t slot = home_of(number);
    while (slots_[slot].place != kNobody && !holds(slots_[slot], number)) slot = next(slot);
    return slot;
  }
  void put(std::uint32_t place) {
    const std::uint64_t number = lines_[place].number;
    slots_[slot_of(number)] = {place, static_cast<std::uint32_t>(number)};
  }
  // What stands behind it moves up, so that no probing ends too early.
  void remove(std::size_t gap) {
    const auto distance = [&](std::size_t from, std::size_t to) { return (to - from) & (slots_.size() - 1); };
    for (std::size_t slot = next(gap); slots_[slot].place != kNobody; slot = next(slot)) {
      const std::size_t home = home_of(lines_[slots_[slot].place].number);
      if (distance(home, slot) < distance(gap, slot)) continue;
      slots_[gap] = slots_[slot];
      gap = slot;
    }
    slots_[gap] = {};
  }
  void grow() {
    slots_.assign(std::max(kFewestSlots, 2 * slots_.size()), {});
    for (std::uint32_t place = 0; place < lines_.size(); ++place) put(place);
  }

  static constexpr std::size_t kFewestSlots = 64;
  std::size_t capacity_ = 1;
  std::vector<Line> lines_;
  std::vector<Slot> slots_;
  std::uint32_t first_ = kNobody, last_ = kNobody;
};

// Replays the sampled lines of a launch through the caches of a card: blocks side by side as the card would
// run them.

struct CacheShapes {
  std::uint32_t multiprocessors = 0;
  std::uint64_t l1_lines = 0;  // of a multiprocessor, what shared memory leaves
  std::uint64_t l2_lines = 0;
  std::uint64_t resident_blocks = 1;  // of a multiprocessor
};

// What the sample tells of a site.
struct SiteHits {
  double l1 = 0, l2 = 0, dram = 0;      // requests, by the slowest of their lines
  double dram_lines = 0;                // that requests wait for
  double asked = 0;                     // sectors that are read, written or updated; of these
  double l2_reads = 0, dram_reads = 0;  // that are read there
  double brought = 0;                   // that its stores or atomics touch first, or first again
};

struct Traffic {
  double loads = 0, stores = 0;           // sectors that warps ask for
  double l2_writes = 0, dram_writes = 0;  // that go on to the L2, and to DRAM
  double flushed = 0;
  std::vector<SiteHits> of_site;
  std::vector<double> slowest_of_warp;  // requests that waited for DRAM, by the warp's number in its block
};

// `lines_of_request`: of each site, on average, sampled or not. `ahead_of_stores`: sites whose loads find
// what the L1 had before the stores in front of them (load_order.h).
Traffic replay(std::span<AccessTrace* const> traces, const CacheShapes& shapes,
               std::span<const double> lines_of_request, const std::vector<bool>& ahead_of_stores);

}  // namespace cudalab::vgpu
