#include "vgpu/counters/packets.h"

#include <algorithm>
#include <array>
#include <bit>

#include "vgpu/counters/lane_units.h"
#include "vgpu/levels.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint32_t kLineBytes = 128, kWordBytes = 4;
constexpr int kShiftOfLine = 7, kShiftOfHalf = 6;

// Which bits of an address are added up, modulo 2, to each bit of the queue's number: found bit by bit, from
// pairs of lines that differ in one.
constexpr std::uint32_t kQueueBits[] = {0xbd5a80, 0x6aed00};
static_assert(kQueueBits[0] < 1u << kQueueAddressBits && kQueueBits[1] < 1u << kQueueAddressBits);
static_assert(kQueueBits[0] % kLineBytes == 0 && kQueueBits[1] % kLineBytes == 0);  // a line has one queue

[[gnu::always_inline]] inline std::uint32_t parity(std::uint32_t bits) {
  bits ^= bits >> 16;  // no loop: those around it become vector code
  bits ^= bits >> 8;
  bits ^= bits >> 4;
  bits ^= bits >> 2;
  return (bits ^ bits >> 1) & 1;
}

// The queue and the words that an element waits for, as one number; 0 is nobody's.
[[gnu::always_inline]] inline std::uint32_t place_of(std::uint32_t address) {
  const std::uint32_t queue = parity(address & kQueueBits[0]) | parity(address & kQueueBits[1]) << 1;
  return (queue * kLineBytes + address % kLineBytes) / kWordBytes + 1;
}

// ---- lanes in order ----------------------------------------------------------------------------------
// Where each lane lies behind the one before it, a line's lanes follow each other and want words of their
// own: they are one packet. Returns its sectors and the other packets'; 0 where lanes lie otherwise.
CUDALAB_EACH_LEVEL std::uint32_t count_ascending(const std::uint64_t* __restrict addresses) {
  std::uint64_t falls = 0, sectors = 1;
  for (int lane = 1; lane < kWarpSize; ++lane) {
    falls |= std::uint64_t{addresses[lane] <= addresses[lane - 1]};
    sectors += std::uint64_t{addresses[lane] / kSectorBytes != addresses[lane - 1] / kSectorBytes};
  }
  return falls ? 0 : static_cast<std::uint32_t>(sectors);
}

// ---- who shares a line -------------------------------------------------------------------------------
std::uint32_t lanes_that_share(const LaneUnits& lines) {
  const EachLane earlier = earlier_equals(lines.number);
  std::uint32_t repeated = 0, firsts = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    repeated |= std::uint32_t{earlier[lane] != 0} << lane;
    firsts |= earlier[lane];
  }
  return (repeated | firsts) & lines.active;
}

// ---- packets of several lanes ------------------------------------------------------------------------
struct QueuedLanes {
  EachLane blockers;  // earlier lanes of the queue that want the same words
  EachLane sector;    // of the line, a bit
};

CUDALAB_EACH_LEVEL void find_places(const std::uint64_t* __restrict addresses, std::uint32_t active,
                                    std::uint32_t* __restrict place, std::uint32_t* __restrict sector) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const auto address = static_cast<std::uint32_t>(addresses[lane]);
    place[lane] = place_of(address) & (0 - (active >> lane & 1));
    sector[lane] = 1u << address % kLineBytes / kSectorBytes;
  }
}

QueuedLanes line_up(const WarpAccess& access) {
  EachLane place;
  QueuedLanes queued;
  find_places(access.addresses.data(), access.active, place.data(), queued.sector.data());
  queued.blockers = earlier_equals(place);
  return queued;
}

struct Packet {
  std::uint32_t lanes, sectors;  // of the line, a bit each
};

// Of the lanes that are left, those of this line for which no other lane waits at the same words.
[[gnu::always_inline]] inline Packet next_packet(const LaneUnits& lines, const QueuedLanes& queued,
                                                 std::uint32_t line, std::uint32_t left,
                                                 std::uint32_t waiting) {
  std::uint32_t lanes = 0, sectors = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t comes = std::uint32_t{lines.number[lane] == line} &
                                std::uint32_t{(queued.blockers[lane] & waiting) == 0} & (left >> lane);
    lanes |= comes << lane;
    sectors |= (0 - comes) & queued.sector[lane];
  }
  return {lanes, sectors};
}

// A lane whose line is nobody else's goes alone, when its turn has come.
CUDALAB_EACH_LEVEL std::uint32_t count_shared_lines(const LaneUnits& lines, const QueuedLanes& queued,
                                                    std::uint32_t sharing) {
  const std::uint32_t alone = lines.active & ~sharing;
  std::uint32_t sectors = 0;
  for (std::uint32_t left = sharing; left;) {
    const int head = std::countr_zero(left);
    const std::uint32_t waiting = left | (alone & ~0u << head);
    const Packet packet = next_packet(lines, queued, lines.number[head], left, waiting);
    left &= ~packet.lanes;
    sectors += static_cast<std::uint32_t>(std::popcount(packet.sectors));
  }
  return sectors;
}

// Every lane waits for the one before it.
bool is_one_row(const QueuedLanes& queued, std::uint32_t active) {
  const std::uint32_t last = std::bit_floor(active);
  return queued.blockers[std::countr_zero(last)] == (active ^ last);
}

}  // namespace

// Elements are aligned, so that two want the same words or none, and one lies in one sector; the numbers of
// lines are right for lanes that are less than 256 GiB apart, as all of one memory are.
std::uint32_t count_packet_sectors(const WarpAccess& access, bool brings_two_operands) {
  if (access.active == kAllLanes)
    if (const std::uint32_t sectors = count_ascending(access.addresses.data())) return sectors;
  if ((access.active & (access.active - 1)) == 0) return access.active != 0;
  LaneUnits lines;
  number_units(access, brings_two_operands ? kShiftOfHalf : kShiftOfLine, lines);
  const std::uint32_t sharing = lanes_that_share(lines);
  const auto alone = static_cast<std::uint32_t>(std::popcount(access.active & ~sharing));
  if (sharing == 0) return alone;
  const QueuedLanes queued = line_up(access);
  if (is_one_row(queued, access.active)) return static_cast<std::uint32_t>(std::popcount(access.active));
  return alone + count_shared_lines(lines, queued, sharing);
}

}  // namespace cudalab::vgpu
