// The cost of one warp-wide access: 32-byte sectors, shared memory wavefronts and atomic packets.
#include "vgpu/counters/access_costs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "vgpu/levels.h"

namespace cudalab::vgpu {
namespace {

// The words of one bank that some lanes access, each with its lanes, in order of the first lane.
using WordsOfABank = std::vector<std::pair<std::uint64_t, std::vector<std::size_t>>>;

std::array<WordsOfABank, kBanks> wanted(const WarpAccess& access, std::size_t first, std::size_t count) {
  std::array<WordsOfABank, kBanks> banks;
  const auto bytes = static_cast<std::uint64_t>(access.bytes_per_lane);
  for (std::size_t lane = first; lane < first + count; ++lane) {
    if (!(access.active >> lane & 1)) continue;
    const std::uint64_t begin = access.addresses[lane] / kBankBytes,
                        end = (access.addresses[lane] + bytes - 1) / kBankBytes;
    for (std::uint64_t word = begin; word <= end; ++word) {
      WordsOfABank& words = banks[word % kBanks];
      auto found = std::find_if(words.begin(), words.end(), [&](auto& entry) { return entry.first == word; });
      if (found == words.end()) found = words.insert(found, {word, {}});
      found->second.push_back(lane);
    }
  }
  return banks;
}

}  // namespace

std::vector<BankPass> bank_passes(const WarpAccess& access, SharedAccess kind) {
  std::vector<BankPass> passes;
  const auto together = static_cast<std::size_t>(lanes_per_group(access, kind));
  for (std::size_t first = 0; first < kWarpSize; first += together) {
    const std::array<WordsOfABank, kBanks> banks = wanted(access, first, together);
    std::size_t most = 0;
    for (const WordsOfABank& words : banks) most = std::max(most, words.size());
    for (std::size_t number = 0; number < most; ++number) {
      BankPass& pass = passes.emplace_back(BankPass{first, first + together - 1, number + 1, {}});
      for (std::size_t bank = 0; bank < kBanks; ++bank)
        if (number < banks[bank].size()) pass.lanes[bank] = banks[bank][number].second;
    }
  }
  return passes;
}

namespace {

constexpr std::uint32_t kLineBytes = 128, kWordBytes = 4;
constexpr int kShiftOfLine = 7, kShiftOfHalf = 6;

// Each bit of the queue number is the parity of these address bits. Found bit by bit on the GPU, from pairs
// of lines whose addresses differ in one bit.
constexpr std::uint32_t kQueueBits[] = {0xbd5a80, 0x6aed00};
static_assert(kQueueBits[0] < 1u << kQueueAddressBits && kQueueBits[1] < 1u << kQueueAddressBits);
static_assert(kQueueBits[0] % kLineBytes == 0 && kQueueBits[1] % kLineBytes == 0);  // a line has one queue

[[gnu::always_inline]] inline std::uint32_t parity(std::uint32_t bits) {
  bits ^= bits >> 16;  // no loop, so the loops around it can be vectorized
  bits ^= bits >> 8;
  bits ^= bits >> 4;
  bits ^= bits >> 2;
  return (bits ^ bits >> 1) & 1;
}

// The queue and the word for which an element waits, as one number; 0 is unused.
[[gnu::always_inline]] inline std::uint32_t place_of(std::uint32_t address) {
  const std::uint32_t queue = parity(address & kQueueBits[0]) | parity(address & kQueueBits[1]) << 1;
  return (queue * kLineBytes + address % kLineBytes) / kWordBytes + 1;
}

// ---- ascending addresses -----------------------------------------------------------------------------
// Fast path if addresses ascend strictly: the lanes of a line are contiguous and access different words, so
// each line makes one packet. Returns the sectors of all packets; 0 if addresses do not ascend.
CUDALAB_EACH_LEVEL std::uint32_t count_ascending(const std::uint64_t* __restrict addresses) {
  std::uint64_t falls = 0, sectors = 1;
  for (int lane = 1; lane < kWarpSize; ++lane) {
    falls |= std::uint64_t{addresses[lane] <= addresses[lane - 1]};
    sectors += std::uint64_t{addresses[lane] / kSectorBytes != addresses[lane - 1] / kSectorBytes};
  }
  return falls ? 0 : static_cast<std::uint32_t>(sectors);
}

// ---- lanes that share a line -------------------------------------------------------------------------
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
  EachLane blockers;  // earlier lanes of the queue that access the same words
  EachLane sector;    // of the line, as one bit
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
  std::uint32_t lanes, sectors;  // of the line, one bit each
};

// The next packet of this line: those of its remaining lanes whose words no other lane is waiting for.
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

// A lane that is alone on its line makes its own packet.
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

// Whether the last lane waits for all lanes before it, so all are serialized.
bool is_one_row(const QueuedLanes& queued, std::uint32_t active) {
  const std::uint32_t last = std::bit_floor(active);
  return queued.blockers[std::countr_zero(last)] == (active ^ last);
}

}  // namespace

// Elements are aligned, so two elements have all words in common or none, and each lies in one sector. Line
// numbers are exact for lanes less than 256 GiB apart, which holds within one memory space.
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

namespace {

// ---- costs -------------------------------------------------------------------------------------------
AccessCost sector_cost(const WarpAccess& access) {
  const SectorCount count = count_sectors(access);
  return {count.sectors, (count.distinct_bytes + kSectorBytes - 1) / kSectorBytes, count.distinct_bytes};
}

AccessCost wavefront_cost(const WavefrontCount& count) {
  return {count.wavefronts, count.groups, count.distinct_bytes};
}
AccessCost shared_load_cost(const WarpAccess& access) {
  return wavefront_cost(count_wavefronts(access, SharedAccess::kLoad));
}
AccessCost shared_store_cost(const WarpAccess& access) {
  return wavefront_cost(count_wavefronts(access, SharedAccess::kStore));
}

// In local memory, the GPU interleaves the threads of a warp: the same word of 32 threads is contiguous (128
// bytes).
CUDALAB_EACH_LEVEL AccessCost local_cost(const WarpAccess& access) {
  const auto own = static_cast<unsigned>(access.bytes_per_lane), bytes = std::max(own, 4u);
  LaneUnits sectors;
  sectors.active = access.active;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const auto address = static_cast<std::uint32_t>(access.addresses[lane] - kLocalWindow);
    const std::uint32_t within = address & (bytes - 1), first = (address - within) * kWarpSize + lane * bytes;
    sectors.number[lane] = (access.active >> lane & 1) ? (first + within) / kSectorBytes + 1 : 0;
  }
  const std::uint32_t distinct_bytes = static_cast<std::uint32_t>(std::popcount(access.active)) * own;
  return {count_distinct(sectors), (distinct_bytes + kSectorBytes - 1) / kSectorBytes, distinct_bytes};
}

// A constant load takes one transaction per distinct address.
AccessCost constant_cost(const WarpAccess& access) {
  LaneUnits units;
  if (access.active != 0 && number_units(access, 0, units)) {
    const std::uint32_t transactions = count_distinct(units);
    return {transactions, 1, transactions * static_cast<std::uint32_t>(access.bytes_per_lane)};
  }
  std::array<std::uint64_t, kWarpSize> distinct;
  int count = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (access.active >> lane & 1) distinct[count++] = access.addresses[lane];
  std::sort(distinct.begin(), distinct.begin() + count);
  const auto end = std::unique(distinct.begin(), distinct.begin() + count);
  const auto transactions = static_cast<std::uint32_t>(end - distinct.begin());
  return {transactions, 1, transactions * static_cast<std::uint32_t>(access.bytes_per_lane)};
}

// ---- the table ---------------------------------------------------------------------------------------
// clang-format off
constexpr std::array<SiteClass, kSiteKinds> kSiteClasses{{
    // kind                       space                   access                  cost
    {SiteKind::kGlobalLoad,       MemorySpace::kGlobal,   AccessKind::kLoad,      sector_cost},
    {SiteKind::kGlobalStore,      MemorySpace::kGlobal,   AccessKind::kStore,     sector_cost},
    {SiteKind::kGlobalAtomic,     MemorySpace::kGlobal,   AccessKind::kAtomic,    nullptr},
    {SiteKind::kSharedLoad,       MemorySpace::kShared,   AccessKind::kLoad,      shared_load_cost},
    {SiteKind::kSharedStore,      MemorySpace::kShared,   AccessKind::kStore,     shared_store_cost},
    {SiteKind::kSharedAtomic,     MemorySpace::kShared,   AccessKind::kAtomic,    nullptr},
    {SiteKind::kLocalLoad,        MemorySpace::kLocal,    AccessKind::kLoad,      local_cost},
    {SiteKind::kLocalStore,       MemorySpace::kLocal,    AccessKind::kStore,     local_cost},
    {SiteKind::kConstantLoad,     MemorySpace::kConstant, AccessKind::kLoad,      constant_cost},
    {SiteKind::kTexture,          MemorySpace::kTexture,  AccessKind::kLoad,      sector_cost},
    {SiteKind::kGlobalReduction,  MemorySpace::kGlobal,   AccessKind::kReduction, nullptr},
    {SiteKind::kAsyncLoad,        MemorySpace::kGlobal,   AccessKind::kLoad,      sector_cost},
    {SiteKind::kAsyncStore,       MemorySpace::kShared,   AccessKind::kStore,     shared_store_cost},
    {SiteKind::kSurfaceLoad,      MemorySpace::kTexture,  AccessKind::kLoad,      sector_cost},
    {SiteKind::kSurfaceStore,     MemorySpace::kTexture,  AccessKind::kStore,     sector_cost},
}};
// clang-format on

constexpr bool every_kind_has_its_row() {
  for (std::size_t i = 0; i < kSiteClasses.size(); ++i)
    if (kSiteClasses[i].kind != static_cast<SiteKind>(i)) return false;
  return true;
}
static_assert(every_kind_has_its_row(), "one row for each SiteKind, in the order of the enum");

}  // namespace

const SiteClass& class_of(SiteKind kind) { return kSiteClasses[static_cast<std::size_t>(kind)]; }

AccessCost cost_of(const SiteInfo& site, const WarpAccess& access) {
  const SiteClass& site_class = class_of(site.kind);
  if (site_class.cost) return site_class.cost(access);
  return site_class.space == MemorySpace::kShared ? shared_atomic_cost(site.form, access)
                                                  : global_atomic_cost(site.form, access);
}

}  // namespace cudalab::vgpu
