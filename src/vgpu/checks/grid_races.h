// Finds races between blocks of a launch in global memory: first a cheap, conservative check, then exact
// tracking.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/line_marks.h"
#include "vgpu/memory/shadow_bytes.h"

namespace cudalab::vgpu {

// Watches global memory while blocks run on several host threads. It raises a suspicion if two threads of the
// grid touched the same granule and one of them wrote. That is a race unless something orders the two
// accesses, and both the kernel's results and the first race found may depend on the timing of the host
// threads. The launch is therefore undone and repeated with its blocks in order on one host thread, where
// GridRaces (below) tracks accesses exactly.
//
// Each granule has a mark (line_marks.h).

struct TouchedSpan;  // vgpu.h

// Saves the contents of an allocation's pages before the launch writes to them.
class SavedPages {
 public:
  explicit SavedPages(const Allocation& allocation);
  void save(std::uint64_t from, std::uint64_t to);  // bytes; callable from any host thread
  void restore() const;

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  enum State : std::uint8_t { kUntouched, kBeingSaved, kSaved };
  void prepare();
  void save_page(std::uint64_t page);
  const Allocation* allocation_;
  std::once_flag prepared_;  // the following exist only for what is written
  std::unique_ptr<std::atomic<std::uint8_t>[]> states_;
  ShadowBytes contents_;
  WrittenBits written_;
};

class Suspicion {
 public:
  // `is_alone`: only one host thread uses the object.
  Suspicion(const GlobalMemory& memory, int granule_shift, bool is_alone = false);
  bool is_raised() const { return raised_.load(std::memory_order_relaxed); }
  // `thread`: number in the grid of the access's lane 0. Call before the data moves.
  void observe(const ObservedAccess& access, const Allocation& allocation, std::uint64_t thread);
  // Prefetches the marks that observe() will need.
  void ask_for_marks(const Pattern& pattern, std::uint64_t base, const Allocation& allocation) const;
  void add_touched_to(std::vector<TouchedSpan>& spans) const;
  // Restores every byte that the launch wrote.
  void undo() const;

 private:
  struct Watched {
    LineMarks marks;
    SavedPages saved;
  };

  int granule_shift_;
  bool is_alone_;
  MarkBlocks blocks_;
  std::atomic<bool> raised_{false};
  WatchedMemory<Watched> watched_;
};

// Finds unordered accesses to the same global memory by different blocks of a launch. Blocks run on one host
// thread, always in the same order.
//
// Each granule stores one access: the latest write, or the first read if there was no write. Earlier accesses
// are ordered before it or have been reported.
//
// Two accesses are ordered if the earlier block executed a fence after its access and then an atomic or
// volatile store, and the later block executed an atomic operation or volatile load before its access. The
// check does not track which store that load saw. Races may therefore be missed in kernels that also
// synchronize their blocks; none is falsely reported. Block-scope operations (__threadfence_block,
// atomicAdd_block) order nothing between blocks.

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
  // The access stored for a granule; several granules may share one Accessor.
  struct Accessor {
    std::uint32_t block = 0;
    std::uint32_t fences : 31 = 0, is_for_block : 1 = 0;  // fences: of the block, before the access;
                                                          // is_for_block: a block-scope atomic
    std::uint32_t record = 0;
    friend bool operator==(const Accessor&, const Accessor&) = default;
  };
  struct Watched {
    HostBytes owners;  // per granule: | written 1 | accessor index 31 |; 0: none
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
  std::vector<Accessor> accessors_{{}};  // index 0 is unused
  std::size_t most_accessors_;           // at this size everything is forgotten, to limit memory
  static constexpr std::size_t kRecent = 1024;
  std::array<std::uint32_t, kRecent> recent_{};  // indices of accessors, by hash
  // By block: number of fences that a releasing store followed.
  std::unordered_map<std::uint32_t, std::uint32_t> handed_over_;
  bool has_flags_of_blocks_ = false, has_fences_of_blocks_ = false;  // of scope .cta
};

}  // namespace cudalab::vgpu
