// Loops over all lanes count what a look at one lane after the other does.
#include "vgpu/counters/lane_units.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "vgpu/counters/banks.h"

namespace cudalab::vgpu {
namespace {

struct Lanes {
  std::array<std::uint64_t, kWarpSize> addresses{};
  std::uint32_t active = kAllLanes;
  WarpAccess access(int bytes) const { return {addresses, active, bytes}; }
};

// Sorted and unsorted, crowded and far apart, all lanes and some.
std::vector<Lanes> many_accesses(int bytes) {
  std::mt19937_64 random(7);
  std::vector<Lanes> accesses;
  for (const std::uint64_t range : {4, 40, 400, 1 << 20})
    for (int i = 0; i < 60; ++i) {
      Lanes lanes;
      for (auto& address : lanes.addresses)
        address = (0x7f00'0000'0000 + random() % range * static_cast<unsigned>(bytes));
      if (i % 3 == 1) std::ranges::sort(lanes.addresses);
      if (i % 2 == 1) lanes.active = static_cast<std::uint32_t>(random()) | 1u << (random() % 32);
      accesses.push_back(lanes);
    }
  return accesses;
}

template <class Visit>
void for_each_active(const Lanes& lanes, Visit visit) {
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (lanes.active >> lane & 1) visit(lane, lanes.addresses[lane]);
}

LaneUnits units_of(const Lanes& lanes, int bytes, int shift) {
  LaneUnits units;
  EXPECT_TRUE(number_units(lanes.access(bytes), shift, units));
  return units;
}

TEST(LaneUnits, CountSectorsAndBytes) {
  for (const int bytes : {1, 2, 4, 8, 16})
    for (const Lanes& lanes : many_accesses(bytes)) {
      std::set<std::uint64_t> sectors, elements;
      for_each_active(lanes, [&](int, std::uint64_t address) {
        sectors.insert(address / kSectorBytes);
        elements.insert(address);
      });
      const SectorCount count = count_sectors(lanes.access(bytes));
      EXPECT_EQ(count.sectors, sectors.size());
      EXPECT_EQ(count.distinct_bytes, elements.size() * static_cast<unsigned>(bytes));
    }
}

TEST(LaneUnits, FindTheFirstLaneOfEachInItsGroup) {
  for (const int group : {8, 16, 32})
    for (const Lanes& lanes : many_accesses(4)) {
      std::uint32_t firsts = 0;
      std::set<std::pair<int, std::uint64_t>> met;
      for_each_active(lanes, [&](int lane, std::uint64_t address) {
        if (met.insert({lane / group, address}).second) firsts |= 1u << lane;
      });
      EXPECT_EQ(first_lanes(units_of(lanes, 4, 2), group), firsts);
    }
}

TEST(LaneUnits, QueueForBanks) {
  for (const int bytes : {1, 2, 4, 8, 16})
    for (const Lanes& lanes : many_accesses(bytes)) {
      std::map<std::pair<int, std::uint64_t>, std::set<std::uint64_t>> words;
      for_each_active(lanes, [&](int lane, std::uint64_t address) {
        for (std::uint64_t word = address / 4; word <= (address + static_cast<unsigned>(bytes) - 1) / 4;
             ++word)
          words[{lane / lanes_served_together(bytes), word % 32}].insert(word);
      });
      std::map<int, std::size_t> longest;
      for (const auto& [where, wanted] : words)
        longest[where.first] = std::max(longest[where.first], wanted.size());
      std::size_t wavefronts = 0;
      for (const auto& [group, length] : longest) wavefronts += length;
      const WavefrontCount count = count_wavefronts(lanes.access(bytes), SharedAccess::kStore);
      EXPECT_EQ(count.wavefronts, wavefronts);
      EXPECT_EQ(count.groups, longest.size());
    }
}

TEST(LaneUnits, AreNotNumberedBeyond32Bits) {
  Lanes lanes;
  lanes.addresses[31] = std::uint64_t{1} << 40;
  LaneUnits units;
  EXPECT_FALSE(number_units(lanes.access(4), 2, units));
  EXPECT_EQ(count_sectors(lanes.access(4)).sectors, 2u);
}

}  // namespace
}  // namespace cudalab::vgpu
