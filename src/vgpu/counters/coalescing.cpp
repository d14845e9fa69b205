#include <algorithm>
#include <array>
#include <bit>

#include "vgpu/counters/access_costs.h"

namespace cudalab::vgpu {

namespace {

// Whether each element lies in one sector and elements do not overlap partially.
bool are_units(const WarpAccess& access) {
  const auto bytes = static_cast<unsigned>(access.bytes_per_lane);
  return access.active != 0 && std::has_single_bit(bytes) && bytes <= kSectorBytes &&
         lanes_are_aligned(access, bytes);
}

// If all lanes have different sectors, all elements are different.
bool count_units(const WarpAccess& access, SectorCount& result) {
  LaneUnits units;
  if (!are_units(access) || !number_units(access, std::countr_zero(unsigned{kSectorBytes}), units))
    return false;
  result.sectors = count_distinct(units);
  std::uint32_t elements = result.sectors;
  if (std::popcount(access.active) != static_cast<int>(result.sectors)) {
    if (!number_units(access, std::countr_zero(static_cast<unsigned>(access.bytes_per_lane)), units))
      return false;
    elements = count_distinct(units);
  }
  result.distinct_bytes = elements * static_cast<unsigned>(access.bytes_per_lane);
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
  std::uint64_t next_byte = 0, next_sector = 0;  // the first byte and sector that no earlier lane has touched
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

std::uint32_t count_distinct_bytes(const WarpAccess& access) {
  LaneUnits elements;
  const auto bytes = static_cast<unsigned>(access.bytes_per_lane);
  if (are_units(access) && number_units(access, std::countr_zero(bytes), elements))
    return count_distinct(elements) * bytes;
  return count_sectors(access).distinct_bytes;
}

}  // namespace cudalab::vgpu
