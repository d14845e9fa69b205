// Vector clocks of a block and its cluster: the order made by barriers, __syncwarp() and fences.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// The happens-before order between the warps of a block, as made by barriers, __syncwarp() and fences.
//
// Time is counted in ticks; each access of a warp is stamped with the warp's current tick. For each pair of
// warps, the clock stores up to which tick one has seen the other's accesses (a vector clock; FastTrack, PLDI
// 2009). The order made by barriers of the whole block is kept as one number, so most queries are one
// comparison.

// The threads that a fence or an atomic operation synchronizes with: kBlock for .cta, kGrid for .gpu and
// every wider scope.
enum class Scope { kBlock, kGrid };

class BlockClock {
 public:
  static constexpr int kMaxWarps = 32;  // of a block: CUDA C++ Programming Guide, technical specifications
  static constexpr int kMaxBarriers = 16;

  void start_block();  // everything before now happened in the past

  std::uint32_t now(std::uint32_t warp) const { return now_[warp]; }
  // Accesses up to this tick happen before everything that any warp does from now on.
  std::uint32_t settled() const { return settled_; }
  // All ticks of this block are larger than this.
  std::uint32_t block_start() const { return block_start_; }
  // Whether an access of `other` at `tick` happens before what `warp` does now. With `other` == `warp`, the
  // access is by another lane; accesses of the same thread are always ordered.
  bool has_seen(std::uint32_t warp, std::uint32_t other, std::uint32_t tick) const {
    return tick <= settled_ || tick <= (warp == other ? own_settled_[warp] : seen_[warp][other]);
  }

  // arrive(): bar.arrive, and the first half of bar.sync. pass(): called for every waiting warp when the
  // barrier opens.
  void arrive(std::uint32_t warp, int barrier) {
    used_barriers_ |= 1u << barrier;
    contribute(warp, barriers_[barrier]);
  }
  void pass(std::uint32_t warp, int barrier) { absorb(warp, barriers_[barrier]); }
  // The same for other kinds of synchronization points.
  using Ticks = std::array<std::uint32_t, kMaxWarps>;
  void contribute(std::uint32_t warp, Ticks& to);
  void absorb(std::uint32_t warp, const Ticks& from);
  void clear(int barrier) { barriers_[barrier].fill(0); }
  void everybody_passed();  // called when all threads of the block have passed a barrier

  void order_lanes(std::uint32_t warp);         // __syncwarp
  void fence(std::uint32_t warp, Scope scope);  // __threadfence(), __threadfence_block() and related fences
  // fence_proxy(): fence.proxy.async; bulk copies may then read everything that the warp has seen or done so
  // far. is_fenced_for_proxy(): whether bulk copies may read what the warp did at `tick`. write_by_proxy():
  // records that a bulk copy's own write needs no such fence.
  void fence_proxy(std::uint32_t warp);
  bool is_fenced_for_proxy(std::uint32_t warp, std::uint32_t tick) const { return tick <= proxied_[warp]; }
  void write_by_proxy(std::uint32_t warp);
  // Release: an atomic or volatile store publishes everything fenced before it. Acquire: an atomic or
  // volatile load takes over everything published.
  void hand_over(Scope scope);
  void take_over(std::uint32_t warp, Scope scope);

  // For races between blocks: the number of grid-wide fences so far, how many of these were followed by a
  // releasing store, and whether there was an acquiring load.
  std::uint32_t fences() const { return grid_fences_; }
  std::uint32_t fences_handed_over() const { return grid_fences_handed_over_; }
  bool has_taken_over() const { return has_taken_over_; }

 private:
  std::uint32_t next_tick();
  void include(Ticks& to, std::uint32_t warp) const;  // adds everything that the warp has seen or done

  std::uint32_t tick_ = 1, settled_ = 0, block_start_ = 0;
  Ticks now_{}, own_settled_{};
  std::array<Ticks, kMaxWarps> seen_{};
  std::array<Ticks, kMaxBarriers> barriers_{};
  std::uint32_t used_barriers_ = 0;  // by this block; the others hold zeros
  Ticks fenced_{}, handed_over_{}, proxied_{};
  bool is_handed_over_ = true;  // everything fenced so far has been published
  std::uint32_t grid_fences_ = 0, grid_fences_handed_over_ = 0;
  bool has_taken_over_ = false;
};

// The happens-before order between the blocks of a cluster: what the warps of one block have seen of the
// other blocks, through cluster barriers and mbarriers.
//
// Seen by one warp counts as seen by all warps of its block. Races between blocks may therefore be missed;
// none is falsely reported.

// Vector clocks collected from the warps that arrive at a synchronization point, for the warps that wait
// there. Indexed by rank in the cluster, then by warp.
struct SyncPoint {
  std::vector<BlockClock::Ticks> seen;
  BlockClock::Ticks& of(std::uint32_t rank) {
    if (seen.size() <= rank) seen.resize(rank + 1);
    return seen[rank];
  }
};

class ClusterClock {
 public:
  explicit ClusterClock(BlockClock& own) : own_(&own) {}
  void start_block(std::uint32_t rank);
  void arrive(std::uint32_t warp, SyncPoint& at);
  void pass(std::uint32_t warp, const SyncPoint& at);

  std::uint32_t rank() const { return rank_; }
  // Whether an access at `tick` by warp `other_warp` of the block with this rank happens before what `warp`
  // does now.
  bool has_seen(std::uint32_t warp, std::uint32_t rank, std::uint32_t other_warp, std::uint32_t tick) const;
  bool has_heard_of(std::uint32_t rank) const { return rank == rank_ || rank < others_.seen.size(); }

 private:
  BlockClock* own_;
  std::uint32_t rank_ = 0;
  SyncPoint others_;
};

}  // namespace cudalab::vgpu
