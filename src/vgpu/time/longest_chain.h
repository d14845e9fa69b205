// Computes how long a warp takes alone: its critical path, the longest chain of dependent results.
#pragma once

#include <span>
#include <vector>

#include "vgpu/time/launch_features.h"

namespace cudalab::vgpu {

// Cycles until a result of each source is available; latencies of arithmetic are in the code.
struct Latencies {
  double shared = 30, l1 = 38, l2 = 265, dram = 720, constant = 34, atomic = 700, texture = 200;
};

// The share of each level in a site's loads.
struct SiteShares {
  double l1 = 1, l2 = 0, dram = 0;
  double dram_pieces = 1;  // 256-byte segments that a request reads from DRAM at once
  double passes = 1;       // wavefronts per request, or the equivalent number of cycles
  double rounds = 0;       // rounds per request of a compare-and-swap loop
  int registers = 1;       // that a load fills
};

// The critical path of a warp.
struct LongestChain {
  Waits waits{};
  std::vector<Waits> of_basic_block;  // waits that one execution of each basic block adds
};
// `executions`: of each basic block, by an average warp. `registers`: per thread; they limit the loads in
// flight; 0: unknown. `company` has equal numbers for basic blocks that are always executed together; if
// empty, basic blocks with equal execution counts are assumed to be. `before`: executions that come first;
// their own time is not counted, but their results in flight are.
LongestChain longest_chain(const TimedCode& code, std::span<const double> executions,
                           std::span<const SiteShares> sites, int registers, const Latencies& latencies,
                           std::span<const std::uint64_t> company = {}, std::span<const double> before = {});

// Waits that each further execution of a repeated basic block adds.
Waits chain_of_round(const TimedCode& code, const TimedBasicBlock& basic_block,
                     std::span<const SiteShares> sites, int registers, const Latencies& latencies);

}  // namespace cudalab::vgpu
