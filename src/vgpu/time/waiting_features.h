// What the time model is fed with of blocks that wait for each other (hand_overs/).
#pragma once

#include <span>
#include <vector>

#include "core/prediction.h"
#include "vgpu/block.h"
#include "vgpu/time/longest_chain.h"

namespace cudalab::vgpu {

class AccessTrace;

// Of the host thread that ran them; nullptr: nobody waits.
const HandOverTrace* hand_overs_of(std::span<AccessTrace* const> traces);

// How often a loop asks in vain depends on when who runs: it costs nothing but the wait.
std::vector<BasicBlockCount> without_idle_rounds(std::span<const BasicBlockCount> counts,
                                                 std::span<AccessTrace* const> traces);
std::vector<SiteTotals> without_idle_rounds(std::span<const SiteTotals> sites,
                                            std::span<AccessTrace* const> traces);

// What another block has just written comes from there.
void find_shared_in_l2(const Program& program, std::vector<SiteShares>& shares);

// `blocks`: of the launch.
HandOverPath path_of(const Launch& launch, const HandOverTrace& hand_overs,
                     std::span<const SiteShares> shares, const Occupancy& occupancy, double blocks);

}  // namespace cudalab::vgpu
