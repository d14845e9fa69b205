// Replays the sampled lines of a launch through the caches of a card: blocks side by side as the card would
// run them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/time/access_trace.h"

namespace cudalab::vgpu {

struct CacheShapes {
  std::uint32_t multiprocessors = 0;
  std::uint64_t l1_lines = 0;  // of a multiprocessor, what shared memory leaves
  std::uint64_t l2_lines = 0;
  std::uint64_t resident_blocks = 1;  // of a multiprocessor
};

// What the sample tells of a site.
struct SiteHits {
  double l1 = 0, l2 = 0, dram = 0;      // requests, by the slowest of their lines
  double dram_lines = 0;                // that requests wait for
  double asked = 0;                     // sectors that are read, written or updated; of these
  double l2_reads = 0, dram_reads = 0;  // that are read there
  double brought = 0;                   // that its stores or atomics touch first, or first again
};

struct Traffic {
  double loads = 0, stores = 0;           // sectors that warps ask for
  double l2_writes = 0, dram_writes = 0;  // that go on to the L2, and to DRAM
  double flushed = 0;
  std::vector<SiteHits> of_site;
  std::vector<double> slowest_of_warp;  // requests that waited for DRAM, by the warp's number in its block
};

// `lines_of_request`: of each site, on average, sampled or not. `ahead_of_stores`: sites whose loads find
// what the L1 had before the stores in front of them (load_order.h).
Traffic replay(std::span<AccessTrace* const> traces, const CacheShapes& shapes,
               std::span<const double> lines_of_request, const std::vector<bool>& ahead_of_stores);

}  // namespace cudalab::vgpu
