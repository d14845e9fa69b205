// Finds the reads of a function that wait for another thread: loops that only poll memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "ptx/module.h"
#include "vgpu/counters/uniformity.h"

namespace cudalab::vgpu {

// A read in a loop that ends by the read's result and has no other effect; other threads may change the
// result. A loop around a compare-and-swap may also store what the swap publishes, such as the next pointer
// of a list element. The same read before such a loop, which then begins with a pause, is awaited, too.
struct AwaitedRead {
  std::uint32_t loop = 0;  // its first basic block
  bool takes = false;      // the read also writes, as a compare-and-swap or an exchange does
  // can_be_tried: the result only decides whether the loop continues, and the instructions in between only
  // compute, so the condition can be evaluated with other values. leaves_when_taken: which way of the branch
  // then leaves the loop.
  bool can_be_tried = false;
  bool leaves_when_taken = false;
};

// Dynamic scheduling: an atomic in a loop changes the word and returns its old value, so each iteration of
// work goes to the first thread that asks.
using Drawings = std::set<std::size_t>;  // statements

// By statement of the read.
using AwaitedReads = std::map<std::size_t, AwaitedRead>;

// Awaited reads are strong loads, exchanges, compare-and-swaps, and atomics that leave the word unchanged
// (`atom.add` of 0).
AwaitedReads find_awaited_reads(const ptx::Function& function, std::span<const BasicBlockSpan> basic_blocks);
Drawings find_drawings(const ptx::Function& function, std::span<const BasicBlockSpan> basic_blocks);

}  // namespace cudalab::vgpu
