// How long a warp alone would take: the chain of results of which each waits for the one before.
#pragma once

#include <span>
#include <vector>

#include "vgpu/time/launch_features.h"

namespace cudalab::vgpu {

// Clocks until the result of each source is there; the arithmetic's own are in the code.
struct Latencies {
  double shared = 30, l1 = 38, l2 = 265, dram = 720, constant = 34, atomic = 700, texture = 200;
};

// From where the loads of a site come, as shares.
struct SiteShares {
  double l1 = 1, l2 = 0, dram = 0;
  double dram_pieces = 1;  // of 256 bytes, that a request asks DRAM for at once
  double passes = 1;       // of a request: lines of memory, or wavefronts of shared memory
  double rounds = 0;       // of a loop around a compare-and-swap
  int registers = 1;       // that a load fills
};

// `executions`: of each basic block, by an average warp. `registers`: of a thread, which limit how many loads
// are on their way; 0: unknown.
struct LongestChain {
  Waits waits{};
  std::vector<Waits> of_basic_block;  // what one execution of each adds
};
// `company`: the same number for basic blocks that are executed together whenever one of them is; nothing:
// those that are executed as often. `before`: executions that come before
// and count for nothing but what they leave on its way.
LongestChain longest_chain(const TimedCode& code, std::span<const double> executions,
                           std::span<const SiteShares> sites, int registers, const Latencies& latencies,
                           std::span<const std::uint64_t> company = {}, std::span<const double> before = {});

// What each further execution of a basic block adds that is executed again and again.
Waits chain_of_round(const TimedCode& code, const TimedBasicBlock& basic_block,
                     std::span<const SiteShares> sites, int registers, const Latencies& latencies);

}  // namespace cudalab::vgpu
