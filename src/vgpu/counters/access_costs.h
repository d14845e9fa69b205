// The cost of one warp-wide access: 32-byte sectors, shared memory wavefronts and atomic packets.
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

// Finds lanes that share a number, for example of a word or line. Instead of sorting, all lanes are compared
// with all other lanes, with a few vector instructions per lane or less.

struct alignas(64) EachLane : std::array<std::uint32_t, kWarpSize> {};

// The lanes whose number an earlier lane of the same `group` of neighbouring lanes (8, 16 or 32) has. The
// number 0 means inactive; for 0, the first lane may be included, too.
std::uint32_t repeated_lanes(const EachLane& number, int group);

// For each lane, the earlier lanes with the same number, one bit each.
EachLane earlier_equals(const EachLane& number);

// The same for processors without conflict detection (AVX-512CD); declared here for tests.
namespace by_distance {
std::uint32_t repeated_lanes(const EachLane& number, int group);
EachLane earlier_equals(const EachLane& number);
}  // namespace by_distance

// Counts the 32-byte sectors that a warp's global access touches, like the GPU's L1.

// One warp-wide memory request. Only lanes in `active` count. Each lane accesses `bytes_per_lane` bytes at
// its address, aligned to that size.
struct WarpAccess {
  std::span<const std::uint64_t, kWarpSize> addresses;
  std::uint32_t active = kAllLanes;
  int bytes_per_lane = 4;
};

struct SectorCount {
  std::uint32_t sectors = 0;         // distinct aligned 32-byte chunks
  std::uint32_t distinct_bytes = 0;  // bytes touched, each counted once
};

// Verified against every global record of expected/h200/access_patterns.jsonl.
SectorCount count_sectors(const WarpAccess& access);

std::uint32_t count_distinct_bytes(const WarpAccess& access);

// Finds lanes of an access that touch the same unit of memory: sector, word or element. Every new pattern is
// counted with these functions, so they are branch-free loops over all lanes that the compiler can vectorize.

// The number of each lane's unit of 1 << shift bytes: 1 for the lowest unit; 0 for inactive lanes.
struct LaneUnits {
  EachLane number;
  std::uint32_t active;
};

// Whether every active lane is aligned to `bytes`, a power of two.
bool lanes_are_aligned(const WarpAccess& access, std::uint64_t bytes);

// Returns false if the lanes are too far apart to be numbered.
bool number_units(const WarpAccess& access, int shift, LaneUnits& units);

std::uint32_t count_distinct(const LaneUnits& units);
// The active lanes whose unit no earlier lane of the same `group` of neighbouring lanes (8, 16 or 32)
// touches.
std::uint32_t first_lanes(const LaneUnits& units, int group);

// Counts the wavefronts of a warp's shared memory access.

enum class SharedAccess { kLoad, kStore };

struct WavefrontCount {
  std::uint32_t wavefronts = 0;
  std::uint32_t groups = 0;  // minimum number of wavefronts: one per group of lanes that are served together
  std::uint32_t distinct_bytes = 0;
  std::uint32_t conflicts() const { return wavefronts - groups; }
};

// Lanes served in one group if no lanes pair up: 32 for up to 4 bytes per lane, 16 for 8 bytes, 8 for 16
// bytes.
constexpr int lanes_served_together(int bytes_per_lane) {
  return bytes_per_lane <= kBankBytes       ? kWarpSize
         : bytes_per_lane <= 2 * kBankBytes ? kWarpSize / 2
                                            : kWarpSize / 4;
}

// The same for an access whose lanes may pair up.
int lanes_per_group(const WarpAccess& access, SharedAccess kind);

// bank = (address / 4) mod 32. Lanes are served in groups: all 32 for up to 4 bytes per lane, half-warps for
// 8 bytes, quarter-warps for 16 bytes. If the lanes of a load pair up (address(l) = address(l ^ 1) for all l,
// or l ^ 2), its groups are merged in pairs. A group takes as many wavefronts as its fullest bank has
// distinct 4-byte words. Verified against every shared record of expected/h200/access_patterns.jsonl.
WavefrontCount count_wavefronts(const WarpAccess& access, SharedAccess kind);

// The lanes that access each bank of shared memory in each wavefront.

// One wavefront: a group of lanes that are served together, and which of them get a word of each bank.
struct BankPass {
  std::size_t first_lane = 0, last_lane = 0;
  std::size_t number = 1;  // index among the wavefronts of its group
  std::array<std::vector<std::size_t>, kBanks> lanes;
};

// bank = (address / 4) mod 32. A wavefront delivers one 4-byte word of each bank to all lanes that access it.
// The result has as many wavefronts as count_wavefronts() counts.
std::vector<BankPass> bank_passes(const WarpAccess& access, SharedAccess kind);

// The packets in which the L1 sends a warp's global atomics to the L2, and their sectors.

// The queue of a line depends on the lowest address bits only, so addresses that differ by a multiple of 2^24
// have the same cost.
inline constexpr int kQueueAddressBits = 24;

// The 128-byte lines of a request wait in four queues, selected by a hash of the address. A packet contains
// one line: that of the first lane waiting in the queue. For each of the line's 32 words, the first lane
// waiting for that word of any line is selected; it joins the packet if its line matches. Lanes with the same
// address therefore need one packet each, and interleaved lines are split more often than necessary. A
// compare-and-swap has two operands, so its packets hold half a line. Verified against every global record of
// expected/h200/atomic_patterns.jsonl and atomic_histograms.jsonl.
std::uint32_t count_packet_sectors(const WarpAccess& access, bool brings_two_operands);

// The kinds of memory sites: memory space, kind of access, and cost function.

// The cost of one warp-wide access on the GPU.
struct AccessCost {
  std::uint32_t transactions = 0;    // sectors, or wavefronts
  std::uint32_t fewest = 0;          // minimum transactions, for an optimal arrangement of the lanes
  std::uint32_t distinct_bytes = 0;  // bytes touched, each counted once
  std::uint32_t requests = 1;        // more than 1 if the GPU executes an atomic as a loop
  LoadCost loads;                    // loads of such a loop
};

struct SiteClass {
  SiteKind kind;
  MemorySpace space;
  AccessKind access;
  AccessCost (*cost)(const WarpAccess&);  // nullptr: an atomic, whose form decides the cost
};

const SiteClass& class_of(SiteKind kind);

AccessCost cost_of(const SiteInfo& site, const WarpAccess& access);

// The cost of atomics: sectors or wavefronts, and the loads of atomics that the GPU executes as loops.

// The rules reproduce expected/h200/atomic_patterns.jsonl. Global atomics cost the sectors of their packets.
AccessCost global_atomic_cost(AtomicForm form, const WarpAccess& access);

// Lanes that access the same bank are serialized, even at equal addresses, in groups like those of loads: 32
// lanes for 4 bytes, 16 for 8 bytes, 8 for 16 bytes. A compare-and-swap takes twice as many wavefronts.
// Adding the constant 1 handles all lanes of a word at once. Operations without a machine instruction are
// loops: LDS, the operation, and a compare-and-swap that serves one lane per bank, until no lane is left.
AccessCost shared_atomic_cost(AtomicForm form, const WarpAccess& access);

}  // namespace cudalab::vgpu
