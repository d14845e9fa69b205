// A suspicion is raised exactly where two threads touched a granule and one of them wrote, in whatever order,
// on however many host threads: no mark is lost.
#include "vgpu/checks/suspicion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

namespace cudalab::vgpu {
namespace {

constexpr int kSuspicionGranuleShift = 2;
constexpr std::size_t kGranules = 4096;

class Watching {
 public:
  GlobalMemory memory{std::size_t{1} << 24};
  std::uint64_t base = memory.allocate("watched", kGranules << kSuspicionGranuleShift, false);
  const Allocation& allocation = *memory.allocations().front();
  explicit Watching(bool is_alone = false) : suspicion(memory, kSuspicionGranuleShift, is_alone) {}
  Suspicion suspicion;
  SiteInfo info;

  // A warp whose lane i touches granule first + i.
  void touch(AccessMode mode, std::uint64_t warp, std::size_t first, std::uint32_t count = kWarpSize) {
    Footprint footprint;
    footprint.spans = {{0, count, 0, false}};
    for (std::uint32_t lane = 0; lane < count; ++lane)
      footprint.lane.push_back(lane % kWarpSize << kLaneShift);
    observe(footprint, mode, warp, first);
  }
  // Lane i touches granule first + apart * i.
  void touch_apart(AccessMode mode, std::uint64_t warp, std::size_t first, std::int64_t apart) {
    Footprint footprint;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      footprint.spans.push_back({apart * lane, 1, lane, false});
      footprint.lane.push_back(lane << kLaneShift);
      footprint.granule.push_back(static_cast<std::int32_t>(apart * lane));
    }
    footprint.other = footprint.lane;
    observe(footprint, mode, warp, first);
  }

 private:
  void observe(const Footprint& footprint, AccessMode mode, std::uint64_t warp, std::size_t first) {
    ObservedAccess access{};
    access.footprint = &footprint;
    access.info = &info;
    access.mode = mode;
    access.base = base + (first << kSuspicionGranuleShift);
    access.granule_shift = kSuspicionGranuleShift;
    suspicion.observe(access, allocation, warp * kWarpSize);
  }
};

struct Step {
  AccessMode mode;
  std::uint64_t warp;
};

// What the class promises, from its words alone.
bool is_conflict(const std::vector<Step>& steps) {
  for (const Step& one : steps)
    for (const Step& other : steps) {
      const bool reductions = one.mode == AccessMode::kReadWrite && other.mode == AccessMode::kReadWrite;
      const bool writes = one.mode != AccessMode::kRead || other.mode != AccessMode::kRead;
      const bool is_mixed = (one.mode == AccessMode::kReadWrite) != (other.mode == AccessMode::kReadWrite);
      if (!reductions && writes && (one.warp != other.warp || is_mixed)) return true;
    }
  return false;
}

void for_every_sequence(std::size_t length, const std::function<void(const std::vector<Step>&)>& visit) {
  const std::vector<Step> kinds{{AccessMode::kRead, 1},     {AccessMode::kRead, 2},
                                {AccessMode::kRead, 3},     {AccessMode::kWrite, 1},
                                {AccessMode::kWrite, 2},    {AccessMode::kReadWrite, 1},
                                {AccessMode::kReadWrite, 2}};
  std::size_t sequences = 1;
  for (std::size_t i = 0; i < length; ++i) sequences *= kinds.size();
  for (std::size_t number = 0; number < sequences; ++number) {
    std::vector<Step> steps;
    for (std::size_t rest = number, i = 0; i < length; ++i, rest /= kinds.size())
      steps.push_back(kinds[rest % kinds.size()]);
    visit(steps);
  }
}

// Also of accesses that meet in a few granules only, across words of 64 and locks of 512.
TEST(Suspicion, IsRaisedByReductionsOfABlocksScopeInTwoThreads) {
  for (const bool is_for_block : {false, true}) {
    Watching watching;
    watching.info.is_for_block = is_for_block;
    watching.touch(AccessMode::kReadWrite, 1, 0);
    watching.touch(AccessMode::kReadWrite, 2, 0);
    EXPECT_EQ(watching.suspicion.is_raised(), is_for_block);
  }
}

TEST(Suspicion, IsRaisedByEveryOrderOfAConflictAndByNothingElse) {
  for (const std::size_t length : {1u, 2u, 3u, 4u})
    for_every_sequence(length, [](const std::vector<Step>& steps) {
      Watching watching;
      std::size_t first = 500;
      for (const Step& step : steps) watching.touch(step.mode, step.warp, first--);
      const bool only_reads =
          std::ranges::all_of(steps, [](const Step& step) { return step.mode == AccessMode::kRead; });
      if (only_reads) {
        EXPECT_FALSE(watching.suspicion.is_raised());
      }
      Watching still;
      for (const Step& step : steps) still.touch(step.mode, step.warp, 500);
      EXPECT_EQ(still.suspicion.is_raised(), is_conflict(steps));
      if (is_conflict(steps)) {
        EXPECT_TRUE(watching.suspicion.is_raised());
      }
    });
}

TEST(Suspicion, OfGranulesThatLieApartIsAsOfNeighbours) {
  for (const bool is_alone : {false, true})
    for_every_sequence(3, [is_alone](const std::vector<Step>& steps) {
      Watching watching(is_alone), neighbours(is_alone);
      for (const Step& step : steps) {
        watching.touch_apart(step.mode, step.warp, 40, 37);
        neighbours.touch(step.mode, step.warp, 40);
      }
      EXPECT_EQ(watching.suspicion.is_raised(), is_conflict(steps));
      EXPECT_EQ(neighbours.suspicion.is_raised(), is_conflict(steps));
    });
}

// After many readers a read is not marked any more: whoever writes is found all the same, wherever it is.
TEST(Suspicion, AWriterAmongManyReadersIsFound) {
  for (const std::size_t written : {0u, 63u, 64u, 511u, 512u, 1023u}) {
    Watching watching;
    for (std::uint64_t warp = 1; warp < 6; ++warp) watching.touch(AccessMode::kRead, warp, 0, 1024);
    EXPECT_FALSE(watching.suspicion.is_raised());
    watching.touch(AccessMode::kWrite, 9, written, 1);
    EXPECT_TRUE(watching.suspicion.is_raised()) << written;
  }
}

TEST(Suspicion, AReaderOfWhatIsReadByManyAndOfWhatAnotherWroteIsFound) {
  Watching watching;
  for (std::uint64_t warp = 1; warp < 4; ++warp) watching.touch(AccessMode::kRead, warp, 0, 100);
  watching.touch(AccessMode::kWrite, 7, 100, 1);
  EXPECT_FALSE(watching.suspicion.is_raised());
  watching.touch(AccessMode::kRead, 8, 69);  // 69 to 100
  EXPECT_TRUE(watching.suspicion.is_raised());
}

// On several host threads at once: readers of everything, and one writer of one granule.
TEST(Suspicion, NoConflictIsLostBetweenHostThreads) {
  for (unsigned round = 0; round < 60; ++round) {
    const bool with_writer = round % 2 == 0;
    Watching watching;
    std::vector<std::thread> threads;
    for (std::uint64_t reader = 0; reader < 3; ++reader)
      threads.emplace_back([&watching, reader] {
        for (std::uint64_t turn = 0; turn < 20; ++turn)
          for (std::size_t first = 0; first < 1024; first += kWarpSize)
            watching.touch(AccessMode::kRead, 1 + reader * 20 + turn, first);
      });
    if (with_writer)
      threads.emplace_back(
          [&watching, round] { watching.touch(AccessMode::kWrite, 500, round * 17 % 1024, 1); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(watching.suspicion.is_raised(), with_writer) << round;
  }
}

// Rows and single granules share lines of marks: warps write what no other does, side by side, and one meets
// another.
TEST(Suspicion, NoConflictIsLostOrMadeUpWhereLinesAreShared) {
  for (unsigned round = 0; round < 40; ++round) {
    const bool meets = round % 2 == 0;
    Watching watching;
    std::vector<std::thread> threads;
    for (std::uint64_t number = 0; number < 4; ++number)
      threads.emplace_back([&watching, number] {
        for (std::size_t turn = 0; turn < 64; ++turn) {
          watching.touch_apart(AccessMode::kWrite, 1 + number, number, 4 * 8);
          watching.touch(AccessMode::kRead, 1 + number, 2048 + number * 8, 8);
        }
      });
    if (meets)
      threads.emplace_back(
          [&] { watching.touch(AccessMode::kWrite, 9, round * 11 % 32 * 32 + round % 4, 1); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(watching.suspicion.is_raised(), meets) << round;
  }
}

// A launch that touches one of a thousand allocations is to cost as if there were one.
TEST(Suspicion, WatchesWhatIsTouched) {
  Watching watching;
  const std::uint64_t later = watching.memory.allocate("by the launch itself", 4096, false);
  watching.touch(AccessMode::kWrite, 0, 0);
  EXPECT_NE(watching.memory.find(watching.base)->watch.load(), nullptr);
  EXPECT_EQ(watching.memory.find(later)->watch.load(), nullptr);
  EXPECT_EQ(Watching().allocation.watch.load(), nullptr);
}

}  // namespace
}  // namespace cudalab::vgpu
