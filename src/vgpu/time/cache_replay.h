// Replays the sampled lines of a launch through caches with least-recently-used (LRU) replacement.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/time/access_trace.h"

namespace cudalab::vgpu {

// An LRU cache of lines. Hundreds of them are replayed side by side, so the layout keeps the host's own cache
// misses few.

// Each of a line's four sectors is valid or not, dirty or not. Lines are found by linear probing in a table
// that is at most half full; eight neighbouring lines have neighbouring slots.
class LineCache {
  static constexpr std::uint32_t kNobody = ~0u;

 public:
  // Half a cache line of the host. Sectors have one bit each.
  struct alignas(32) Line {
    std::uint64_t number = 0;
    std::uint64_t asked_at : 48 = 0;  // time of the last miss on it, plus 1; 0: none
    std::uint64_t parts : 16 = 0;     // 4 bits per sector: which part of it is valid (touched_lanes.h)
    std::uint32_t before = kNobody, after = kNobody;  // in LRU order
    std::uint64_t asked_by : 42 = 0;                  // warp that caused the last miss
    std::uint64_t valid : 4 = 0, dirty : 4 = 0;
    std::uint64_t source : 2 = 0;  // of the last miss: 1: L2, 2: DRAM
    std::uint64_t here : 8 = 0;    // 4 bits per half of the L2: sectors that it holds
  };
  explicit LineCache(std::size_t capacity = 1) { begin(capacity); }

  // Empties the cache and keeps its memory.
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
  // Prefetch the slot, and later the line, ahead of find(): both are scattered over the host's memory.
  void fetch_slot(std::uint64_t number) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home_of(number)]);
  }
  void fetch_line(std::uint64_t number) const {
    if (slots_.empty()) return;
    const Slot& slot = slots_[home_of(number)];
    if (slot.place != kNobody) __builtin_prefetch(&lines_[slot.place]);
  }
  // Sizes the table of an empty cache for about this many lines, so it need not grow.
  void reserve(std::size_t lines) {
    lines_.reserve(std::min(lines, capacity_));
    slots_.assign(std::bit_ceil(std::max(kFewestSlots, 2 * std::min(lines, capacity_) + 2)), {});
  }
  bool is_full() const { return lines_.size() >= capacity_; }
  // Inserts a line. An evicted line is copied to `left`; without an eviction `left` keeps the number 0.
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
    std::uint32_t place = kNobody, number = 0;  // the lower 32 bits of it
  };
  std::size_t home_of(std::uint64_t number) const {
    constexpr int kNeighbours = 3;  // 2^3 lines, whose slots fill one host cache line
    const std::uint64_t scattered = (number >> kNeighbours) * 0x9E3779B97F4A7C15ull >> 20;
    return (scattered << kNeighbours | (number & ((1u << kNeighbours) - 1))) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  bool holds(const Slot& slot, std::uint64_t number) const {
    return slot.number == static_cast<std::uint32_t>(number) && lines_[slot.place].number == number;
  }
  // The slot that holds the line, or the free slot where it belongs.
  std::size_t slot_of(std::uint64_t number) const {
    std::size_t slot = home_of(number);
    while (slots_[slot].place != kNobody && !holds(slots_[slot], number)) slot = next(slot);
    return slot;
  }
  void put(std::uint32_t place) {
    const std::uint64_t number = lines_[place].number;
    slots_[slot_of(number)] = {place, static_cast<std::uint32_t>(number)};
  }
  // Moves later entries of the probe sequence up, so lookups still find them.
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

// Replays the sampled lines of a launch through the caches of a GPU, with blocks resident side by side as on
// the GPU.

struct CacheShapes {
  std::uint32_t multiprocessors = 0;
  std::uint64_t l1_lines = 0;  // per SM: the L1 without the part used as shared memory
  std::uint64_t l2_lines = 0;
  std::uint32_t l2_parts = 1;         // each serves its share of the SMs; at most 2
  std::uint64_t resident_blocks = 1;  // per SM
};

// Cache results of one site, from the sample.
struct SiteHits {
  double l1 = 0, l2 = 0, dram = 0;      // requests, by the source of their slowest line
  double dram_lines = 0;                // lines from DRAM that requests wait for
  double asked = 0;                     // sectors read, written or updated
  double l2_reads = 0, dram_reads = 0;  // of `asked`: sectors read from the L2, and from DRAM
  double brought = 0;                   // sectors of its stores or atomics that were not valid in the L2
};

struct Traffic {
  double loads = 0, stores = 0;           // sectors that warps request
  double l2_writes = 0, dram_writes = 0;  // sectors written to the L2, and from there to DRAM
  double flushed = 0;
  std::vector<SiteHits> of_site;
  std::vector<double> slowest_of_warp;  // requests that waited for DRAM, by the warp's number in its block
};

// `lines_of_request`: average lines per request of each site, sampled or not. `ahead_of_stores`: sites whose
// loads are hoisted above earlier stores, so these stores cost them no L1 data (instruction_costs.h).
Traffic replay(std::span<AccessTrace* const> traces, const CacheShapes& shapes,
               std::span<const double> lines_of_request, const std::vector<bool>& ahead_of_stores);

}  // namespace cudalab::vgpu
