// Watches global memory while blocks run on several host threads: was anything touched by two threads of the
// grid, and written by one of them? That is a race unless something orders the two, and what the kernel
// computes and which race is found first may depend on how the host threads happen to run. So the launch is
// then undone, and repeated with its blocks in order on one host thread, where grid_races.h looks closely.
//
// The mark of a granule says who touched it so far. It does not depend on the order of accesses:
//
//   0                      nobody
//   1 … 32749              one thread has read it (its number in the grid, modulo a prime, plus 1)
//   the same + 0x8000      one thread has written it, and perhaps read it
//   0x7ffe                 any threads, with reductions only
//   0x7fff                 several threads have read it
//
// Marks change under a lock. What many threads read, as the matrices of a product, would make them wait for
// each other: a bit beside each mark becomes 1 when the mark becomes 0x7fff, and stays so. A read of granules
// whose bits are all 1 is not marked, without a lock. No conflict is lost by that: whoever writes or reduces
// such a granule finds 0x7fff and raises the suspicion, before or after the read; and a granule that was
// written never becomes 0x7fff. So a bit may be seen late, which costs a lock, but never too early.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/observed_access.h"

namespace cudalab::vgpu {

// The contents of an allocation's pages before the launch wrote to them.
class SavedPages {
 public:
  explicit SavedPages(const Allocation& allocation);
  void save(std::uint64_t from, std::uint64_t to);  // bytes; by any host thread
  void restore() const;

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  enum State : std::uint8_t { kUntouched, kBeingSaved, kSaved };
  void save_page(std::uint64_t page);
  const Allocation* allocation_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> states_;
  HostBytes contents_;
  WrittenBits written_;
};

class Suspicion {
 public:
  Suspicion(GlobalMemory& memory, int granule_shift);
  ~Suspicion();
  bool is_raised() const { return raised_.load(std::memory_order_relaxed); }
  // `thread`: of the access's lane 0 in the whole grid. Before the data moves.
  void observe(const ObservedAccess& access, const Allocation& allocation, std::uint64_t thread);
  // Every byte that the launch wrote is as it was before.
  void undo() const;

 private:
  struct Watched {
    HostBytes marks, read_by_many;
    SavedPages saved;
  };
  void mark_span(const ObservedAccess& access, const Footprint::Span& span, const Watched& watched,
                 std::uint64_t first, std::uint32_t thread);

  int granule_shift_;
  std::atomic<bool> raised_{false};
  std::unordered_map<const Allocation*, std::unique_ptr<Watched>> watched_;
  static constexpr std::size_t kLocks = 1024;
  std::array<std::atomic_flag, kLocks> locks_{};
};

}  // namespace cudalab::vgpu
