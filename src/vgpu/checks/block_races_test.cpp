// Tests races between the threads of a block: which are reported, and which must not be.
#include "vgpu/checks/block_races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// %r0: thread, %r1: warp, %r2: lane. %p1, %p2, %p3: lane 0 of warp 0, 1, 2; %p4, %p5: lanes 0 and 1 of warp
// 0; %p6: lane 0 of any warp; %p7, %p8: warp 0 and warp 1. Shared memory `s` is initialized.
constexpr char kBlockStart[] = R"(
  .shared .align 16 .b8 s[1024];
  mov.u32 %r0, %tid.x;
  shr.u32 %r1, %r0, 5;
  and.b32 %r2, %r0, 31;
  setp.eq.u32 %p1, %r0, 0;
  setp.eq.u32 %p2, %r0, 32;
  setp.eq.u32 %p3, %r0, 64;
  setp.eq.u32 %p4, %r0, 0;
  setp.eq.u32 %p5, %r0, 1;
  setp.eq.u32 %p6, %r2, 0;
  setp.eq.u32 %p7, %r1, 0;
  setp.eq.u32 %p8, %r1, 1;
  shl.b32 %r3, %r0, 3;
  mov.u32 %r4, s;
  add.u32 %r5, %r4, %r3;
  mov.u64 %rd9, 0;
  st.shared.u64 [%r5], %rd9;
  bar.sync 0;
)";

// The hazards of a block of four warps. The warps run one after another, each to its next barrier. The final
// barrier keeps all warps alive, because an exited warp counts as arrived at every barrier.
std::vector<Hazard> hazards_in_block(const std::string& body) {
  KernelHarness harness(KernelHarness::kernel(kBlockStart + body + "\nbar.sync 0;", 0) +
                        ".file 1 \"k.cu\"\n");
  return harness.run({1, 1, 1}, {128, 1, 1}).hazards;
}

void expect_shared_race(const std::string& body, unsigned thread) {
  const std::vector<Hazard> hazards = hazards_in_block(body);
  ASSERT_EQ(hazards.size(), 1u) << body;
  EXPECT_EQ(hazards[0].kind, HazardKind::kSharedRace) << body;
  EXPECT_EQ(hazards[0].thread.x, thread) << body << hazards[0].what;
}
void expect_no_shared_race(const std::string& body) {
  const std::vector<Hazard> hazards = hazards_in_block(body);
  EXPECT_TRUE(hazards.empty()) << body << hazards[0].what;
}

// ---- two warps ---------------------------------------------------------------------------------------
TEST(SharedRaces, AWriteAndAReadOfTwoWarps) {
  expect_shared_race("@%p1 st.shared.u32 [s], 7;\n@%p2 ld.shared.u32 %r9, [s];", 32);
  expect_shared_race("@%p1 ld.shared.u32 %r9, [s];\n@%p2 st.shared.u32 [s], 7;", 32);
}

TEST(SharedRaces, TwoWritesOfDifferentValues) {
  expect_shared_race("@%p1 st.shared.u32 [s], 7;\n@%p2 st.shared.u32 [s], 8;", 32);
}

TEST(SharedRaces, TwoWritesOfTheSameValueAreSilent) {
  expect_no_shared_race("@%p1 st.shared.u32 [s], 7;\n@%p2 st.shared.u32 [s], 7;");
  expect_no_shared_race("@%p6 st.shared.u32 [s], 7;");
  expect_no_shared_race("mov.u64 %rd1, 0x100000002;\n@%p6 st.shared.u64 [s], %rd1;");
  expect_no_shared_race("mov.u32 %r8, 1;\nmov.u32 %r9, 2;\n@%p6 st.shared.v2.u32 [s], {%r8, %r9};");
}

TEST(SharedRaces, VectorsThatDifferInOneElementAreNotTheSameValue) {
  expect_shared_race("@%p6 st.shared.v2.u32 [s], {%r2, %r1};", 32);
  expect_shared_race("@%p6 st.shared.v2.u32 [s], {%r1, %r2};", 32);
}

TEST(SharedRaces, AWriteOfWhatAnotherWarpReadsIsARaceThoughItChangesNothing) {
  expect_shared_race("@%p1 ld.shared.u32 %r9, [s];\n@%p2 st.shared.u32 [s], 0;", 32);
}

TEST(SharedRaces, TwoReadsAreSilent) {
  expect_no_shared_race("ld.shared.u32 %r9, [s];\nld.shared.u32 %r9, [s];");
}

TEST(SharedRaces, OwnMemoryIsSilent) {
  expect_no_shared_race("st.shared.u32 [%r5], %r0;\nld.shared.u32 %r9, [%r5];\nst.shared.u32 [%r5], %r9;");
}

TEST(SharedRaces, NeighbouringBytesAreApart) {
  expect_no_shared_race(
      "add.u32 %r6, %r4, %r1;\n@%p6 st.shared.u8 [%r6], %r1;\n@%p6 ld.shared.u8 %rs1, [%r6];");
  expect_shared_race("add.u32 %r6, %r4, %r1;\n@%p6 st.shared.u8 [%r6], 5;\n@%p2 ld.shared.u8 %rs1, [s];", 32);
}

// ---- volatile and atomic -----------------------------------------------------------------------------
TEST(SharedRaces, VolatileAccessesOfTwoWarpsAreSilent) {
  expect_no_shared_race("@%p1 st.volatile.shared.u32 [s], 7;\n@%p2 st.volatile.shared.u32 [s], 8;");
  expect_no_shared_race("@%p1 st.volatile.shared.u32 [s], 7;\n@%p2 ld.volatile.shared.u32 %r9, [s];");
  expect_no_shared_race("@%p1 ld.volatile.shared.u32 %r9, [s];\n@%p2 st.volatile.shared.u32 [s], 8;");
}

TEST(SharedRaces, OneVolatileAccessIsNotEnough) {
  expect_shared_race("@%p1 st.shared.u32 [s], 7;\n@%p2 ld.volatile.shared.u32 %r9, [s];", 32);
  expect_shared_race("@%p1 st.volatile.shared.u32 [s], 7;\n@%p2 ld.shared.u32 %r9, [s];", 32);
}

TEST(SharedRaces, VolatileAccessesOfOneWarpRace) {
  expect_shared_race("@%p4 st.volatile.shared.u32 [s], 7;\n@%p5 ld.volatile.shared.u32 %r9, [s];", 1);
}

TEST(SharedRaces, AtomicsAreSilent) {
  expect_no_shared_race("atom.shared.add.u32 %r9, [s], 1;\natom.shared.add.u32 %r9, [s], 1;");
  expect_no_shared_race("@%p4 atom.shared.add.u32 %r9, [s], 1;\n@%p5 atom.shared.add.u32 %r9, [s], 1;");
}

TEST(SharedRaces, AnAtomicAndAPlainAccessAreNot) {
  expect_shared_race("@%p1 atom.shared.add.u32 %r9, [s], 1;\n@%p2 ld.shared.u32 %r9, [%r4];", 32);
  expect_shared_race("@%p1 ld.shared.u32 %r9, [%r4];\n@%p2 atom.shared.add.u32 %r9, [s], 1;", 32);
}

TEST(SharedRaces, ALoadOfTheAddressThatAnAtomicUpdatesIsSilent) {
  expect_no_shared_race("@%p1 atom.shared.add.u32 %r9, [s], 1;\n@%p2 ld.shared.u32 %r9, [s];");
}

// ---- one warp ----------------------------------------------------------------------------------------
TEST(SharedRaces, LanesOfAWarpNeedASyncwarp) {
  expect_shared_race("@%p4 st.shared.u32 [s], 7;\n@%p5 ld.shared.u32 %r9, [s];", 1);
  expect_shared_race("@%p4 ld.shared.u32 %r9, [s];\n@%p5 st.shared.u32 [s], 7;", 1);
  expect_no_shared_race("@%p4 st.shared.u32 [s], 7;\nbar.warp.sync -1;\n@%p5 ld.shared.u32 %r9, [s];");
  expect_no_shared_race("@%p4 ld.shared.u32 %r9, [s];\nbar.warp.sync -1;\n@%p5 st.shared.u32 [s], 7;");
}

TEST(SharedRaces, WhatLanesDoBehindASyncwarpNeedsAnother) {
  expect_shared_race("bar.warp.sync -1;\n@%p4 st.shared.u32 [s], 7;\n@%p5 ld.shared.u32 %r9, [s];", 1);
}

TEST(SharedRaces, ASyncwarpOrdersNoOtherWarp) {
  expect_shared_race("@%p1 st.shared.u32 [s], 7;\nbar.warp.sync -1;\n@%p2 ld.shared.u32 %r9, [s];", 32);
}

TEST(SharedRaces, AShuffleOrdersNothing) {
  expect_shared_race(
      "@%p4 st.shared.u32 [s], 7;\nshfl.sync.bfly.b32 %r8, %r0, 1, 31, -1;\n@%p5 ld.shared.u32 %r9, [s];", 1);
}

TEST(SharedRaces, LanesThatStoreDifferentValuesInOneInstruction) {
  expect_shared_race("setp.lt.u32 %p9, %r0, 2;\n@%p9 st.shared.u32 [s], %r0;", 1);
  expect_shared_race("setp.eq.u32 %p9, %r2, 31;\nselp.u32 %r9, 1, 0, %p9;\n@%p7 st.shared.u32 [s], %r9;", 31);
  expect_shared_race("setp.lt.u32 %p9, %r0, 2;\nsub.u32 %r9, 100, %r0;\n@%p9 st.shared.u32 [s], %r9;", 1);
  expect_no_shared_race("setp.lt.u32 %p9, %r0, 2;\n@%p9 st.shared.u32 [s], 3;");
}

TEST(SharedRaces, RelaxedStoresOfOneInstructionAreSilent) {
  expect_no_shared_race("setp.lt.u32 %p9, %r0, 2;\n@%p9 st.relaxed.cta.shared.u32 [s], %r0;");
}

// ---- granules that several lanes access --------------------------------------------------------------
TEST(SharedRaces, OfTwoLanesThatReadAGranuleBothAreRemembered) {
  const std::string both_read = "setp.lt.u32 %p9, %r0, 2;\n@%p9 ld.shared.u32 %r9, [s];\n";
  expect_shared_race(both_read + "@%p4 st.shared.u32 [s], 7;", 0);
  expect_shared_race(both_read + "@%p5 st.shared.u32 [s], 7;", 1);
}

TEST(SharedRaces, OfTwoLanesThatReadAGranuleTheSecondMayConflict) {
  const std::string both_read = "setp.lt.u32 %p9, %r0, 2;\n@%p9 ld.shared.u32 %r9, [s];";
  expect_shared_race("@%p4 st.shared.u32 [s], 7;\n" + both_read, 1);
  expect_shared_race("@%p5 st.shared.u32 [s], 7;\n" + both_read, 0);
}

// Lanes l and l + 16 read element l.
TEST(SharedRaces, HalfWarpsThatReadOneRowAreBothRemembered) {
  const std::string row =
      "and.b32 %r6, %r0, 15;\nshl.b32 %r6, %r6, 2;\nadd.u32 %r6, %r4, %r6;\n"
      "setp.lt.u32 %p9, %r0, 16;\n@%p7 ld.shared.u32 %r9, [%r6];\n";
  expect_shared_race(row + "@%p9 st.shared.u32 [%r6], 7;", 0);
  expect_shared_race(row + "setp.ge.and.u32 %p10, %r0, 16, %p7;\n@%p10 st.shared.u32 [%r6], 7;", 16);
}

TEST(SharedRaces, HalfWarpsOfWhichTheSecondConflicts) {
  expect_shared_race(
      "and.b32 %r6, %r0, 15;\nshl.b32 %r6, %r6, 2;\nadd.u32 %r6, %r4, %r6;\nsetp.lt.u32 %p9, %r0, 16;\n"
      "@%p9 st.shared.u32 [%r6], 7;\n@%p7 ld.shared.u32 %r9, [%r6];",
      16);
}

// ---- stored accesses ---------------------------------------------------------------------------------
// Warps 0, 2 and 3 wait for each other; warp 1 reads meanwhile.
TEST(SharedRaces, AReadByAnotherThanTheFirstReaderIsFoundByTheFirstReadersWrite) {
  expect_shared_race(
      "@%p1 ld.shared.u32 %r9, [s];\n@%p2 ld.shared.u32 %r9, [s];\n"
      "@%p8 bra SKIP;\nbar.sync 1, 96;\nSKIP:\n@%p1 st.shared.u32 [s], 7;",
      0);
}

TEST(SharedRaces, AReaderBeforeTheBarrierIsForgotten) {
  expect_shared_race(
      "@%p1 ld.shared.u32 %r9, [s];\nbar.sync 0;\n@%p2 ld.shared.u32 %r9, [s];\n"
      "@%p3 ld.shared.u32 %r9, [s];\n@%p3 st.shared.u32 [s], 7;",
      64);
}

TEST(SharedRaces, AReaderOfTheBlockBeforeIsForgotten) {
  KernelHarness harness(KernelHarness::kernel(R"(
    .shared .align 16 .b8 s[16];
    mov.u32 %r0, %tid.x;
    mov.u32 %r3, %ctaid.x;
    setp.eq.u32 %p9, %r3, 0;
    setp.eq.and.u32 %p1, %r0, 0, %p9;
    setp.eq.and.u32 %p2, %r0, 32, !%p9;
    setp.eq.and.u32 %p3, %r0, 64, !%p9;
    @%p1 ld.shared.u32 %r9, [s];
    @%p2 ld.shared.u32 %r9, [s];
    @%p3 ld.shared.u32 %r9, [s];
    @%p3 st.shared.u32 [s], 7;)",
                                              0),
                        1);
  harness.check_memory = false;
  const LaunchResult result = harness.run({2, 1, 1}, {96, 1, 1});
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].block.x, 1u);
  EXPECT_EQ(result.hazards[0].thread.x, 64u);
}

constexpr char kWarp0ArrivesWarp1Waits[] = R"(
  @!%p7 bra OTHERS;
  bar.arrive 1, 64;
  bra.uni ON;
OTHERS:
  @!%p8 bra ON;
  bar.sync 1, 64;
ON:
)";

TEST(SharedRaces, AReadAfterTheFirstReadersArrivalIsNotOrdered) {
  expect_shared_race("@%p1 ld.shared.u32 %r9, [s];\n" + std::string(kWarp0ArrivesWarp1Waits) +
                         "@%p1 ld.shared.u32 %r9, [s];\n@%p2 st.shared.u32 [s], 7;",
                     32);
}

// ---- synchronization ---------------------------------------------------------------------------------
TEST(SharedRaces, ABarrierOrdersEverything) {
  expect_no_shared_race(
      "st.shared.u32 [%r5], %r0;\nbar.sync 0;\nxor.b32 %r6, %r5, 504;\nld.shared.u32 %r9, [%r6];\n"
      "bar.sync 0;\nst.shared.u32 [%r6], 1;");
}

TEST(SharedRaces, AWriteAfterTheBarrierRacesWithAReadBehindIt) {
  expect_shared_race("bar.sync 0;\n@%p1 ld.shared.u32 %r9, [s];\n@%p2 st.shared.u32 [s], 7;\nbar.sync 0;",
                     32);
}

TEST(SharedRaces, ANamedBarrierOrdersWhoArrivesBeforeWhoWaits) {
  expect_no_shared_race("@%p1 st.shared.u32 [s], 7;\n" + std::string(kWarp0ArrivesWarp1Waits) +
                        "@%p2 ld.shared.u32 %r9, [s];");
}

TEST(SharedRaces, ANamedBarrierOrdersNobodyElse) {
  expect_shared_race(
      "@%p1 st.shared.u32 [s], 7;\n" + std::string(kWarp0ArrivesWarp1Waits) + "@%p3 ld.shared.u32 %r9, [s];",
      64);
}

TEST(SharedRaces, ANamedBarrierOrdersTheLanesOfAWarpToo) {
  expect_no_shared_race(
      "@%p4 st.shared.u32 [s], 7;\nsetp.gt.u32 %p9, %r1, 1;\n@%p9 bra ON;\nbar.sync 1, 64;\nON:\n"
      "@%p5 ld.shared.u32 %r9, [s];");
}

TEST(SharedRaces, AFenceAndAFlagHandOver) {
  for (const char* store : {"membar.cta;\n@%p1 st.volatile.shared.u32 [s+512], 1;",
                            "membar.cta;\n@%p1 atom.shared.exch.b32 %r9, [s+512], 1;",
                            "@%p1 st.release.cta.shared.u32 [s+512], 1;"})
    for (const char* load :
         {"@%p2 ld.volatile.shared.u32 %r9, [s+512];", "@%p2 ld.acquire.cta.shared.u32 %r9, [s+512];",
          "@%p2 atom.shared.add.u32 %r9, [s+512], 0;"})
      expect_no_shared_race("@%p1 st.shared.u32 [s], 7;\n" + std::string(store) + "\n" + load +
                            "\n@%p2 ld.shared.u32 %r8, [s];");
}

TEST(SharedRaces, AFlagWithoutAFenceHandsNothingOver) {
  expect_shared_race(
      "@%p1 st.shared.u32 [s], 7;\n@%p1 st.volatile.shared.u32 [s+512], 1;\n"
      "@%p2 ld.volatile.shared.u32 %r9, [s+512];\n@%p2 ld.shared.u32 %r8, [s];",
      32);
}

TEST(SharedRaces, AFenceWithoutALoadOfTheFlagTakesNothing) {
  expect_shared_race(
      "@%p1 st.shared.u32 [s], 7;\nmembar.cta;\n@%p1 st.volatile.shared.u32 [s+512], 1;\n"
      "@%p2 ld.shared.u32 %r8, [s];",
      32);
}

TEST(SharedRaces, WhatIsWrittenBehindTheFenceIsNotHandedOver) {
  expect_shared_race(
      "membar.cta;\n@%p1 st.shared.u32 [s], 7;\n@%p1 st.volatile.shared.u32 [s+512], 1;\n"
      "@%p2 ld.volatile.shared.u32 %r9, [s+512];\n@%p2 ld.shared.u32 %r8, [s];",
      32);
}

TEST(SharedRaces, AFenceAndAFlagOrderTheLanesOfAWarpToo) {
  expect_no_shared_race(
      "@%p4 st.shared.u32 [s], 7;\nmembar.cta;\natom.shared.add.u32 %r9, [s+512], 1;\n"
      "atom.shared.add.u32 %r9, [s+512], 1;\n@%p5 ld.shared.u32 %r8, [s];");
}

// ---- messages ----------------------------------------------------------------------------------------
TEST(SharedRaces, TheMessageNamesBothThreadsAndWhatIsMissing) {
  const Hazard warps = hazards_in_block("@%p1 st.shared.u32 [s], 7;\n@%p3 ld.shared.u32 %r9, [s];").at(0);
  EXPECT_THAT(warps.what, IsMessage("race_no_barrier"));
  EXPECT_THAT(warps.what, MentionsMessage("verb_reads"));
  EXPECT_THAT(warps.what, HasArgument("element", cudalab::Element{"s", {0}}));
  EXPECT_THAT(warps.what, HasArgument("other", ThreadIndex{{0, 0, 0}}));
  EXPECT_THAT(warps.what, MentionsMessage("earlier_wrote"));
  EXPECT_THAT(warps.fix, IsMessage("advice_syncthreads"));
  const Hazard lanes = hazards_in_block("@%p5 st.shared.u32 [s+4], 7;\n@%p4 ld.shared.u32 %r9, [s+4];").at(0);
  EXPECT_THAT(lanes.what, IsMessage("race_no_barrier"));
  EXPECT_THAT(lanes.what, HasArgument("element", cudalab::Element{"s", {1}}));
  EXPECT_THAT(lanes.what, HasArgument("other", ThreadIndex{{1, 0, 0}}));
}

TEST(SharedRaces, TheMessageTellsReadsWritesAndUpdatesApart) {
  for (const auto& [earlier, id] : {std::pair("ld.shared.u32 %r9, [s]", "earlier_read"),
                                    {"ld.relaxed.cta.shared.u32 %r9, [s]", "earlier_read"},
                                    {"st.shared.u32 [s], 7", "earlier_wrote"},
                                    {"atom.shared.add.u32 %r9, [s], 1", "earlier_updated"}})
    EXPECT_THAT(
        hazards_in_block("@%p1 " + std::string(earlier) + ";\n@%p2 st.shared.u32 [%r4], 8;").at(0).what,
        testing::AllOf(IsMessage("race_no_barrier"), MentionsMessage(id)));
  EXPECT_THAT(
      hazards_in_block("@%p1 ld.shared.u32 %r9, [%r4];\n@%p2 atom.shared.add.u32 %r9, [s], 1;").at(0).what,
      testing::AllOf(MentionsMessage("verb_updates"), HasArgument("element", cudalab::Element{"s", {0}})));
}

// All lines are unknown here, and therefore equal: of several racing pairs, the most specific is reported.
TEST(SharedRaces, OneThatCrossesWarpsAsksForABarrierOfTheBlock) {
  const std::string lanes = "@%p5 st.shared.u32 [s+4], 7;\n@%p4 ld.shared.u32 %r9, [s+4];\n";
  EXPECT_THAT(hazards_in_block(lanes).at(0).fix, IsMessage("advice_syncthreads_where_all_come"));
  const std::vector<Hazard> both = hazards_in_block(lanes + "@%p2 ld.shared.u32 %r9, [s+4];");
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].occurrences, 2u);
  EXPECT_THAT(both[0].fix, IsMessage("advice_syncthreads"));
}

TEST(SharedRaces, LanesOfOneWarpAreAdvisedSyncwarpOnlyInAKernelWithoutBarriers) {
  const std::string lanes =
      "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p4, %r1, 0;\nsetp.eq.u32 %p5, %r1, 1;\n"
      "@%p5 st.shared.u32 [s+4], 7;\n@%p4 ld.shared.u32 %r9, [s+4];\n";
  const auto first_hazard = [&](std::uint32_t threads) {
    KernelHarness harness(KernelHarness::kernel(".shared .align 16 .b8 s[1024];\n" + lanes, 0));
    return harness.run({1, 1, 1}, {threads, 1, 1}).hazards.at(0);
  };
  const Hazard alone = first_hazard(128);
  EXPECT_THAT(alone.what, IsMessage("race_no_syncwarp"));
  EXPECT_THAT(alone.fix, IsMessage("advice_syncwarp"));
  const Hazard small = first_hazard(32);
  EXPECT_THAT(small.what, IsMessage("race_no_barrier")) << "a larger block would need a barrier";
  EXPECT_THAT(small.fix, IsMessage("advice_syncthreads"));
}

TEST(SharedRaces, TwoWritersOfOneElementAreAdvisedNoBarrier) {
  for (const char* writes :
       {"@%p1 st.shared.u32 [s+8], 7;\n@%p3 st.shared.u32 [s+8], 8;", "st.shared.u32 [s+8], %r0;",
        "@%p1 ld.shared.u32 %r9, [s+8];\n@%p1 st.shared.u32 [s+8], 3;\n"
        "@%p3 ld.shared.u32 %r9, [s+8];\n@%p3 st.shared.u32 [s+8], 4;"}) {
    const Hazard hazard = hazards_in_block(std::string(".loc 1 5 0\n") + writes).at(0);
    EXPECT_THAT(hazard.what, IsMessage("race_both_write"));
    EXPECT_THAT(hazard.what, HasArgument("element", cudalab::Element{"s", {2}}));
    EXPECT_THAT(hazard.what, HasArgument("other", ThreadIndex{{0, 0, 0}}));
    EXPECT_THAT(hazard.fix, IsMessage("advice_one_writer"));
  }
}

TEST(SharedRaces, EqualHazardsAreCounted) {
  const Hazard hazard = hazards_in_block(
                            "@%p7 st.shared.u32 [%r5], 7;\nxor.b32 %r6, %r5, 256;\n"
                            "@%p8 ld.shared.u32 %r9, [%r6];")
                            .at(0);
  EXPECT_EQ(hazard.occurrences, 32u);
}

}  // namespace
}  // namespace cudalab::vgpu
