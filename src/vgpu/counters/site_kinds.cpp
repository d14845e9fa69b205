#include "vgpu/counters/site_kinds.h"

#include <algorithm>
#include <array>
#include <bit>

#include "vgpu/counters/atomics.h"
#include "vgpu/counters/banks.h"
#include "vgpu/counters/lane_units.h"
#include "vgpu/levels.h"

namespace cudalab::vgpu {
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

// The card interleaves local memory so that the same word of 32 threads is 128 bytes in a row.
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

// A constant load is served once for each distinct address.
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
    // kind                       space                   does there              what it costs
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
