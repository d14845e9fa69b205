// Computes the inputs of the time model for blocks that wait for each other (hand_overs/).
#pragma once

#include <span>
#include <vector>

#include "core/prediction.h"
#include "vgpu/block.h"
#include "vgpu/time/longest_chain.h"

namespace cudalab::vgpu {

class AccessTrace;

// Of the host thread that ran the blocks; nullptr if no block waits.
const HandOverTrace* hand_overs_of(std::span<AccessTrace* const> traces);

// Removes polling rounds that found nothing. Their number depends on scheduling, and they cost no more than
// the wait itself.
std::vector<BasicBlockCount> without_idle_rounds(std::span<const BasicBlockCount> counts,
                                                 std::span<AccessTrace* const> traces);
std::vector<SiteTotals> without_idle_rounds(std::span<const SiteTotals> sites,
                                            std::span<AccessTrace* const> traces);

// Counts loads of values that another block has just written as L2 hits.
void find_shared_in_l2(const Program& program, std::vector<SiteShares>& shares);

// `blocks`: number of blocks in the launch.
HandOverPath path_of(const Launch& launch, const HandOverTrace& hand_overs,
                     std::span<const SiteShares> shares, const Occupancy& occupancy, double blocks);

}  // namespace cudalab::vgpu
