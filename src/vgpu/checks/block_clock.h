// Vector clocks of a block and its cluster: the order made by barriers, __syncwarp() and fences.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// Who has waited for whom in a block: the order that barriers, __syncwarp() and fences make between its
// warps.
//
// Time is counted in ticks; a warp's accesses carry the tick that it stands at. For each pair of warps the
// clock knows up to which tick one has seen the other's accesses (a vector clock, FastTrack, PLDI 2009). What
// barriers of all threads order is kept as one number, so that most questions are one comparison.

// Whose threads a fence or an atomic operation is for, by its scope: .cta, or .gpu and all others.
enum class Scope { kBlock, kGrid };

class BlockClock {
 public:
  static constexpr int kMaxWarps = 32;  // of a block: CUDA C++ Programming Guide, technical specifications
  static constexpr int kMaxBarriers = 16;

  void start_block();  // everything before is in the past

  std::uint32_t now(std::uint32_t warp) const { return now_[warp]; }
  // Accesses up to this tick come before everything that any warp does from now on.
  std::uint32_t settled() const { return settled_; }
  // The ticks of this block are larger.
  std::uint32_t block_start() const { return block_start_; }
  // Whether an access of `other` at `tick` comes before what `warp` does now. The same thread's always does.
  bool has_seen(std::uint32_t warp, std::uint32_t other, std::uint32_t tick) const {
    return tick <= settled_ || tick <= (warp == other ? own_settled_[warp] : seen_[warp][other]);
  }

  // bar.arrive and the first half of bar.sync; then, when the barrier opens, for every warp that waited
  // there.
  void arrive(std::uint32_t warp, int barrier) { contribute(warp, barriers_[barrier]); }
  void pass(std::uint32_t warp, int barrier) { absorb(warp, barriers_[barrier]); }
  // The same, at a meeting point of another kind.
  using Ticks = std::array<std::uint32_t, kMaxWarps>;
  void contribute(std::uint32_t warp, Ticks& to);
  void absorb(std::uint32_t warp, const Ticks& from);
  void clear(int barrier) { barriers_[barrier].fill(0); }
  void everybody_passed();  // a barrier of the whole block

  void order_lanes(std::uint32_t warp);         // __syncwarp
  void fence(std::uint32_t warp, Scope scope);  // __threadfence, __threadfence_block and their kin
  // fence.proxy.async: bulk copies may read what the warp has seen or done so far. Whether they may read what
  // one did at a tick. What a bulk copy wrote itself, by whoever waits for it.
  void fence_proxy(std::uint32_t warp);
  bool is_fenced_for_proxy(std::uint32_t warp, std::uint32_t tick) const { return tick <= proxied_[warp]; }
  void write_by_proxy(std::uint32_t warp);
  // An atomic or volatile store hands over what was fenced before; such a load takes what was handed over.
  void hand_over(Scope scope);
  void take_over(std::uint32_t warp, Scope scope);

  // For other blocks: how many fences that reach them there were so far, how many of them were followed by
  // such a store, and whether there was such a load.
  std::uint32_t fences() const { return grid_fences_; }
  std::uint32_t fences_handed_over() const { return grid_fences_handed_over_; }
  bool has_taken_over() const { return has_taken_over_; }

 private:
  std::uint32_t next_tick();
  void include(Ticks& to, std::uint32_t warp) const;  // all that the warp has seen or done

  std::uint32_t tick_ = 1, settled_ = 0, block_start_ = 0;
  Ticks now_{}, own_settled_{};
  std::array<Ticks, kMaxWarps> seen_{};
  std::array<Ticks, kMaxBarriers> barriers_{};
  Ticks fenced_{}, handed_over_{}, proxied_{};
  bool is_handed_over_ = true;  // all that was fenced
  std::uint32_t grid_fences_ = 0, grid_fences_handed_over_ = 0;
  bool has_taken_over_ = false;
};

// Who has waited for whom among the blocks of a cluster: what a block's warps have seen of the others', by
// way of the cluster's barrier and of mbarriers.
//
// What one warp of a block has seen, all its warps have: a race between blocks may be missed, none is made
// up.

// What those who arrive somewhere hand to those who wait there: by rank in the cluster, how far each warp had
// come.
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
  // Whether an access by a warp of the block with that rank, at a tick of that block's clock, comes before
  // what `warp` does now.
  bool has_seen(std::uint32_t warp, std::uint32_t rank, std::uint32_t other_warp, std::uint32_t tick) const;
  bool has_heard_of(std::uint32_t rank) const { return rank == rank_ || rank < others_.seen.size(); }

 private:
  BlockClock* own_;
  std::uint32_t rank_ = 0;
  SyncPoint others_;
};

}  // namespace cudalab::vgpu
