// Lanes of buffers that lie further apart than pieces of memory are numbered count as those of one buffer do.
#include "vgpu/counters/coalescing.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "vgpu/counters/lane_units.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kFarApart = 1ull << 50;

struct Touched {
  std::set<std::uint64_t> sectors, bytes;
};
Touched touched_by(const WarpAccess& access) {
  Touched touched;
  for (int lane = 0; lane < kWarpSize; ++lane)
    for (int byte = 0; byte < access.bytes_per_lane && (access.active >> lane & 1) != 0; ++byte) {
      touched.bytes.insert(access.addresses[lane] + byte);
      touched.sectors.insert((access.addresses[lane] + byte) / kSectorBytes);
    }
  return touched;
}

TEST(Coalescing, LanesOfBuffersFarApartAreCountedOneAfterTheOther) {
  std::mt19937_64 random(7);
  for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u})
    for (const std::uint64_t elements : {4, 40, 400})
      for (int i = 0; i < 30; ++i) {
        std::array<std::uint64_t, kWarpSize> addresses;
        for (std::uint64_t& address : addresses)
          address = (1 + random() % 2) * kFarApart + random() % elements * bytes;
        addresses[0] = kFarApart, addresses[1] = 2 * kFarApart;
        const WarpAccess access{addresses, static_cast<std::uint32_t>(random()) | 3, static_cast<int>(bytes)};
        LaneUnits units;
        ASSERT_FALSE(number_units(access, 5, units)) << "no loop over all lanes counts these";
        const Touched touched = touched_by(access);
        EXPECT_EQ(count_sectors(access).sectors, touched.sectors.size());
        EXPECT_EQ(count_sectors(access).distinct_bytes, touched.bytes.size());
        EXPECT_EQ(count_distinct_bytes(access), touched.bytes.size());
      }
}

}  // namespace
}  // namespace cudalab::vgpu
