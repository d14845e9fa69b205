// What one warp-wide access costs: 32-byte sectors, shared memory wavefronts and atomic packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/measurement.h"
#include "vgpu/warp.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// Which earlier lanes have the same number, as words or lines have that lanes touch: how those that share one
// are found without a sort. All lanes are compared with all others, a few vector instructions a lane or
// fewer.

struct alignas(64) EachLane : std::array<std::uint32_t, kWarpSize> {};

// The lanes whose number an earlier lane of the same `group` of neighbours (8, 16, 32) has. A number of 0 is
// nobody's: the first lane that has it may be among them, too.
std::uint32_t repeated_lanes(const EachLane& number, int group);

// By lane: the earlier ones that have its number, a bit each.
EachLane earlier_equals(const EachLane& number);

// The same for processors that do not detect conflicts (AVX-512CD); for tests.
namespace by_distance {
std::uint32_t repeated_lanes(const EachLane& number, int group);
EachLane earlier_equals(const EachLane& number);
}  // namespace by_distance

// Counts the 32-byte sectors that a warp's global access touches, as the card's L1 does.

// What one warp-wide memory instruction asks for. Only lanes in `active` count; each lane touches
// `bytes_per_lane` bytes from its address on, aligned to that size.
struct WarpAccess {
  std::span<const std::uint64_t, kWarpSize> addresses;
  std::uint32_t active = kAllLanes;
  int bytes_per_lane = 4;
};

struct SectorCount {
  std::uint32_t sectors = 0;         // distinct aligned 32-byte chunks touched
  std::uint32_t distinct_bytes = 0;  // bytes touched, each counted once
};

// The rule was verified against every global record of expected/h200/access_patterns.jsonl.
SectorCount count_sectors(const WarpAccess& access);

std::uint32_t count_distinct_bytes(const WarpAccess& access);

// Which lanes of an access touch the same piece of memory: sector, word, element. Every pattern that is new
// is counted with these, so they are loops over all lanes that the compiler makes vectors of, without a sort.

// The number of each lane's piece of 1 << shift bytes, from 1 on, relative to the lowest; 0 of lanes that are
// not active.
struct LaneUnits {
  EachLane number;
  std::uint32_t active;
};

// Whether every active lane lies at a multiple of `bytes`, which is a power of two.
bool lanes_are_aligned(const WarpAccess& access, std::uint64_t bytes);

// False where the lanes are too far apart to be numbered.
bool number_units(const WarpAccess& access, int shift, LaneUnits& units);

std::uint32_t count_distinct(const LaneUnits& units);
// The active lanes whose unit no earlier lane of the same `group` of neighbours (8, 16, 32) has.
std::uint32_t first_lanes(const LaneUnits& units, int group);

// Counts the wavefronts (passes through the 32 banks) that a warp's shared-memory access takes.

enum class SharedAccess { kLoad, kStore };

struct WavefrontCount {
  std::uint32_t wavefronts = 0;
  std::uint32_t groups = 0;  // groups of lanes that are served together: the fewest wavefronts possible
  std::uint32_t distinct_bytes = 0;
  std::uint32_t conflicts() const { return wavefronts - groups; }
};

// Lanes that go through the banks together where none pair up: 32 for up to 4 bytes a lane, 16 for 8, 8
// for 16.
constexpr int lanes_served_together(int bytes_per_lane) {
  return bytes_per_lane <= kBankBytes       ? kWarpSize
         : bytes_per_lane <= 2 * kBankBytes ? kWarpSize / 2
                                            : kWarpSize / 4;
}

// The same for an access, whose lanes may pair up.
int lanes_per_group(const WarpAccess& access, SharedAccess kind);

// bank = (address / 4) mod 32. Lanes are served in groups: all 32 for up to 4 bytes a lane, half-warps for 8,
// quarter-warps for 16; a load whose lanes pair up (address(l) = address(l ^ 1) for all l, or l ^ 2) has its
// groups merged two by two. A group costs the largest number of distinct 4-byte words it touches in any one
// bank. Verified against every shared record of expected/h200/access_patterns.jsonl.
WavefrontCount count_wavefronts(const WarpAccess& access, SharedAccess kind);

// Which lanes of a warp get which bank of shared memory, pass by pass.

// Lanes that are served together, and what happens pass by pass: which lanes get a word of each bank.
struct BankPass {
  std::size_t first_lane = 0, last_lane = 0;
  std::size_t number = 1;  // among the passes of its lanes
  std::array<std::vector<std::size_t>, kBanks> lanes;
};

// bank = (address / 4) mod 32; a pass hands out one 4-byte word of each bank to all lanes that want it. As
// many as count_wavefronts counts.
std::vector<BankPass> bank_passes(const WarpAccess& access, SharedAccess kind);

// In which packets the L1 sends a warp's global atomics to the L2, and how many sectors these hold.

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

// What each kind of memory site is to the counters: its space, what it does there, and what an access costs.

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

// What atomics cost the card: sectors or wavefronts, and the loads of those that are loops there.

// The rules reproduce expected/h200/atomic_patterns.jsonl. Global ones cost the sectors of their packets.
AccessCost global_atomic_cost(AtomicForm form, const WarpAccess& access);

// Lanes that hit one bank go one after the other, even at equal addresses, in groups as for loads: 32 lanes
// for 4 bytes, 16 for 8, 8 for 16. A compare-and-swap goes twice. Adding the constant 1 counts the lanes of a
// word at once. What the card has no instruction for is a loop: LDS, the operation, and a compare-and-swap
// that serves one lane of each bank, until none is left.
AccessCost shared_atomic_cost(AtomicForm form, const WarpAccess& access);

}  // namespace cudalab::vgpu
