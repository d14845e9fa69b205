// Tests that the words of lines hold exactly the marks that single granules would have, for any sequence of
// accesses.
#include "vgpu/checks/line_marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "vgpu/warp.h"

namespace cudalab::vgpu {
namespace {

constexpr int kWordShift = 2;  // granules of 4 bytes
constexpr std::uint64_t kMarkedGranules = 9 * LineMarks::kInLine + 5;

// An access of a warp: the granules of its lanes, relative to `first`.
struct WarpAccess {
  Marking marking;
  std::uint64_t first;
  std::uint32_t thread;  // of lane 0
  Footprint footprint;
};

// The definition of the marks, granule by granule.
class SingleMarks {
 public:
  bool touch(const WarpAccess& access) {
    bool conflict = false;
    const bool is_listed = !access.footprint.granule.empty();
    for (const Footprint::Span& span : access.footprint.spans)
      for (std::uint32_t g = 0; g < span.count; ++g) {
        const std::uint32_t lane = access.footprint.lane[span.lanes + g],
                            other = access.footprint.other[span.lanes + g];
        const bool is_shared = is_listed ? lane != other : span.is_shared && access.marking == Marking::kRead;
        const std::uint32_t thread = (access.thread + (lane >> kLaneShift)) % kMarkThreads + 1;
        conflict |= touch(access.marking, marks_[access.first + static_cast<std::uint64_t>(span.first) + g],
                          is_shared ? std::uint32_t{kMarkManyReaders} : thread);
      }
    return conflict;
  }
  Mark mark(std::uint64_t granule) const { return marks_[granule]; }

 private:
  static bool touch(Marking marking, Mark& mark, std::uint32_t who) {
    const Mark before = mark;
    const bool was_written = before & kMarkWritten, is_same = (before & kMarkWho) == who;
    if (marking == Marking::kReduction) {
      mark = kMarkReduced;
      return before != 0 && before != kMarkReduced;
    }
    if (marking == Marking::kWrite) {
      mark = static_cast<Mark>(who | kMarkWritten);
      return before != 0 && !is_same;
    }
    if (before == 0)
      mark = static_cast<Mark>(who);
    else if (!was_written && !is_same)
      mark = kMarkManyReaders;
    return (was_written && !is_same) || before == kMarkReduced;
  }
  std::array<Mark, kMarkedGranules> marks_{};
};

class RandomAccesses {
 public:
  explicit RandomAccesses(unsigned seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  WarpAccess next(Marking marking) {
    WarpAccess access{marking, 0, kThreads[below(std::size(kThreads))], {}};
    const int words_per_lane = 1 << below(3);
    const Pattern pattern = pattern_of(words_per_lane);
    std::int64_t low = 0, high = 0;
    for_each_lane(pattern.active, [&](int lane) {
      low = std::min(low, pattern.offset[lane] >> kWordShift);
      high = std::max(high, (pattern.offset[lane] >> kWordShift) + words_per_lane);
    });
    access.first = static_cast<std::uint64_t>(-low) +
                   below(static_cast<std::uint32_t>(std::int64_t{kMarkedGranules} - (high - low) + 1));
    make_footprint(access.footprint, pattern, words_per_lane << kWordShift, kWordShift);
    return access;
  }

 private:
  // There are only a few numbers, so the same threads occur again. The last ones exceed the modulus.
  static constexpr std::uint32_t kThreads[] = {0, 32, 64, 256, 1000, kMarkThreads - 40, kMarkThreads - 7};

  Pattern pattern_of(int words_per_lane) {
    Pattern pattern;
    pattern.active = below(3) ? kAllLanes : static_cast<std::uint32_t>(random_()) | 1;
    if (below(8) == 0) pattern.active = 1;
    const int kind = static_cast<int>(below(6));
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const int distance = kind == 0   ? lane
                           : kind == 1 ? lane / 2
                           : kind == 2 ? lane % 16
                           : kind == 3 ? 0
                           : kind == 4 ? lane * 2
                                       : static_cast<int>(below(60));
      pattern.offset[lane] = std::int64_t{distance * words_per_lane} << kWordShift;
    }
    const std::int64_t base = pattern.offset[std::countr_zero(pattern.active)];
    for (std::int64_t& offset : pattern.offset) offset -= base;
    return pattern;
  }
  std::mt19937 random_;
};

bool touch(const LineMarks& lines, const WarpAccess& access) {
  if (!access.footprint.granule.empty())
    return lines.touch_each(access.marking, access.footprint, access.first, access.thread, nullptr,
                            kWordShift);
  bool conflict = false;
  for (const Footprint::Span& span : access.footprint.spans)
    conflict |= lines.touch_row(
        access.marking, {access.first + static_cast<std::uint64_t>(span.first), span.count,
                         access.footprint.lane.data() + span.lanes, access.thread, span.is_shared, span.run});
  return conflict;
}

void expect_equal(const LineMarks& lines, const SingleMarks& single, const std::string& where) {
  for (std::uint64_t granule = 0; granule < kMarkedGranules; ++granule)
    ASSERT_EQ(lines.mark(granule), single.mark(granule)) << where << ", granule " << granule;
}

// `reads`: the number of reads in ten accesses. With few writes, many lines are read by several threads.
void compare(unsigned seed, std::uint32_t reads, bool is_alone) {
  RandomAccesses random(seed);
  MarkBlocks blocks;
  const LineMarks lines(kMarkedGranules, is_alone, blocks);
  SingleMarks single;
  for (int step = 0; step < 60; ++step) {
    const std::uint32_t choice = random.below(10);
    const WarpAccess access = random.next(choice < reads    ? Marking::kRead
                                          : choice % 3 != 0 ? Marking::kWrite
                                                            : Marking::kReduction);
    const std::string where = "seed " + std::to_string(seed) + ", step " + std::to_string(step);
    ASSERT_EQ(touch(lines, access), single.touch(access)) << where;
    ASSERT_NO_FATAL_FAILURE(expect_equal(lines, single, where));
  }
}

TEST(LineMarks, HoldTheMarksOfSingleGranulesAfterEveryAccess) {
  for (unsigned seed = 0; seed < 600; ++seed)
    ASSERT_NO_FATAL_FAILURE(compare(seed, seed % 11, seed % 2 == 0));
}

// Marks without a conflict do not depend on the order of accesses.
TEST(LineMarks, OfReadersOnSeveralHostThreadsAreThoseOfOne) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    MarkBlocks blocks;
    const LineMarks lines(kMarkedGranules, false, blocks);
    SingleMarks single;
    std::vector<std::vector<WarpAccess>> accesses(3);
    RandomAccesses random(seed);
    for (std::vector<WarpAccess>& own : accesses)
      for (int step = 0; step < 40; ++step) single.touch(own.emplace_back(random.next(Marking::kRead)));
    std::vector<std::thread> threads;
    for (const std::vector<WarpAccess>& own : accesses)
      threads.emplace_back([&] {
        for (const WarpAccess& access : own) EXPECT_FALSE(touch(lines, access));
      });
    for (std::thread& thread : threads) thread.join();
    ASSERT_NO_FATAL_FAILURE(expect_equal(lines, single, "seed " + std::to_string(seed)));
  }
}

// Host threads write disjoint granules of the same lines.
TEST(LineMarks, OfWritersOnSeveralHostThreadsAreThoseOfOne) {
  constexpr std::uint32_t kWriters = 4;
  for (unsigned round = 0; round < 20; ++round) {
    MarkBlocks blocks;
    const LineMarks lines(kMarkedGranules, false, blocks);
    SingleMarks single;
    std::vector<WarpAccess> accesses;
    for (std::uint32_t writer = 0; writer < kWriters; ++writer) {
      Pattern pattern;
      for (int lane = 0; lane < kWarpSize; ++lane)
        pattern.offset[lane] = std::int64_t{lane} * kWriters << kWordShift;
      WarpAccess& access = accesses.emplace_back(WarpAccess{Marking::kWrite, writer, writer * kWarpSize, {}});
      pattern.active = kAllLanes;
      make_footprint(access.footprint, pattern, 1 << kWordShift, kWordShift);
      single.touch(access);
    }
    std::vector<std::thread> threads;
    for (const WarpAccess& access : accesses)
      threads.emplace_back([&] {
        for (int turn = 0; turn < 50; ++turn) EXPECT_FALSE(touch(lines, access));
      });
    for (std::thread& thread : threads) thread.join();
    ASSERT_NO_FATAL_FAILURE(expect_equal(lines, single, "round " + std::to_string(round)));
  }
}

// The usual accesses leave lines that follow rules, which need no blocks.
TEST(LineMarks, OfUsualAccessesNeedNoBlocks) {
  constexpr std::uint64_t kAddress = 0x0000'ffff'ffff'ffc0;
  MarkBlocks blocks;
  const LineMarks lines(kMarkedGranules, true, blocks);
  const std::uint64_t unused = blocks.take();
  blocks.give_back(unused);
  const auto touch_all = [&](Marking marking, std::uint64_t first, int words_per_lane) {
    Pattern pattern;
    for (int lane = 0; lane < kWarpSize; ++lane)
      pattern.offset[lane] = std::int64_t{lane * words_per_lane} << kWordShift;
    pattern.active = kAllLanes;
    WarpAccess access{marking, first, static_cast<std::uint32_t>(first), {}};
    make_footprint(access.footprint, pattern, words_per_lane << kWordShift, kWordShift);
    touch(lines, access);
  };
  touch_all(Marking::kRead, 0, 1);
  touch_all(Marking::kWrite, 0, 1);
  touch_all(Marking::kWrite, 64, 4);
  touch_all(Marking::kRead, 7 * 32 + 3, 1);
  touch_all(Marking::kReduction, 192, 1);
  EXPECT_EQ(blocks.take() & kAddress, unused & kAddress) << "another block is in use";
  EXPECT_EQ(lines.mark(0), kMarkWritten | 1);
}

}  // namespace
}  // namespace cudalab::vgpu
