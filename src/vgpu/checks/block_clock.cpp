// Vector clocks of a block and its cluster: the order made by barriers, __syncwarp() and fences.
#include "vgpu/checks/block_clock.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace cudalab::vgpu {

// Saturates after 4 billion synchronizations: from then on races may be missed, but none is falsely reported.
std::uint32_t BlockClock::next_tick() {
  if (tick_ < std::numeric_limits<std::uint32_t>::max()) ++tick_;
  return tick_;
}

void BlockClock::start_block() {
  for (; used_barriers_ != 0; used_barriers_ &= used_barriers_ - 1)
    barriers_[static_cast<std::size_t>(std::countr_zero(used_barriers_))].fill(0);
  fenced_.fill(0);
  handed_over_.fill(0);
  is_handed_over_ = true;
  grid_fences_ = grid_fences_handed_over_ = 0;
  has_taken_over_ = false;
  everybody_passed();
  block_start_ = settled_;
}

void BlockClock::everybody_passed() {
  settled_ = tick_;
  now_.fill(next_tick());
}

void BlockClock::include(Ticks& to, std::uint32_t warp) const {
  for (int other = 0; other < kMaxWarps; ++other) to[other] = std::max(to[other], seen_[warp][other]);
  to[warp] = std::max(to[warp], now_[warp]);
}

void BlockClock::contribute(std::uint32_t warp, Ticks& to) {
  include(to, warp);
  now_[warp] = next_tick();
}

void BlockClock::absorb(std::uint32_t warp, const Ticks& ticks) {
  for (int other = 0; other < kMaxWarps; ++other)
    seen_[warp][other] = std::max(seen_[warp][other], ticks[other]);
  own_settled_[warp] = std::max(own_settled_[warp], ticks[warp]);
}

// Treats every mask as a full mask, so races between lanes that the mask does not name are missed.
void BlockClock::order_lanes(std::uint32_t warp) {
  own_settled_[warp] = now_[warp];
  now_[warp] = next_tick();
}

void BlockClock::fence(std::uint32_t warp, Scope scope) {
  include(fenced_, warp);
  is_handed_over_ = false;
  if (scope == Scope::kGrid) ++grid_fences_;
  now_[warp] = next_tick();
}

// Whether the fence is ordered before the copy is not tracked: any fence that the block executed earlier
// counts.
void BlockClock::fence_proxy(std::uint32_t warp) {
  include(proxied_, warp);
  for (std::uint32_t& tick : proxied_) tick = std::max(tick, settled_);
  fence(warp, Scope::kGrid);
}

void BlockClock::write_by_proxy(std::uint32_t warp) {
  proxied_[warp] = now_[warp];
  now_[warp] = next_tick();
}

// Fences are not matched to stores: any fence that the block executed earlier counts.
void BlockClock::hand_over(Scope scope) {
  if (scope == Scope::kGrid) grid_fences_handed_over_ = grid_fences_;
  if (is_handed_over_) return;
  for (int other = 0; other < kMaxWarps; ++other)
    handed_over_[other] = std::max(handed_over_[other], fenced_[other]);
  is_handed_over_ = true;
}

void BlockClock::take_over(std::uint32_t warp, Scope scope) {
  has_taken_over_ |= scope == Scope::kGrid;
  for (int other = 0; other < kMaxWarps; ++other)
    seen_[warp][other] = std::max(seen_[warp][other], handed_over_[other]);
  own_settled_[warp] = std::max(own_settled_[warp], handed_over_[warp]);
}

namespace {

void include(BlockClock::Ticks& to, const BlockClock::Ticks& from) {
  for (std::size_t warp = 0; warp < to.size(); ++warp) to[warp] = std::max(to[warp], from[warp]);
}

}  // namespace

void ClusterClock::start_block(std::uint32_t rank) {
  rank_ = rank;
  others_.seen.clear();
}

void ClusterClock::arrive(std::uint32_t warp, SyncPoint& at) {
  own_->contribute(warp, at.of(rank_));
  for (std::uint32_t rank = 0; rank < others_.seen.size(); ++rank)
    if (rank != rank_) include(at.of(rank), others_.seen[rank]);
}

void ClusterClock::pass(std::uint32_t warp, const SyncPoint& at) {
  for (std::uint32_t rank = 0; rank < at.seen.size(); ++rank) {
    if (rank == rank_)
      own_->absorb(warp, at.seen[rank]);
    else
      include(others_.of(rank), at.seen[rank]);
  }
}

bool ClusterClock::has_seen(std::uint32_t warp, std::uint32_t rank, std::uint32_t other_warp,
                            std::uint32_t tick) const {
  if (rank == rank_) return own_->has_seen(warp, other_warp, tick);
  return rank < others_.seen.size() && tick <= others_.seen[rank][other_warp];
}

}  // namespace cudalab::vgpu
