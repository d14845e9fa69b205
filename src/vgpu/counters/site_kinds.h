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
};

struct SiteClass {
  SiteKind kind;
  MemorySpace space;
  AccessKind access;
  AccessCost (*cost)(const WarpAccess&);
};

const SiteClass& class_of(SiteKind kind);

}  // namespace cudalab::vgpu
