// In which packets the L1 sends a warp's global atomics to the L2, and how many sectors these hold.
#pragma once

#include <cstdint>

#include "vgpu/counters/coalescing.h"

namespace cudalab::vgpu {

// Bits of an address that decide where its line queues; what follows from an address is the same behind any
// address that is so aligned.
inline constexpr int kQueueAddressBits = 24;

// The 128-byte lines of a request wait in four queues, by a hash of their addresses. A packet is of one line:
// that of its queue's first waiting lane. Each of the 32 words of a line takes the first lane of the queue
// that waits for this word of any line, and that lane comes along if it is of the packet's line. So lanes
// that share an address go in one packet each, and lines that alternate part more often than they must. A
// compare-and-swap brings two operands, so that its packets hold half a line.
// Verified against every global record of expected/h200/atomic_patterns.jsonl and atomic_histograms.jsonl.
std::uint32_t count_packet_sectors(const WarpAccess& access, bool brings_two_operands);

}  // namespace cudalab::vgpu
