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
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/observed_access.h"
#include "vgpu/checks/order/block_clock.h"
#include "vgpu/memory/watched_memory.h"

namespace cudalab::vgpu {

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
  std::string_view fix_of(const Visit& visit, const Accessor& earlier) const;
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
