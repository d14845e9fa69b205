#include "vgpu/memory/shadow_bytes.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace cudalab::vgpu {
namespace {

constexpr std::size_t kPage = 4096, kPages = 1000;
using Range = std::pair<std::size_t, std::size_t>;

std::vector<Range> touched(const ShadowBytes& bytes) {
  std::vector<Range> ranges;
  bytes.for_each_touched([&](std::size_t from, std::size_t to) { ranges.emplace_back(from, to); });
  return ranges;
}

std::size_t resident_pages(const ShadowBytes& bytes, std::size_t count) {
  std::vector<unsigned char> pages(count);
  EXPECT_EQ(mincore(bytes.get(), count * kPage, pages.data()), 0);
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char page) { return page & 1; }));
}

TEST(ShadowBytes, KnowTheRangesThatWereTouched) {
  for (const std::size_t pages : {kPages, std::size_t{20}}) {  // from the system, from the heap
    const ShadowBytes bytes(pages * kPage);
    bytes.touch(3 * kPage - 1, 3 * kPage + 1);
    bytes.touch(7 * kPage, 8 * kPage);
    bytes.touch(pages * kPage - 1, pages * kPage);
    const std::vector<Range> expected{
        {2 * kPage, 4 * kPage}, {7 * kPage, 8 * kPage}, {(pages - 1) * kPage, pages * kPage}};
    EXPECT_EQ(touched(bytes), expected) << pages;
  }
}

TEST(ShadowBytes, TakeMemoryWhereTheyAreTouchedAlone) {
  constexpr std::size_t kCount = kPages + 2;  // of no other test
  const ShadowBytes bytes(kCount * kPage);
  ASSERT_EQ(resident_pages(bytes, kCount), 0u);
  bytes.touch(5 * kPage, 6 * kPage);
  bytes.touch(500 * kPage + 17, 500 * kPage + 18);
  EXPECT_EQ(resident_pages(bytes, kCount), 2u);
}

TEST(ShadowBytes, AreZeroAndUntouchedEachTime) {
  constexpr std::size_t kBytes = (kPages + 1) * kPage;  // of no other test
  const std::byte* first = nullptr;
  for (int launch = 0; launch < 3; ++launch) {
    const ShadowBytes bytes(kBytes);
    if (!first) first = bytes.get();
    EXPECT_EQ(bytes.get(), first) << "a new piece for each launch";
    EXPECT_TRUE(touched(bytes).empty());
    EXPECT_TRUE(
        std::all_of(bytes.get(), bytes.get() + kBytes, [](std::byte byte) { return byte == std::byte{0}; }));
    bytes.touch(kPage, 9 * kPage);
    std::fill(bytes.get() + kPage, bytes.get() + 9 * kPage, std::byte{0xff});
  }
}

TEST(ShadowBytes, OfLaunchesThatEndedCanBeFreed) {
  constexpr std::size_t kCount = kPages + 3;
  const auto touch_all = [] { ShadowBytes(kCount * kPage).touch(0, kCount * kPage); };
  touch_all();
  EXPECT_EQ(resident_pages(ShadowBytes(kCount * kPage), kCount), kCount);
  free_spare_shadows();
  EXPECT_EQ(resident_pages(ShadowBytes(kCount * kPage), kCount), 0u);
}

TEST(ShadowBytes, ThatMovedAreClearedOnce) {
  ShadowBytes first(kPages * kPage);
  std::byte* const memory = first.get();
  first.touch(0, 1);
  memory[0] = std::byte{1};
  ShadowBytes second = std::move(first);
  EXPECT_EQ(second.get(), memory);
  EXPECT_EQ(touched(second), (std::vector<Range>{{0, kPage}}));
  second = ShadowBytes();
  const ShadowBytes third(kPages * kPage);
  EXPECT_EQ(third.get()[0], std::byte{0});
}

}  // namespace
}  // namespace cudalab::vgpu
