// Tests races between the blocks of a launch, on one host thread and on two: which are reported, and which
// must not be.
#include "vgpu/checks/grid_races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {

// A suspicion is raised exactly if two threads touched a granule and one of them wrote, in any order and with
// any number of host threads.

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

  // A warp accesses granules `first` to `first` + `count` - 1, one per lane.
  void touch(AccessMode mode, std::uint64_t warp, std::size_t first, std::uint32_t count = kWarpSize) {
    Footprint footprint;
    footprint.spans = {{0, count, 0, false, {}}};
    for (std::uint32_t lane = 0; lane < count; ++lane)
      footprint.lane.push_back(lane % kWarpSize << kLaneShift);
    footprint.spans[0].run = run_of_lanes(footprint.lane.data(), count);
    observe(footprint, mode, warp, first);
  }
  // Lane i accesses granule first + apart * i.
  void touch_apart(AccessMode mode, std::uint64_t warp, std::size_t first, std::int64_t apart) {
    Footprint footprint;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      footprint.spans.push_back({apart * lane, 1, lane, false, {}});
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

// The specification of Suspicion, implemented directly.
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

// Includes accesses that overlap in only a few granules, across boundaries of 64 and 512 granules.
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

// After many readers, further reads are no longer marked; a write must still conflict wherever it is.
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

// Several host threads read everything; at most one of them writes one granule.
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

// Rows and single granules share cache lines of marks: warps write disjoint granules of the same lines, and
// one warp conflicts.
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

// A launch that touches one of a thousand allocations must cost no more than with one allocation.
TEST(Suspicion, WatchesWhatIsTouched) {
  Watching watching;
  const std::uint64_t later = watching.memory.allocate("by the launch itself", 4096, false);
  watching.touch(AccessMode::kWrite, 0, 0);
  EXPECT_NE(watching.memory.find(watching.base)->watch.load(), nullptr);
  EXPECT_EQ(watching.memory.find(later)->watch.load(), nullptr);
  EXPECT_EQ(Watching().allocation.watch.load(), nullptr);
}

// %rd1: 4096 words of data, all 0; %rd2: 64 flags. %r0: thread, %r3: block. %p1, %p2, %p3: thread 0 of block
// 0, 1, 2; %p4, %p5: all threads of block 0 and 1. %rd3: the thread's own word of the data, the same in each
// block.
constexpr char kGridStart[] = R"(
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  mov.u32 %r0, %tid.x;
  mov.u32 %r3, %ctaid.x;
  setp.eq.u32 %p6, %r0, 0;
  setp.eq.and.u32 %p1, %r3, 0, %p6;
  setp.eq.and.u32 %p2, %r3, 1, %p6;
  setp.eq.and.u32 %p3, %r3, 2, %p6;
  setp.eq.u32 %p4, %r3, 0;
  setp.eq.u32 %p5, %r3, 1;
  mul.wide.u32 %rd3, %r0, 4;
  add.s64 %rd3, %rd3, %rd1;
)";

std::vector<Hazard> hazards_in_grid(const std::string& body, unsigned host_threads, unsigned threads = 32) {
  KernelHarness harness(KernelHarness::kernel(kGridStart + body), host_threads);
  const auto data = harness.buffer(std::vector<std::uint32_t>(4096), "data");
  const auto flags = harness.buffer(std::vector<std::uint32_t>(64), "flags");
  return harness.run({3, 1, 1}, {threads, 1, 1}, data, flags).hazards;
}

void expect_global_race(const std::string& body, unsigned block, unsigned threads = 32) {
  for (const unsigned host_threads : {1u, 2u}) {
    const std::vector<Hazard> hazards = hazards_in_grid(body, host_threads, threads);
    ASSERT_EQ(hazards.size(), 1u) << host_threads << " host threads: " << body;
    EXPECT_EQ(hazards[0].kind, HazardKind::kGlobalRace) << body;
    EXPECT_EQ(hazards[0].block.x, block) << body << hazards[0].what;
  }
}
void expect_no_global_race(const std::string& body) {
  for (const unsigned host_threads : {1u, 2u}) {
    const std::vector<Hazard> hazards = hazards_in_grid(body, host_threads);
    EXPECT_TRUE(hazards.empty()) << host_threads << " host threads: " << body << hazards[0].what;
  }
}

// ---- two blocks --------------------------------------------------------------------------------------
TEST(GlobalRaces, AWriteAndAReadOfTwoBlocks) {
  expect_global_race("@%p1 st.global.u32 [%rd1], 7;\n@%p2 ld.global.u32 %r9, [%rd1];", 1);
  expect_global_race("@%p1 ld.global.u32 %r9, [%rd1];\n@%p2 st.global.u32 [%rd1], 7;", 1);
  expect_global_race(
      "@%p1 ld.global.u32 %r9, [%rd1];\n@%p2 ld.global.u32 %r9, [%rd1];\n@%p3 st.global.u32 [%rd1], 7;", 2);
}

TEST(GlobalRaces, TwoWritesOfDifferentValues) {
  expect_global_race("@%p1 st.global.u32 [%rd1], 7;\n@%p2 st.global.u32 [%rd1], 8;", 1);
}

TEST(GlobalRaces, TwoWritesOfTheSameValueAreSilent) {
  expect_no_global_race("@%p6 st.global.u32 [%rd1], 7;");
  expect_no_global_race("st.global.u32 [%rd3], %r0;");
}

TEST(GlobalRaces, OneOfManyWordsDiffers) {
  expect_global_race(
      "setp.eq.u32 %p8, %r3, 2;\n@%p8 exit;\nsetp.eq.and.u32 %p7, %r0, 9, %p5;\n"
      "selp.u32 %r9, 1, 5, %p7;\nst.global.u32 [%rd3], %r9;",
      1);
}

TEST(GlobalRaces, AWriteOfWhatAnotherBlockReadsIsARaceThoughItChangesNothing) {
  expect_global_race("@%p1 ld.global.u32 %r9, [%rd1];\n@%p2 st.global.u32 [%rd1], 0;", 1);
}

TEST(GlobalRaces, ReadsAndOwnMemoryAreSilent) {
  expect_no_global_race("ld.global.u32 %r9, [%rd3];");
  expect_no_global_race(
      "mad.lo.u32 %r8, %r3, 32, %r0;\nmul.wide.u32 %rd4, %r8, 4;\nadd.s64 %rd4, %rd4, %rd1;\n"
      "st.global.u32 [%rd4], %r8;\nld.global.u32 %r9, [%rd4];\nst.global.u32 [%rd4], %r9;");
}

TEST(GlobalRaces, NeighbouringBytesAreApart) {
  expect_no_global_race("cvt.u64.u32 %rd4, %r3;\nadd.s64 %rd4, %rd4, %rd1;\n@%p6 st.global.u8 [%rd4], %r3;");
}

// ---- atomics and volatile ----------------------------------------------------------------------------
TEST(GlobalRaces, ReductionsAreSilent) { expect_no_global_race("red.global.add.u32 [%rd1], 1;"); }

TEST(GlobalRaces, AReductionAndAPlainAccessAreNot) {
  expect_global_race(
      "@%p1 red.global.add.u32 [%rd1], 1;\nmov.u64 %rd4, %rd1;\n@%p2 ld.global.u32 %r9, [%rd4];", 1);
  expect_global_race(
      "mov.u64 %rd4, %rd1;\n@%p1 ld.global.u32 %r9, [%rd4];\n@%p2 red.global.add.u32 [%rd1], 1;", 1);
  expect_global_race("mov.u64 %rd4, %rd1;\n@%p1 st.global.u32 [%rd4], 9;\n@%p2 red.global.add.u32 [%rd1], 1;",
                     1);
}

// A loop around atomicCAS, in which the compiler addresses the variable once by name and once by a register.
TEST(GlobalRaces, APlainReadOfWhatASwapExpectsIsSilentByWhicheverRegister) {
  const std::string address = "mov.u64 %rd4, %rd1;\nadd.s64 %rd5, %rd1, 8;\n";
  const std::string next = "mov.u32 %r8, %r9;\nadd.u32 %r7, %r8, 1;\n";
  expect_no_global_race(address + "@%p6 ld.global.u32 %r9, [%rd4];\n" + next +
                        "@%p6 atom.global.cas.b32 %r6, [%rd1], %r8, %r7;");
  expect_no_global_race(address + "@%p6 ld.global.u32 %r9, [%rd1+8];\n" + next +
                        "@%p6 atom.global.cas.b32 %r6, [%rd5], %r8, %r7;");
  expect_global_race(
      address + "@%p1 ld.global.u32 %r9, [%rd4];\n" + next + "@%p2 atom.global.cas.b32 %r6, [%rd1], 0, 1;",
      1);
  expect_global_race(address + "@%p1 ld.global.u32 %r9, [%rd4];\n" + next +
                         "@%p2 atom.global.cas.b32 %r6, [%rd5+-8], %r7, 1;",
                     1);
}

// A register that is written twice may hold different addresses.
TEST(GlobalRaces, APlainReadThroughARegisterThatIsSetTwiceIsNone) {
  expect_global_race(
      "mov.u64 %rd6, %rd2;\nmov.u64 %rd6, %rd1;\nmov.u64 %rd4, %rd6;\n@%p1 ld.global.u32 %r9, [%rd4];\n"
      "@%p2 atom.global.cas.b32 %r7, [%rd1], %r9, 1;",
      1);
}

TEST(GlobalRaces, VolatileAccessesAreSilentAndOneIsNotEnough) {
  expect_no_global_race("@%p1 st.volatile.global.u32 [%rd1], 7;\n@%p2 ld.volatile.global.u32 %r9, [%rd1];");
  expect_global_race("@%p1 st.global.u32 [%rd1], 7;\n@%p2 ld.volatile.global.u32 %r9, [%rd1];", 1);
  expect_global_race("@%p1 st.volatile.global.u32 [%rd1], 7;\n@%p2 ld.global.u32 %r9, [%rd1];", 1);
}

// ---- synchronization ---------------------------------------------------------------------------------
constexpr char kWriteFenceFlag[] =
    "@%p1 st.global.u32 [%rd1], 7;\nmembar.gl;\n@%p1 atom.global.add.u32 %r9, [%rd2], 1;\n";

TEST(GlobalRaces, AFenceAndAnAtomicOrderBlocks) {
  expect_no_global_race(std::string(kWriteFenceFlag) +
                        "@%p2 atom.global.add.u32 %r9, [%rd2], 1;\n@%p2 ld.global.u32 %r8, [%rd1];");
}

TEST(GlobalRaces, ABlockThatLooksAtNoFlagIsNotOrdered) {
  expect_global_race(std::string(kWriteFenceFlag) + "@%p2 ld.global.u32 %r8, [%rd1];", 1);
}

// Block 1 acquires, block 2 does not.
TEST(GlobalRaces, ALaterBlockDoesNotInheritWhatAnEarlierOneHasSeen) {
  expect_global_race(std::string(kWriteFenceFlag) +
                         "@%p2 atom.global.add.u32 %r9, [%rd2], 1;\n@%p3 ld.global.u32 %r8, [%rd1];",
                     2);
}

TEST(GlobalRaces, AnAtomicWithoutAFenceOrdersNothing) {
  expect_global_race(
      "@%p1 st.global.u32 [%rd1], 7;\n@%p1 atom.global.add.u32 %r9, [%rd2], 1;\n"
      "@%p2 atom.global.add.u32 %r9, [%rd2], 1;\n@%p2 ld.global.u32 %r8, [%rd1];",
      1);
}

// As in CUDA 13's grid.sync() and cuda::atomic_ref: the atomic operation is also the fence.
TEST(GlobalRaces, AnAtomicThatReleasesHandsOverWhatCameBefore) {
  const std::string read = "@%p2 ld.acquire.gpu.global.u32 %r9, [%rd2];\n@%p2 ld.global.u32 %r8, [%rd1];";
  for (const char* release : {"@%p1 atom.add.release.gpu.global.u32 %r9, [%rd2], 1;",
                              "@%p1 atom.acq_rel.gpu.global.exch.b32 %r9, [%rd2], 1;",
                              "@%p1 red.release.gpu.global.add.u32 [%rd2], 1;"})
    expect_no_global_race(std::string("@%p1 st.global.u32 [%rd1], 7;\n") + release + "\n" + read);
  expect_global_race(
      "@%p1 st.global.u32 [%rd1], 7;\n@%p1 atom.add.relaxed.gpu.global.u32 %r9, [%rd2], 1;\n" + read, 1);
}

// ---- block scope -------------------------------------------------------------------------------------
Message fix_of(const std::string& body) { return hazards_in_grid(body, 2).at(0).fix; }

TEST(GlobalRaces, AtomicsOfABlocksScopeMeetOnlyTheirOwnBlocks) {
  expect_global_race(
      "@%p1 red.relaxed.cta.global.add.u32 [%rd1], 1;\n@%p2 red.relaxed.cta.global.add.u32 [%rd1], 1;", 1);
  expect_global_race(
      "@%p1 red.relaxed.gpu.global.add.u32 [%rd1], 1;\n@%p2 atom.cta.global.add.u32 %r9, [%rd1], 1;", 1);
  expect_global_race("@%p1 st.relaxed.cta.global.u32 [%rd1], 7;\n@%p2 ld.relaxed.gpu.global.u32 %r9, [%rd1];",
                     1);
  expect_no_global_race("@%p4 red.relaxed.cta.global.add.u32 [%rd1], 1;");
  expect_no_global_race(
      "@%p1 red.relaxed.sys.global.add.u32 [%rd1], 1;\n@%p2 red.relaxed.gpu.global.add.u32 [%rd1], 1;");
  EXPECT_THAT(fix_of("red.relaxed.cta.global.add.u32 [%rd1], 1;"), IsMessage("advice_wider_scope"));
}

TEST(GlobalRaces, FencesAndFlagsOfABlocksScopeOrderNoOtherBlock) {
  const std::string write = "@%p1 st.global.u32 [%rd1], 7;\n", read = "@%p2 ld.global.u32 %r8, [%rd1];";
  const std::string set = "@%p1 st.volatile.global.u32 [%rd2], 1;\n",
                    look = "@%p2 ld.volatile.global.u32 %r9, [%rd2];\n";
  expect_no_global_race(write + "membar.gl;\n" + set + look + read);
  expect_global_race(write + "membar.cta;\n" + set + look + read, 1);
  expect_global_race(write + "fence.acq_rel.cta;\n" + set + look + read, 1);
  EXPECT_THAT(fix_of(write + "membar.cta;\n" + set + look + read), IsMessage("advice_wider_fence"));
  const std::string look_in_block = "@%p2 ld.acquire.cta.global.u32 %r9, [%rd2+4];\n";
  expect_global_race(write + "membar.gl;\n" + set + look_in_block + read, 1);
  EXPECT_THAT(fix_of(write + "membar.gl;\n" + set + look_in_block + read), IsMessage("advice_wider_scope"));
}

TEST(GlobalRaces, WhatIsWrittenBehindTheFlagIsNotOrdered) {
  expect_global_race(
      "membar.gl;\n@%p1 atom.global.add.u32 %r9, [%rd2], 1;\n@%p1 st.global.u32 [%rd1], 7;\n"
      "@%p2 atom.global.add.u32 %r9, [%rd2], 1;\n@%p2 ld.global.u32 %r8, [%rd1];",
      1);
}

TEST(GlobalRaces, AVolatileLoadHandsNothingOver) {
  expect_global_race(
      "@%p1 st.global.u32 [%rd1], 7;\nmembar.gl;\n@%p1 ld.volatile.global.u32 %r9, [%rd2];\n"
      "@%p2 ld.volatile.global.u32 %r9, [%rd2];\n@%p2 ld.global.u32 %r8, [%rd1];",
      1);
}

// The last block resets the ticket that all blocks took atomically.
TEST(GlobalRaces, TheTicketItselfMayBeResetByWhoTookIt) {
  expect_no_global_race(
      "mov.u64 %rd4, %rd2;\n@%p6 atom.global.add.u32 %r9, [%rd2], 1;\n@%p3 st.global.u32 [%rd4], 0;");
}

TEST(GlobalRaces, WhatWasUpdatedAtomicallyIsOrderedForABlockThatHasSeenAFlag) {
  const std::string updated = "mov.u64 %rd4, %rd2;\n@%p1 atom.global.add.u32 %r9, [%rd2], 1;\n";
  expect_no_global_race(updated +
                        "@%p2 ld.volatile.global.u32 %r9, [%rd2+4];\n@%p2 st.global.u32 [%rd4], 0;");
  expect_global_race(updated + "@%p2 st.global.u32 [%rd4], 0;", 1);
}

// ---- threads of one block ----------------------------------------------------------------------------
TEST(GlobalRaces, ThreadsOfOneBlockRaceTooAndABarrierOrdersThem) {
  const std::string write = "setp.eq.and.u32 %p7, %r0, 33, %p4;\n@%p1 st.global.u32 [%rd1], 7;\n";
  expect_global_race(write + "@%p7 ld.global.u32 %r9, [%rd1];", 0, 64);
  for (const unsigned host_threads : {1u, 2u})
    EXPECT_TRUE(
        hazards_in_grid(write + "bar.sync 0;\n@%p7 ld.global.u32 %r9, [%rd1];", host_threads, 64).empty());
}

TEST(GlobalRaces, AnAtomicAndAPlainReadOfOneBlock) {
  expect_global_race(
      "setp.eq.and.u32 %p7, %r0, 33, %p4;\nmov.u64 %rd4, %rd1;\n@%p1 red.global.add.u32 [%rd1], 1;\n"
      "@%p7 ld.global.u32 %r9, [%rd4];",
      0, 64);
}

TEST(GlobalRaces, TwoLanesThatStoreDifferentValuesInOneInstruction) {
  expect_global_race("setp.lt.and.u32 %p7, %r0, 2, %p5;\n@%p7 st.global.u32 [%rd1], %r0;", 1);
}

// An access beyond the first line of the shadow.
TEST(GlobalRaces, FarBehindTheFirstLine) {
  expect_global_race(
      "setp.eq.and.u32 %p7, %r0, 33, %p4;\n@%p1 st.global.u32 [%rd1+8188], 7;\n"
      "@%p7 ld.global.u32 %r9, [%rd1+8188];",
      0, 64);
}

TEST(GlobalRaces, TheMessageNamesTheBlockTheBufferAndTheByte) {
  const Hazard hazard =
      hazards_in_grid("@%p1 st.global.u32 [%rd1+8], 7;\n@%p3 ld.global.u32 %r9, [%rd1+8];", 1).at(0);
  EXPECT_THAT(hazard.what, IsMessage("race_same_launch"));
  EXPECT_THAT(hazard.what, MentionsMessage("verb_reads"));
  EXPECT_THAT(hazard.what, HasArgument("element", cudalab::Element{"data", {2}}));
  EXPECT_THAT(hazard.what, HasArgument("other", BlockIndex{{0, 0, 0}}));
  EXPECT_THAT(hazard.what, MentionsMessage("earlier_wrote"));
  EXPECT_EQ(hazard.buffer, "data");
}

}  // namespace
}  // namespace cudalab::vgpu
