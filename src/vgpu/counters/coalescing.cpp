#include "vgpu/counters/coalescing.h"

#include <algorithm>
#include <array>

namespace cudalab::vgpu {

SectorCount count_sectors(const WarpAccess& access) {
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
