// Which reads of a function wait for somebody else: loops that do nothing but ask memory again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "ptx/module.h"
#include "vgpu/counters/uniformity.h"

namespace cudalab::vgpu {

// A read that other threads may change the result of, in a loop that ends by what was read and writes nothing
// else; a compare-and-swap may store what goes with it (a list's next element). So is the same read before
// such a loop, which then begins with a pause.
struct AwaitedRead {
  std::uint32_t loop = 0;  // its first basic block
  bool takes = false;      // and writes what was waited for: a compare-and-swap, an exchange
  // Whether what was read only decides whether the loop goes on, and what stands between only computes, so
  // that it can be tried with another value; and which way then leaves the loop.
  bool can_be_tried = false;
  bool leaves_when_taken = false;
};

// Work that whoever comes first gets: an atomic in a loop changes the word and says what it was.
using Drawings = std::set<std::size_t>;  // statements

// By the statement of the read.
using AwaitedReads = std::map<std::size_t, AwaitedRead>;

// Strong loads, exchanges, compare-and-swaps, and atomics that leave the word as it is (`atom.add` of 0).
AwaitedReads find_awaited_reads(const ptx::Function& function, std::span<const BasicBlockSpan> basic_blocks);
Drawings find_drawings(const ptx::Function& function, std::span<const BasicBlockSpan> basic_blocks);

}  // namespace cudalab::vgpu
