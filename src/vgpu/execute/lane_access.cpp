#include "vgpu/execute/lane_access.h"

#include <algorithm>
#include <bit>

#include "vgpu/instrumentation.h"

namespace cudalab::vgpu {
std::byte* host_of(Warp& warp, SiteState& site, const Pattern& pattern, std::uint64_t base) {
  if (!pattern.regular) return nullptr;
  const std::uint64_t first = base + pattern.low, last = base + pattern.high;
  if (base - kSharedWindow < kWindowBytes) {
    const SiteInfo& info = *site.info;
    const bool inside =
        first >= kSharedWindow + static_cast<std::uint64_t>(info.shared_begin) &&
        last - kSharedWindow <=
            std::min<std::uint64_t>(warp.shared_bytes, static_cast<std::uint64_t>(info.shared_end));
    return inside ? warp.shared + (base - kSharedWindow) : nullptr;
  }
  if (base < kFirstGlobal) return nullptr;
  const Allocation* allocation = find_allocation(warp, site, first, last);
  return allocation ? allocation->host.get() + (base - allocation->base) : nullptr;
}

bool is_all_global(const Pattern& pattern, std::uint64_t base) {
  return pattern.regular && base + static_cast<std::uint64_t>(pattern.low) >= kFirstGlobal;
}

LanePointers access_lanes(const Inst* inst, Warp& warp, SiteState& site, const LaneAddresses& addresses,
                          std::uint32_t lanes, AccessMode mode) {
  LanePointers pointers{};
  if (lanes == 0) return pointers;
  const std::uint64_t base = addresses[std::countr_zero(lanes)];
  const Pattern& pattern = count_access(site, addresses, lanes);
  std::byte* host = host_of(warp, site, pattern, base);
  if (host)
    tell(warp, WholeAccess{inst, warp, site, pattern, base, mode});
  else if (is_all_global(pattern, base))
    tell(warp, SplitAccess{warp, site, pattern, base});
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    pointers[lane] =
        host ? host + pattern.offset[lane] : locate_lane(inst, warp, site, lane, addresses[lane], mode);
    if (!host) tell(warp, LaneAccess{inst, warp, *site.info, lane, addresses[lane], mode});
  }
  return pointers;
}

}  // namespace cudalab::vgpu
