// Asynchronous copies: cp.async, and bulk copies (cp.async.bulk) that an mbarrier or a group completes.
#pragma once

#include "vgpu/block.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// cp.async.bulk and its kin: one thread has a span of bytes copied while it goes on (PTX ISA, "Data Movement
// and Conversion Instructions: Asynchronous copy").
//
// A copy reads when it is issued and writes when somebody waits for it, the latest that PTX allows: an
// mbarrier whose phase has all its arrivals and is asked for, or cp.async.bulk.wait_group. Until then, the
// checks take every other access to its destination, and every write to its source, for a race.

// All copies whose bytes the mbarrier counts arrive, on behalf of a lane that asks for it.
void land_copies(Warp& asks, int lane, Block& block, std::uint64_t mbarrier);
// At the end of a block: what nobody has waited for arrives too.
void finish_bulk_copies(Block& block);

namespace bulk {

inline constexpr std::uint32_t kUnitBytes = 16;  // addresses and sizes are multiples of it

// imm: the number of a BulkOp. cp.async.bulk: a = to, b = from (generic addresses), c = bytes; slots: the
// mbarrier's generic address, a mask of ranks. site: of the destination; the next one: of the source.
const Inst* copy(const Inst* inst, Warp& warp);
// st.async, red.async: to a; slots: the mbarrier's generic address, the elements.
const Inst* store(const Inst* inst, Warp& warp);

const Inst* commit_group(const Inst* inst, Warp& warp);
// Of the groups but the latest imm: everything; or only what is read (kOnlyReads).
inline constexpr std::uint64_t kOnlyReads = std::uint64_t{1} << 32;
const Inst* wait_group(const Inst* inst, Warp& warp);

}  // namespace bulk
}  // namespace cudalab::vgpu

namespace cudalab::vgpu::async_copy {

// cp.async: copies from global to shared memory that go on while the thread does, until it waits for them.
//
// Here a copy reads when it is issued and writes when its thread waits for it, the latest that PTX allows: a
// kernel that forgets to wait finds what was in shared memory before, and the checks see it.

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
