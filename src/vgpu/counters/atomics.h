// What atomics cost the card: sectors or wavefronts, and the loads of those that are loops there.
#pragma once

#include "vgpu/counters/site_kinds.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The rules reproduce expected/h200/atomic_patterns.jsonl. Global ones cost the sectors of their packets.
AccessCost global_atomic_cost(AtomicForm form, const WarpAccess& access);

// Lanes that hit one bank go one after the other, even at equal addresses, in groups as for loads: 32 lanes
// for 4 bytes, 16 for 8, 8 for 16. A compare-and-swap goes twice. Adding the constant 1 counts the lanes of a
// word at once. What the card has no instruction for is a loop: LDS, the operation, and a compare-and-swap
// that serves one lane of each bank, until none is left.
AccessCost shared_atomic_cost(AtomicForm form, const WarpAccess& access);

}  // namespace cudalab::vgpu
