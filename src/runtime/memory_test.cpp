// Tests that advice applies to whole pages, and splits and merges ranges.
#include "runtime/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace cudalab::runtime {

namespace {

const auto kPage = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));

std::uint64_t page(std::uint64_t number) { return 0x10000000 + number * kPage; }

// One letter per part of the range: r for read-mostly, - for the rest.
std::string parts(const ManagedRanges& ranges, std::uint64_t from, std::uint64_t to) {
  std::string letters;
  for (const Advice& advice : ranges.of(page(from), page(to))) letters += advice.is_read_mostly ? 'r' : '-';
  return letters;
}

void set(Advice& advice) { advice.is_read_mostly = true; }
void unset(Advice& advice) { advice.is_read_mostly = false; }

TEST(ManagedRanges, ApplyOnlyToTheirPages) {
  ManagedRanges ranges;
  EXPECT_EQ(parts(ranges, 0, 8), "-");
  ranges.change(page(2), page(4), set);
  EXPECT_EQ(parts(ranges, 0, 8), "-r-");
  EXPECT_EQ(parts(ranges, 2, 4), "r");
  EXPECT_EQ(parts(ranges, 3, 5), "r-");
  EXPECT_EQ(parts(ranges, 4, 8), "-");
}

TEST(ManagedRanges, AreRoundedToPages) {
  ManagedRanges ranges;
  ranges.change(page(2) + 100, page(2) + 104, set);
  EXPECT_EQ(parts(ranges, 2, 3), "r");
  EXPECT_EQ(parts(ranges, 1, 4), "-r-");
}

TEST(ManagedRanges, CanChangeWithinPartsAndAcrossGaps) {
  ManagedRanges ranges;
  ranges.change(page(0), page(8), set);
  ranges.change(page(3), page(5), unset);
  EXPECT_EQ(parts(ranges, 0, 8), "r-r");
  ranges.change(page(4), page(12), set);
  EXPECT_EQ(parts(ranges, 3, 4), "-");
  EXPECT_EQ(parts(ranges, 4, 12).find('-'), std::string::npos);
}

TEST(ManagedRanges, AreDroppedWhenTheirMemoryIsFreed) {
  ManagedRanges ranges;
  ranges.change(page(0), page(8), set);
  ranges.forget(page(2), page(4));
  EXPECT_EQ(parts(ranges, 0, 8), "r-r");
  EXPECT_EQ(parts(ranges, 2, 4), "-");
}

}  // namespace
}  // namespace cudalab::runtime
