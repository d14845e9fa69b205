// Executes asynchronous copies: cp.async, and bulk copies (cp.async.bulk), which an mbarrier or a bulk group
// completes.
#pragma once

#include "vgpu/block.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// cp.async.bulk and related instructions: one thread starts a copy of a span of bytes and continues (PTX ISA,
// "Data Movement and Conversion Instructions: Asynchronous copy").
//
// The virtual GPU reads the source when the copy is issued and writes the destination when a thread waits for
// the copy, which is the latest that PTX allows: when a thread tests an mbarrier whose phase has all its
// arrivals, or executes cp.async.bulk.wait_group. Until then, the checks report every other access to the
// destination, and every write to the source, as a race.

// Completes all copies whose bytes the mbarrier counts. The lane tests the mbarrier.
void land_copies(Warp& asks, int lane, Block& block, std::uint64_t mbarrier);
// At the end of a block: completes the copies that no thread has waited for.
void finish_bulk_copies(Block& block);

namespace bulk {

inline constexpr std::uint32_t kUnitBytes = 16;  // addresses and sizes must be multiples of it

// imm: index of a BulkOp. cp.async.bulk: a = destination, b = source (generic addresses), c = bytes; slots:
// the mbarrier's generic address, a mask of ranks. site: of the destination; site + 1: of the source.
const Inst* copy(const Inst* inst, Warp& warp);
// st.async, red.async: a = destination; slots: the mbarrier's generic address, the elements.
const Inst* store(const Inst* inst, Warp& warp);

const Inst* commit_group(const Inst* inst, Warp& warp);
// Waits for all groups except the latest imm: until they are complete, or only until their sources are read
// (kOnlyReads).
inline constexpr std::uint64_t kOnlyReads = std::uint64_t{1} << 32;
const Inst* wait_group(const Inst* inst, Warp& warp);

}  // namespace bulk
}  // namespace cudalab::vgpu

namespace cudalab::vgpu::async_copy {

// cp.async: a thread starts a copy from global to shared memory and continues until it waits for the copy.
//
// The virtual GPU reads when the copy is issued and writes when its thread waits, which is the latest that
// PTX allows. A kernel that forgets to wait therefore finds the old contents of shared memory, and the checks
// report it.

// a = destination, b = source (generic addresses), imm = bytes. c: bytes that are read, the rest becomes 0
// (without c, all are read). e: predicate; where it holds, nothing is read. site: of the load; site + 1: of
// the store.
const Inst* issue(const Inst* inst, Warp& warp);

// Makes a group of all copies issued since the last commit.
const Inst* commit(const Inst* inst, Warp& warp);

// Waits for all groups except the latest imm; with kEverything also for copies that are in no group yet.
inline constexpr std::uint64_t kEverything = ~std::uint64_t{0};
const Inst* wait(const Inst* inst, Warp& warp);
// Completes those copies of the lane that the warp issued before its copy number `end`.
void arrive_until(Warp& warp, int lane, std::uint64_t end);

}  // namespace cudalab::vgpu::async_copy
