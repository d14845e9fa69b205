#include <algorithm>
#include <bit>
#include <limits>

#include "vgpu/counters/access_costs.h"
#include "vgpu/levels.h"

namespace cudalab::vgpu {
CUDALAB_EACH_LEVEL bool lanes_are_aligned(const WarpAccess& access, std::uint64_t bytes) {
  const std::uint64_t* addresses = access.addresses.data();
  std::uint64_t low_bits = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    low_bits |= addresses[lane] & (0 - std::uint64_t{access.active >> lane & 1});
  return (low_bits & (bytes - 1)) == 0;
}

namespace {

// Without branches and pointer aliases, so both loops are vectorized. Numbers written one by one and then
// read as a vector would stall store forwarding.
CUDALAB_EACH_LEVEL bool number_lanes(const std::uint64_t* __restrict addresses, std::uint32_t active,
                                     int shift, std::uint32_t* __restrict number) {
  const std::uint64_t first = addresses[std::countr_zero(active)] >> shift;
  alignas(64) std::array<std::uint64_t, kWarpSize> unit;
  std::uint64_t low = first, high = first;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    unit[lane] = (active >> lane & 1) ? addresses[lane] >> shift : first;
    low = std::min(low, unit[lane]);
    high = std::max(high, unit[lane]);
  }
  for (int lane = 0; lane < kWarpSize; ++lane)
    number[lane] = (static_cast<std::uint32_t>(unit[lane] - low) + 1) & (0 - (active >> lane & 1));
  return high - low < std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

bool number_units(const WarpAccess& access, int shift, LaneUnits& units) {
  units.active = access.active;
  return number_lanes(access.addresses.data(), access.active, shift, units.number.data());
}

namespace {

// If no lane has a smaller unit than the previous lane, comparing neighbours suffices.
[[gnu::always_inline]] inline bool ascends(const std::uint32_t* number) {
  std::uint32_t descends = 0;
  for (int lane = 1; lane < kWarpSize; ++lane) descends |= std::uint32_t{number[lane] < number[lane - 1]};
  return descends == 0;
}

}  // namespace

// Inactive lanes have the number 0.
std::uint32_t first_lanes(const LaneUnits& units, int group) {
  return units.active & ~repeated_lanes(units.number, group);
}

// If units are close together, each is one bit of a word. Inactive lanes set bit 0.
CUDALAB_EACH_LEVEL std::uint32_t count_distinct(const LaneUnits& units) {
  const std::uint32_t* number = units.number.data();
  std::uint32_t highest = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) highest = std::max(highest, number[lane]);
  if (highest < 64) {
    std::uint32_t low = 0, high = 0;  // 32-bit words like the numbers, so the loop can be vectorized
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t bit = 1u << number[lane] % 32;
      low |= number[lane] < 32 ? bit : 0;
      high |= number[lane] < 32 ? 0 : bit;
    }
    return static_cast<std::uint32_t>(std::popcount(low >> 1) + std::popcount(high));
  }
  if (units.active != kAllLanes || !ascends(number))
    return static_cast<std::uint32_t>(std::popcount(first_lanes(units, kWarpSize)));
  std::uint32_t changes = 0;
  for (int lane = 1; lane < kWarpSize; ++lane) changes += std::uint32_t{number[lane] != number[lane - 1]};
  return changes + 1;
}

}  // namespace cudalab::vgpu
