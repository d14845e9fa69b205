// cp.async: copies from global to shared memory that go on while the thread does, until it waits for them.
//
// Here a copy reads when it is issued and writes when its thread waits for it, the latest that PTX allows: a
// kernel that forgets to wait finds what was in shared memory before, and the checks see it.
#pragma once

#include "vgpu/warp.h"

namespace cudalab::vgpu::async_copy {

// To a (generic address), imm bytes from b, of which only the first c are read and the rest becomes 0 (no c:
// all are read); e: a predicate, none is read where it holds. site: of the load; the one after it is of the
// store.
const Inst* issue(const Inst* inst, Warp& warp);

// What was issued since the last time is a group.
const Inst* commit(const Inst* inst, Warp& warp);

// Waits for all groups but the latest imm; with kEverything also for what is in no group yet.
inline constexpr std::uint64_t kEverything = ~std::uint64_t{0};
const Inst* wait(const Inst* inst, Warp& warp);
// What the lane had issued before the warp's copy number `end` arrives.
void arrive_until(Warp& warp, int lane, std::uint64_t end);

}  // namespace cudalab::vgpu::async_copy
