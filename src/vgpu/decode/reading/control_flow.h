// Basic blocks of a function, and the order in which to lay them out so that diverged lanes meet again.
#pragma once

#include <cstdint>
#include <vector>

namespace cudalab::vgpu {

// The basic blocks of a function; 0 is the entry. `successors[b]` are those that may follow b.
struct BasicBlockGraph {
  std::vector<std::vector<std::uint32_t>> successors;
};

// A weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993):
// loops are contiguous, and but for edges back to a loop's head every edge goes forwards. Of a warp's paths
// the one that stands first in this order runs; so all lanes that can still reach a block come before it, and
// they meet no later than at the immediate post-dominator of the branch that parted them ("thread frontiers",
// G. Diamos et al., MICRO 2011). What the entry does not reach is left out.
std::vector<std::uint32_t> layout_order(const BasicBlockGraph& graph);

}  // namespace cudalab::vgpu
