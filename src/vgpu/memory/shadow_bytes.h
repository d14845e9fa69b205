// Shadow memory of the checks: zeroed host memory per watched allocation, and the spans that a launch
// accessed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/memory/memory.h"
#include "vgpu/memory/written_bits.h"
#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

// The spans of global memory that a launch accessed, derived from the marks of the race checks.

// Adds spans from the kinds of granules, told in ascending order.
class TouchedRuns {
 public:
  // `base`: address of granule 0.
  TouchedRuns(std::uint64_t base, int granule_shift, std::vector<TouchedSpan>& spans)
      : base_(base), granule_shift_(granule_shift), spans_(&spans) {}
  void add(std::uint64_t granule, TouchedSpan::Kind kind) {
    if (kind == TouchedSpan::kNot) return;
    const std::uint64_t address = base_ + (granule << granule_shift_);
    if (!is_open_ || spans_->back().kind != kind || spans_->back().end != address)
      spans_->push_back({address, address, kind});
    is_open_ = true;
    spans_->back().end = address + (std::uint64_t{1} << granule_shift_);
  }

 private:
  std::uint64_t base_;
  int granule_shift_;
  std::vector<TouchedSpan>* spans_;
  bool is_open_ = false;  // the last span is of this object
};

// Adds the spans of an allocation that begins at `base`. Mark 0 means untouched; `kind_of` interprets the
// other marks.
template <class Mark, class KindOf>
void add_touched(std::uint64_t base, const Mark* marks, std::uint64_t count, int granule_shift,
                 const KindOf& kind_of, std::vector<TouchedSpan>& spans) {
  TouchedRuns runs(base, granule_shift, spans);
  constexpr std::uint64_t kInWord = sizeof(std::uint64_t) / sizeof(Mark);
  for (std::uint64_t granule = 0; granule < count; ++granule) {
    // Fast path: most of the memory is usually untouched.
    if (granule + kInWord <= count) {
      std::uint64_t word = 0;
      std::memcpy(&word, marks + granule, sizeof word);
      if (word == 0) granule += kInWord - 1;
      if (word == 0) continue;
    }
    if (marks[granule] != 0) runs.add(granule, kind_of(marks[granule]));
  }
}

// Data of a check for each allocation that a launch accesses, created at the first access: a program may have
// thousands of allocations and as many launches.

template <class Watched>
class WatchedMemory {
 public:
  // Allocations made by the launch itself are not watched.
  explicit WatchedMemory(const GlobalMemory& memory) : newest_(memory.newest()) {}
  ~WatchedMemory() {
    for (const auto& [allocation, watched] : all_) allocation->watch = nullptr;
  }
  WatchedMemory(const WatchedMemory&) = delete;
  WatchedMemory& operator=(const WatchedMemory&) = delete;

  // nullptr before the first access.
  static Watched* known(const Allocation& allocation) {
    return static_cast<Watched*>(allocation.watch.load(std::memory_order_acquire));
  }

  // nullptr if the allocation is not watched. Callable from any host thread; `make(allocation)` is called
  // under a lock.
  template <class Make>
  Watched* of(const Allocation& allocation, const Make& make) {
    if (Watched* touched = known(allocation)) return touched;
    if (allocation.read_only || allocation.number > newest_) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = all_.try_emplace(&allocation);
    if (is_new) place->second.reset(new Watched(make(allocation)));  // which need not be movable
    allocation.watch.store(place->second.get(), std::memory_order_release);
    return place->second.get();
  }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::uint64_t newest_;
  std::mutex mutex_;
  std::unordered_map<const Allocation*, std::unique_ptr<Watched>> all_;
};

// Zeroed host memory in which the checks of a launch record accesses.
//
// The checks read a mark before they write it. On fresh memory from the system, the first read would map a
// shared zero page and the first write would replace it, which requires a TLB shootdown on all cores of the
// host and dominates all other costs. Pages are therefore written before they are read. Successive launches
// reuse the same memory: clearing touched pages costs less than mapping fresh ones.

class ShadowBytes {
 public:
  ShadowBytes() = default;
  explicit ShadowBytes(std::size_t bytes);
  ~ShadowBytes();
  ShadowBytes(ShadowBytes&& other) noexcept { swap(other); }
  ShadowBytes& operator=(ShadowBytes&& other) noexcept {
    swap(other);
    return *this;
  }

  std::byte* get() const { return piece_.memory.get(); }
  // Call before the bytes [from, to) are read or written; callable from any host thread.
  void touch(std::size_t from, std::size_t to) const {
    for (std::size_t page = from / kPageBytes; page <= (to - 1) / kPageBytes; ++page)
      if (piece_.pages[page].load(std::memory_order_relaxed) != kTouched) bring(page);
  }
  // Calls use(from, to) for each range of touched pages in ascending order; the last one may extend beyond
  // the requested bytes.
  template <class Use>
  void for_each_touched(const Use& use) const;

 private:
  enum Page : std::uint8_t { kAbsent, kCleared, kTouched };
  struct Piece {
    HostBytes memory;
    std::size_t count = 0;  // number of pages
    std::unique_ptr<std::atomic<std::uint8_t>[]> pages;
  };
  static constexpr std::size_t kPageBytes = 4096;
  friend class SpareShadows;
  void swap(ShadowBytes& other) noexcept { std::swap(piece_, other.piece_); }
  void bring(std::size_t page) const;
  Piece piece_;
};

// Returns the memory that ended launches have left for reuse to the system.
void free_spare_shadows();

template <class Use>
void ShadowBytes::for_each_touched(const Use& use) const {
  const auto is_touched = [&](std::size_t page) {
    return piece_.pages[page].load(std::memory_order_relaxed) == kTouched;
  };
  for (std::size_t page = 0, end = 0; page < piece_.count; page = end + 1) {
    for (end = page; end < piece_.count && is_touched(end);) ++end;
    if (end > page) use(page * kPageBytes, end * kPageBytes);
  }
}

}  // namespace cudalab::vgpu
