// A cache of lines does what a list in the order of use does.
#include "vgpu/time/line_cache.h"

#include <gtest/gtest.h>

#include <list>
#include <random>

namespace cudalab::vgpu {
namespace {

TEST(LineCache, DropsWhatWasNotUsedForLongest) {
  LineCache cache(3);
  LineCache::Line left;
  for (const std::uint64_t number : {7, 8, 9}) cache.insert(number, left);
  EXPECT_EQ(left.number, 0u);
  EXPECT_TRUE(cache.is_full());
  ASSERT_TRUE(cache.find(7));
  cache.insert(10, left);
  EXPECT_EQ(left.number, 8u);
  EXPECT_FALSE(cache.find(8));
  EXPECT_TRUE(cache.find(7));
}

TEST(LineCache, KeepsWhatALineKnows) {
  LineCache cache(2);
  LineCache::Line left;
  cache.insert(5, left).dirty = 9;
  cache.insert(6, left);
  EXPECT_EQ(cache.find(5)->dirty, 9);
  cache.find(6);
  cache.insert(7, left);
  EXPECT_EQ(left.dirty, 9);
  EXPECT_EQ(cache.find(7)->dirty, 0);
}

// Numbers that crowd in the table, that lie far apart, and that share their lower half.
TEST(LineCache, FindsWhatAListWouldHave) {
  constexpr std::size_t kCapacity = 100;
  for (const std::uint64_t step : {1ull, 64ull, 1ull << 32}) {
    LineCache cache(kCapacity);
    std::list<std::uint64_t> used;
    std::mt19937 random(11);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t number = random() % 180 * step;
      const auto known = std::ranges::find(used, number);
      ASSERT_EQ(cache.find(number) != nullptr, known != used.end()) << number;
      if (known != used.end())
        used.erase(known);
      else {
        LineCache::Line left;
        cache.insert(number, left);
        if (used.size() == kCapacity) {
          ASSERT_EQ(left.number, used.back());
          used.pop_back();
        }
      }
      used.push_front(number);
    }
  }
}

}  // namespace
}  // namespace cudalab::vgpu
