// What each kind of memory site is to the counters: its space, what it does there, and what an access costs.
#pragma once

#include <cstdint>

#include "core/measurement.h"
#include "vgpu/counters/coalescing.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// What one warp-wide access costs the card.
struct AccessCost {
  std::uint32_t transactions = 0;    // sectors, or wavefronts
  std::uint32_t fewest = 0;          // transactions, had the lanes been arranged best
  std::uint32_t distinct_bytes = 0;  // bytes touched, each counted once
  std::uint32_t requests = 1;        // more where an atomic is a loop on the card
  LoadCost loads;                    // that an atomic needs there
};

struct SiteClass {
  SiteKind kind;
  MemorySpace space;
  AccessKind access;
  AccessCost (*cost)(const WarpAccess&);  // nullptr: an atomic, which its form decides
};

const SiteClass& class_of(SiteKind kind);

AccessCost cost_of(const SiteInfo& site, const WarpAccess& access);

}  // namespace cudalab::vgpu
