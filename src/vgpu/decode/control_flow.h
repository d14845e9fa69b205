// Basic blocks of a function, and the order in which to lay them out so that diverged lanes meet again.
#pragma once

#include <cstdint>
#include <vector>

namespace cudalab::vgpu {

// A graph of basic blocks; block 0 is the entry. `successors[b]` are the blocks that may follow b.
struct BlockGraph {
  std::vector<std::vector<std::uint32_t>> successors;
};

// A weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993):
// loops are contiguous, and but for edges back to a loop's head every edge goes forwards. Of a warp's paths
// the one that stands first in this order runs; so all lanes that can still reach a block come before it, and
// they meet no later than at the immediate post-dominator of the branch that parted them ("thread frontiers",
// G. Diamos et al., MICRO 2011). Blocks that the entry does not reach are left out.
std::vector<std::uint32_t> layout_order(const BlockGraph& graph);

}  // namespace cudalab::vgpu
