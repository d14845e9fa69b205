// Tests the counting rules: wavefronts of shared memory, sectors, distinct units and atomic packets, against
// straightforward implementations.
#include "vgpu/counters/access_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace cudalab::vgpu {

namespace {

std::array<std::uint64_t, kWarpSize> random_addresses(std::mt19937& random, int bytes) {
  std::array<std::uint64_t, kWarpSize> addresses{};
  for (std::uint64_t& address : addresses) address = random() % 128 * static_cast<std::uint64_t>(bytes);
  return addresses;
}

TEST(BankPasses, AreTheWavefrontsWhateverLanesTakePart) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const int bytes = 1 << round % 5;
    const auto addresses = random_addresses(random, bytes);
    const WarpAccess access{addresses, static_cast<std::uint32_t>(random() | 1u), bytes};
    for (const SharedAccess kind : {SharedAccess::kLoad, SharedAccess::kStore})
      EXPECT_EQ(bank_passes(access, kind).size(), count_wavefronts(access, kind).wavefronts) << round;
  }
}

TEST(BankPasses, GiveEachLaneEachOfItsWordsOnce) {
  std::mt19937 random(2);
  const auto addresses = random_addresses(random, 8);
  const WarpAccess access{addresses, 0xf0f0ff0fu, 8};
  std::array<int, kWarpSize> words{};
  for (const BankPass& pass : bank_passes(access, SharedAccess::kLoad))
    for (const auto& lanes : pass.lanes)
      for (const std::size_t lane : lanes) ++words[lane];
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    EXPECT_EQ(words[lane], access.active >> lane & 1 ? 2 : 0) << lane;
}

// The lanes that are served in one wavefront.

using Addresses = std::array<std::uint64_t, kWarpSize>;

// Lanes whose distance is `apart` read the same address; others do not.
Addresses in_pairs(int apart, int bytes) {
  Addresses addresses{};
  for (int lane = 0; lane < kWarpSize; ++lane)
    addresses[lane] = static_cast<std::uint64_t>((lane & ~apart) * bytes);
  return addresses;
}

TEST(Banks, ServeFewerLanesWhoseWordsAreWider) {
  EXPECT_EQ(lanes_served_together(1), 32);
  EXPECT_EQ(lanes_served_together(4), 32);
  EXPECT_EQ(lanes_served_together(8), 16);
  EXPECT_EQ(lanes_served_together(16), 8);
}

TEST(Banks, ServeTwiceAsManyLanesThatPairUp) {
  for (const int apart : {1, 2}) {
    const Addresses wide = in_pairs(apart, 8), wider = in_pairs(apart, 16), narrow = in_pairs(apart, 4);
    EXPECT_EQ(lanes_per_group({.addresses = wide, .bytes_per_lane = 8}, SharedAccess::kLoad), 32);
    EXPECT_EQ(lanes_per_group({.addresses = wider, .bytes_per_lane = 16}, SharedAccess::kLoad), 16);
    EXPECT_EQ(lanes_per_group({.addresses = narrow, .bytes_per_lane = 4}, SharedAccess::kLoad), 32);
  }
}

TEST(Banks, ServeNoMoreLanesOfAStoreOrOfOthersThanPairs) {
  const Addresses pairs = in_pairs(1, 8), fours = in_pairs(4, 8);
  EXPECT_EQ(lanes_per_group({.addresses = pairs, .bytes_per_lane = 8}, SharedAccess::kStore), 16);
  EXPECT_EQ(lanes_per_group({.addresses = fours, .bytes_per_lane = 8}, SharedAccess::kLoad), 16);
  Addresses broken = pairs;
  broken[31] = 1024;
  EXPECT_EQ(lanes_per_group({.addresses = broken, .bytes_per_lane = 8}, SharedAccess::kLoad), 16);
  // An inactive partner cannot disagree.
  const WarpAccess access{.addresses = broken, .active = ~(1u << 31), .bytes_per_lane = 8};
  EXPECT_EQ(lanes_per_group(access, SharedAccess::kLoad), 32);
}

// Lanes in buffers that are too far apart to be numbered are counted like lanes of one buffer.

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

// Comparing all lanes at once finds the same as a loop over the lanes, in both implementations.

// Few different numbers, many, and numbers that differ only in the highest bits.
std::vector<EachLane> many_numbers() {
  std::mt19937 random(3);
  std::vector<EachLane> all;
  for (const std::uint32_t range : {2, 8, 40, 1000})
    for (const int shift : {0, 20})
      for (int i = 0; i < 50; ++i) {
        EachLane numbers;
        for (std::uint32_t& number : numbers) number = 1 + (random() % range << shift);
        all.push_back(numbers);
      }
  return all;
}

std::uint32_t earlier_in_group(const EachLane& numbers, int lane, int group) {
  std::uint32_t earlier = 0;
  for (int other = lane / group * group; other < lane; ++other)
    if (numbers[other] == numbers[lane]) earlier |= 1u << other;
  return earlier;
}

TEST(EarlierLanes, HaveTheSameNumber) {
  for (const EachLane& numbers : many_numbers()) {
    EachLane expected;
    for (int lane = 0; lane < kWarpSize; ++lane) expected[lane] = earlier_in_group(numbers, lane, kWarpSize);
    EXPECT_EQ(earlier_equals(numbers), expected);
    EXPECT_EQ(by_distance::earlier_equals(numbers), expected);
  }
}

TEST(EarlierLanes, RepeatTheNumberOfOneInTheirGroup) {
  for (const int group : {8, 16, 32})
    for (const EachLane& numbers : many_numbers()) {
      std::uint32_t expected = 0;
      for (int lane = 0; lane < kWarpSize; ++lane)
        expected |= std::uint32_t{earlier_in_group(numbers, lane, group) != 0} << lane;
      EXPECT_EQ(repeated_lanes(numbers, group), expected) << group;
      EXPECT_EQ(by_distance::repeated_lanes(numbers, group), expected) << group;
    }
}

// The vectorized loops count the same as a loop over the lanes.

struct Lanes {
  std::array<std::uint64_t, kWarpSize> addresses{};
  std::uint32_t active = kAllLanes;
  WarpAccess access(int bytes) const { return {addresses, active, bytes}; }
};

// Accesses that are sorted and unsorted, close together and far apart, by all lanes and by some.
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

// Packets of a warp's atomics, computed for all lanes at once, are those that a simulation lane by lane
// finds.

struct Request {
  std::array<std::uint64_t, kWarpSize> addresses{};
  std::uint32_t active = kAllLanes;
};

int queue_of(std::uint64_t address) {
  return (std::popcount(address & 0xbd5a80) & 1) | (std::popcount(address & 0x6aed00) & 1) << 1;
}

// ---- the rule, implemented word by word --------------------------------------------------------------
std::set<std::uint64_t> words_of_line(std::uint64_t address, int bytes) {
  std::set<std::uint64_t> words;
  for (int byte = 0; byte < bytes; byte += 4) words.insert((address + static_cast<unsigned>(byte)) % 128 / 4);
  return words;
}

// Removes the lanes of the first packet from the queue and returns the packet's sectors.
std::size_t send(std::vector<std::uint64_t>& queue, std::uint64_t packet_bytes, int bytes) {
  const std::uint64_t line = queue.front() / packet_bytes;
  std::set<std::uint64_t> wanted, sectors;
  std::vector<std::uint64_t> rest;
  for (const std::uint64_t address : queue) {
    const auto words = words_of_line(address, bytes);
    const bool is_first = std::ranges::none_of(words, [&](auto word) { return wanted.contains(word); });
    wanted.insert(words.begin(), words.end());
    if (is_first && address / packet_bytes == line)
      sectors.insert(address / kSectorBytes);
    else
      rest.push_back(address);
  }
  queue = rest;
  return sectors.size();
}

std::size_t count_word_by_word(const Request& request, int bytes, std::uint64_t packet_bytes) {
  std::array<std::vector<std::uint64_t>, 4> queues;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (request.active >> lane & 1) {
      const std::uint64_t address = request.addresses[static_cast<std::size_t>(lane)];
      queues[static_cast<std::size_t>(queue_of(address))].push_back(address);
    }
  std::size_t sectors = 0;
  for (auto& queue : queues)
    while (!queue.empty()) sectors += send(queue, packet_bytes, bytes);
  return sectors;
}

// ---- requests ----------------------------------------------------------------------------------------
void expect_same(const Request& request, int bytes) {
  const WarpAccess access{request.addresses, request.active, bytes};
  EXPECT_EQ(count_packet_sectors(access, false), count_word_by_word(request, bytes, 128)) << bytes;
  EXPECT_EQ(count_packet_sectors(access, true), count_word_by_word(request, bytes, 64)) << bytes;
}

constexpr std::uint64_t kPacketBase = 0x7f00'0000'0000;

TEST(Packets, OfRandomLanesAreThoseOfTheRule) {
  std::mt19937_64 random(11);
  for (const int bytes : {4, 8, 16})
    for (const std::uint64_t elements : {1, 2, 5, 20, 64, 300, 2000, 40'000, 3'000'000})
      for (int i = 0; i < 24; ++i) {
        Request request;
        for (auto& address : request.addresses)
          address = kPacketBase + random() % elements * static_cast<unsigned>(bytes);
        if (i % 3 == 1) request.active = static_cast<std::uint32_t>(random());
        if (i % 3 == 2) request.active = static_cast<std::uint32_t>(random() & random() & random());
        expect_same(request, bytes);
      }
}

// Lanes with strides, repeated, grouped and interleaved, as in typical kernels.
TEST(Packets, OfRegularLanesAreThoseOfTheRule) {
  for (const int bytes : {4, 8, 16})
    for (const std::uint64_t step : {0, 1, 2, 3, 16, 32, 33, 64, 160, 1024})
      for (const std::uint64_t lanes : {1, 2, 4, 7, 16, 32})
        for (const bool interleaved : {false, true}) {
          Request request;
          for (std::uint64_t lane = 0; lane < kWarpSize; ++lane)
            request.addresses[lane] = kPacketBase + (interleaved ? lane % lanes : lane / lanes) * step *
                                                        static_cast<unsigned>(bytes);
          expect_same(request, bytes);
        }
}

TEST(Packets, OfNoLaneAreNone) { EXPECT_EQ(count_packet_sectors({Request{}.addresses, 0, 4}, false), 0u); }

}  // namespace
}  // namespace cudalab::vgpu
