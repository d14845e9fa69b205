// Packets of a warp's atomics, counted for all lanes together, are those that a look at one lane after the
// other finds.
#include "vgpu/counters/packets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <vector>

namespace cudalab::vgpu {
namespace {

struct Request {
  std::array<std::uint64_t, kWarpSize> addresses{};
  std::uint32_t active = kAllLanes;
};

int queue_of(std::uint64_t address) {
  return (std::popcount(address & 0xbd5a80) & 1) | (std::popcount(address & 0x6aed00) & 1) << 1;
}

// ---- the rule, word by word --------------------------------------------------------------------------
std::set<std::uint64_t> words_of_line(std::uint64_t address, int bytes) {
  std::set<std::uint64_t> words;
  for (int byte = 0; byte < bytes; byte += 4) words.insert((address + static_cast<unsigned>(byte)) % 128 / 4);
  return words;
}

// Takes the lanes of the first one's packet out of the queue; returns its sectors.
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

// Lanes in steps, repeated, one after the other and interleaved, as kernels have them.
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
