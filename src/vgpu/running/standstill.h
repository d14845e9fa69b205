// Tells whether the warps of a block, which do nothing but find a phase of an mbarrier incomplete, will ever
// do anything else.
//
// A loop around mbarrier.try_wait may end by itself: it counts, or it looks at the clock. So time passes
// faster and faster while nobody gets on, a minute in all; then it stands still for a few turns. Warps whose
// paths, registers and memory are then as they were once before go round in a circle for ever.
#pragma once

#include <cstdint>

#include "vgpu/block.h"

namespace cudalab::vgpu {

class Standstill {
 public:
  void start_block() { turns_ = 0, polls_ = 0; }
  // After a turn in which some warp got on.
  void end() { start_block(); }
  // After a turn in which none did. Returns whether it will stay like this.
  bool lasts(Block& block);

 private:
  void let_time_pass(Block& block) const;

  std::uint64_t turns_ = 0, polls_ = 0;  // in a row; of all warps
  std::uint64_t remembered_ = 0;         // the state of the block at an earlier turn
};

}  // namespace cudalab::vgpu
