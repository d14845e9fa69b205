// Passes through the banks: as many as the count of wavefronts says, and each lane gets each of its words.
#include "vgpu/counters/bank_passes.h"

#include <gtest/gtest.h>

#include <random>

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

}  // namespace
}  // namespace cudalab::vgpu
