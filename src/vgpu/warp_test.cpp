// Tests that the usual distance is found among few and among millions of distances, for any split of the
// counting, in bounded memory.
#include "vgpu/warp.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace cudalab::vgpu {

namespace {

// `count` different distances.
std::vector<std::int64_t> different(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < count; ++i)
    strides.push_back(static_cast<std::int64_t>(random() >> 20) * (i % 2 ? 4 : -4));
  return strides;
}

TEST(StrideCounts, FindsWhatMoreThanHalfHave) {
  StrideCounts counts;
  counts.add(4, 3);
  counts.add(-128, 2);
  EXPECT_EQ(counts.usual(5), 4);
  EXPECT_EQ(counts.usual(6), std::nullopt);  // half is not a majority
  EXPECT_EQ(StrideCounts().usual(1), std::nullopt);
}

TEST(StrideCounts, FindsItAmongMillionsInLittleMemory) {
  constexpr std::size_t kMany = 3'000'000;
  for (const std::int64_t usual : {4, -4096, 0, 1 << 30}) {
    StrideCounts counts;
    for (const std::int64_t stride : different(kMany)) counts.add(stride, 1);
    EXPECT_EQ(counts.usual(kMany), std::nullopt);
    counts.add(usual, kMany + 1000);
    EXPECT_EQ(counts.usual(2 * kMany + 1000), usual);
    EXPECT_EQ(counts.usual(4 * kMany), std::nullopt);  // most requests have no distance at all
    EXPECT_LT(counts.bytes(), 10'000u);
  }
}

TEST(StrideCounts, DoNotDependOnWhoCountedWhat) {
  for (const std::size_t count : {20, 64, 65, 200}) {
    const std::vector<std::int64_t> strides = different(count);
    StrideCounts whole;
    std::vector<StrideCounts> parts(3);
    for (std::size_t i = 0; i < count; ++i) {
      whole.add(strides[i], i == 0 ? count : 1);
      parts[i * i % 3].add(strides[i], i == 0 ? count : 1);
    }
    StrideCounts sum;
    for (std::size_t i : {2, 0, 1}) sum.add(parts[i]);
    for (const std::size_t requests : {count, 2 * count - 1, 2 * count, 3 * count})
      EXPECT_EQ(sum.usual(requests), whole.usual(requests)) << count << " of " << requests;
    EXPECT_EQ(whole.usual(2 * count - 1), strides[0]);
  }
}

}  // namespace
}  // namespace cudalab::vgpu
