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
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/checks/observed_access.h"
#include "vgpu/memory/shadow_bytes.h"
#include "vgpu/memory/watched_memory.h"

namespace cudalab::vgpu {

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

}  // namespace cudalab::vgpu
