// Finds where a thread first computes a value that the same thread of the solution never has, although it
// loaded the same elements.
#pragma once

#include <optional>

#include "core/access_history.h"
#include "course/reasons/evidence.h"
#include "vgpu/warp_trace.h"

namespace cudalab::course {

// The instructions of one warp in both kernels.
struct WarpPair {
  vgpu::WarpTrace found, wanted;
};

// The store or update by which a value leaves its thread.
struct ValueEnd {
  AccessEvent event;
  SourceLine line;
};

// Compares only values from which the wrong value was computed, not addresses and conditions. Both ends
// belong to the same thread. Empty for values that a shuffle exchanges, and if the kernels compute in
// different ways, as their instructions show: a value that only one of them has is then no mistake.
std::optional<Reason> first_new_value(const WarpPair& warps, const ValueEnd& found, const ValueEnd& wanted);

}  // namespace cudalab::course
