// Tests which lanes access which bank, and in how many wavefronts, against the rule measured on a GPU.
#include "lab/bank_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/random.h"
#include "vgpu/counters/access_costs.h"

namespace cudalab::lab {
namespace {

using testing::ElementsAre;

SharedRead strided(std::uint32_t stride, std::uint32_t bytes) {
  SharedRead read;
  read.bytes = bytes;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) read.address[lane] = lane * stride * bytes;
  return read;
}

std::size_t wavefronts(const SharedRead& read) {
  std::array<std::uint64_t, kLanes> addresses{};
  std::copy(read.address.begin(), read.address.end(), addresses.begin());
  const vgpu::WarpAccess access{addresses, vgpu::kAllLanes, static_cast<int>(read.bytes)};
  return vgpu::count_wavefronts(access, vgpu::SharedAccess::kLoad).wavefronts;
}

TEST(BankPicture, StridesOfFloatsTakeAsManyPassesAsTheyShareFactorsWith32) {
  const std::vector<std::pair<std::uint32_t, std::size_t>> expected{{0, 1}, {1, 1}, {2, 2},   {3, 1},
                                                                    {4, 4}, {8, 8}, {16, 16}, {32, 32}};
  for (const auto& [stride, passes] : expected)
    EXPECT_EQ(passes_of(strided(stride, 4)).size(), passes) << stride;
}

TEST(BankPicture, ThePassesAreTheWavefrontsOfTheCard) {
  for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
    for (std::uint32_t stride = 0; stride < 70; ++stride)
      EXPECT_EQ(passes_of(strided(stride, bytes)).size(), wavefronts(strided(stride, bytes)))
          << stride << ' ' << bytes;
    for (std::uint64_t stream = 0; stream < 200; ++stream) {
      SharedRead read = strided(0, bytes);
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        read.address[lane] =
            static_cast<std::uint32_t>(random_bits(stream, lane >> stream % 3) % 256) * bytes;
      EXPECT_EQ(passes_of(read).size(), wavefronts(read)) << stream << ' ' << bytes;
    }
  }
}

TEST(BankPicture, EveryLaneGetsEachOfItsWordsOnce) {
  const SharedRead read = strided(3, 8);
  std::array<int, kLanes> words{};
  for (const BankPass& pass : passes_of(read))
    for (const auto& lanes : pass.lanes)
      for (const std::size_t lane : lanes) ++words[lane];
  EXPECT_THAT(words, testing::Each(2));
}

TEST(BankPicture, ALineAPass) {
  EXPECT_THAT(bank_picture(strided(2, 4)),
              ElementsAre("bank         0       4       8       12      16      20      24      28",
                          "wavefront 1  0 . 1 . 2 . 3 . 4 . 5 . 6 . 7 . 8 . 9 . a . b . c . d . e . f .",
                          "wavefront 2  g . h . i . j . k . l . m . n . o . p . q . r . s . t . u . v ."));
  EXPECT_THAT(bank_picture(strided(0, 4)).at(1), testing::StartsWith("wavefront 1  0+. . ."));
  EXPECT_THAT(bank_picture(strided(1, 1)).at(1), testing::StartsWith("wavefront 1  0+4+8+c+g+k+o+s+. ."));
}

TEST(BankPicture, DoublesGoAHalfWarpAtATime) {
  const std::vector<std::string> lines = bank_picture(strided(1, 8));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[1], testing::StartsWith("lanes 0-15, wavefront 1   0 0 1 1 2 2"));
  EXPECT_THAT(lines[2], testing::StartsWith("lanes 16-31, wavefront 1  g g h h"));
}

TEST(BankPicture, TheOldRuleMadeNeighbouringBytesWait) {
  EXPECT_EQ(ways_by_the_old_rule(strided(1, 1)), 4u);
  EXPECT_EQ(ways_by_the_old_rule(strided(1, 2)), 2u);
  EXPECT_EQ(ways_by_the_old_rule(strided(1, 4)), 1u);
  EXPECT_EQ(ways_by_the_old_rule(strided(0, 4)), 1u);
  EXPECT_EQ(ways_by_the_old_rule(strided(4, 1)), 1u);
  EXPECT_EQ(ways_by_the_old_rule(strided(2, 4)), 2u);
}

}  // namespace
}  // namespace cudalab::lab
