#include "vgpu/counters/coalescing.h"

#include <algorithm>
#include <array>
#include <bit>

#include "vgpu/counters/lane_units.h"

namespace cudalab::vgpu {

namespace {

// Elements that lie in one sector each, and do not overlap.
bool count_units(const WarpAccess& access, SectorCount& result) {
  const auto bytes = static_cast<unsigned>(access.bytes_per_lane);
  if (access.active == 0 || !std::has_single_bit(bytes) || bytes > kSectorBytes) return false;
  LaneUnits sectors, elements;
  if (!lanes_are_aligned(access, bytes) || !number_units(access, std::countr_zero(bytes), elements))
    return false;
  number_units(access, std::countr_zero(unsigned{kSectorBytes}), sectors);
  result.sectors = count_distinct(sectors);
  result.distinct_bytes = count_distinct(elements) * bytes;
  return true;
}

}  // namespace

SectorCount count_sectors(const WarpAccess& access) {
  SectorCount units;
  if (count_units(access, units)) return units;
  std::array<std::uint64_t, kWarpSize> starts;
  int count = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (access.active >> lane & 1) starts[count++] = access.addresses[lane];
  std::sort(starts.begin(), starts.begin() + count);

  SectorCount result;
  std::uint64_t next_byte = 0, next_sector = 0;  // the first that no earlier lane has touched
  for (int i = 0; i < count; ++i) {
    const std::uint64_t begin = starts[i], end = begin + access.bytes_per_lane;
    const std::uint64_t first_new = i == 0 ? begin : std::max(begin, next_byte);
    if (end > first_new) result.distinct_bytes += static_cast<std::uint32_t>(end - first_new);
    const std::uint64_t first = begin / kSectorBytes, last = (end - 1) / kSectorBytes;
    const std::uint64_t first_new_sector = i == 0 ? first : std::max(first, next_sector);
    if (last + 1 > first_new_sector)
      result.sectors += static_cast<std::uint32_t>(last + 1 - first_new_sector);
    next_byte = std::max(next_byte, end);
    next_sector = last + 1;
  }
  return result;
}

}  // namespace cudalab::vgpu
