// Finds races between blocks of a launch in global memory: a cheap suspicion first, then exact tracking.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/hazard_log.h"
#include "vgpu/memory/shadow_bytes.h"

namespace cudalab::vgpu {

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
//   0x8000                 busy: a host thread has this mark and its neighbours
//
// Marks change under a lock, unless one host thread is alone. The lock of 32 marks, which are a line of the
// host's cache, is the first of them: whoever takes the line leaves 0x8000 there until it is done. What many
// threads read, as the matrices of a product, or one thread touches again and again, would make them wait for
// each other for nothing: so an access looks first, without the lock, and where it would change no mark and
// meets nobody it is done. No conflict is lost by that. What it saw was the mark at some moment, and for it
// that was an access which leaves the mark as it is: whoever touched the granule later took the lock, found
// that mark or a later one, and raised the suspicion if the two conflict.

struct TouchedSpan;  // vgpu.h

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
  ShadowBytes contents_;
  WrittenBits written_;
};

class Suspicion {
 public:
  // `is_alone`: only one host thread will call.
  Suspicion(const GlobalMemory& memory, int granule_shift, bool is_alone = false);
  bool is_raised() const { return raised_.load(std::memory_order_relaxed); }
  // `thread`: of the access's lane 0 in the whole grid. Before the data moves.
  void observe(const ObservedAccess& access, const Allocation& allocation, std::uint64_t thread);
  // The host fetches the marks of what will be observed.
  void ask_for_marks(const Pattern& pattern, std::uint64_t base, const Allocation& allocation) const;
  void add_touched_to(std::vector<TouchedSpan>& spans) const;
  // Every byte that the launch wrote is as it was before.
  void undo() const;

 private:
  struct Watched {
    ShadowBytes marks;
    SavedPages saved;
  };
  Watched watched_from_now_on(const Allocation& allocation) const;
  // Where the first lane's granule has the mark `first` of `shadow`. Return whether two threads conflict.
  bool touch_spans(const ObservedAccess& access, const ShadowBytes& shadow, std::uint64_t first,
                   std::uint32_t thread) const;
  bool touch_each(const ObservedAccess& access, const ShadowBytes& shadow, std::uint64_t first,
                  std::uint32_t thread) const;

  int granule_shift_;
  bool is_alone_;
  std::atomic<bool> raised_{false};
  WatchedMemory<Watched> watched_;
};

// Finds accesses to the same global memory by different blocks of a launch that nothing orders. Blocks are
// looked at on one host thread, in an order that is always the same.
//
// Each granule remembers one access: the latest write, or while nobody has written, the first read. What came
// before is ordered before it, or has been reported.
//
// Two accesses are ordered when the earlier block executed a fence after its access and then an atomic or
// volatile store, and the later block, before its own, an atomic operation or a volatile load. Which store
// that load saw is not followed, so a race may be missed in a kernel that also synchronises its blocks; none
// is made up. What has the scope of a block (__threadfence_block, atomicAdd_block) orders nothing here.

struct TouchedSpan;  // vgpu.h

class GridRaces {
 public:
  GridRaces(const GlobalMemory& memory, int granule_shift);

  void observe(const ObservedAccess& access, const Allocation& allocation, std::uint32_t block,
               const BlockClock& clock, HazardLog& log);
  void hand_over(std::uint32_t block, std::uint32_t fences) { handed_over_[block] = fences; }
  void add_touched_to(std::vector<TouchedSpan>& spans) const;
  void fence_of_block() { has_fences_of_blocks_ = true; }

 private:
  // Who accessed a granule. Several granules share one.
  struct Accessor {
    std::uint32_t block = 0;
    std::uint32_t fences : 31 = 0, is_for_block : 1 = 0;  // of the block before; an atomic of that scope
    std::uint32_t record = 0;
    friend bool operator==(const Accessor&, const Accessor&) = default;
  };
  struct Watched {
    HostBytes owners;  // a granule: | written 1 | number of an accessor 31 |, 0: nobody
  };
  struct Visit;
  void visit_span(const Visit& visit, const Footprint::Span& span);
  std::uint32_t visit_granule(const Visit& visit, std::uint32_t owner, std::uint32_t lane,
                              std::int64_t granule);
  bool is_ordered(const Accessor& earlier, const BlockClock& clock) const;
  Message fix_of(const Visit& visit, const Accessor& earlier) const;
  void report(const Visit& visit, const Accessor& earlier, bool was_write, std::uint32_t lane,
              std::int64_t granule);
  std::uint32_t number_of(const Accessor& accessor);
  void forget();

  int granule_shift_;
  WatchedMemory<Watched> watched_;
  std::vector<Accessor> accessors_{{}};  // from 1 on
  std::size_t most_accessors_;           // then all is forgotten: memory has limits
  static constexpr std::size_t kRecent = 1024;
  std::array<std::uint32_t, kRecent> recent_{};                      // numbers of accessors, by a hash
  std::unordered_map<std::uint32_t, std::uint32_t> handed_over_;     // by block: how many fences
  bool has_flags_of_blocks_ = false, has_fences_of_blocks_ = false;  // of scope .cta
};

}  // namespace cudalab::vgpu
