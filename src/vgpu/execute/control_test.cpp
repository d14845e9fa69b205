// Tests block barriers: which threads wait for each other, reductions, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "messages/vgpu.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {

namespace {

using testing::AllOf;
using testing::Each;

// %r0: thread, %r1: warp; out[thread] = %r9 after `body`.
std::string storing_r9(const std::string& body) {
  return KernelHarness::kernel(
      "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\n" + body +
          "\nld.param.u64 %rd0, [p0];\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd0, %rd0, %rd1;\n"
          "st.global.u32 [%rd0], %r9;",
      1);
}

struct BarrierOutcome {
  LaunchResult result;
  std::vector<std::uint32_t> out;
};

BarrierOutcome run_barriers(const std::string& body, unsigned threads) {
  KernelHarness harness(storing_r9(body));
  const auto out = harness.buffer(std::vector<std::uint32_t>(threads));
  BarrierOutcome outcome;
  outcome.result = harness.run({1, 1, 1}, {threads, 1, 1}, out);
  outcome.out = harness.read<std::uint32_t>(out, threads);
  return outcome;
}

// Warp 2 waits for warp 3, which first synchronizes with warps 0 and 1 at another barrier.
TEST(Barriers, AreApart) {
  const BarrierOutcome outcome = run_barriers(R"(
    .shared .align 4 .u32 s;
    mov.u32 %r9, 0;
    setp.eq.u32 %p1, %r1, 2;
    setp.eq.u32 %p2, %r1, 3;
    @%p1 bra SECOND;
    bar.sync 1, 96;
    @!%p2 bra DONE;
    st.shared.u32 [s], 7;
  SECOND:
    bar.sync 2, 64;
    ld.shared.u32 %r9, [s];
  DONE:)",
                                              128);
  EXPECT_TRUE(outcome.result.hazards.empty());
  for (unsigned thread = 0; thread < 128; ++thread) EXPECT_EQ(outcome.out[thread], thread < 64 ? 0u : 7u);
}

TEST(Barriers, ABlockHasSixteen) {
  EXPECT_TRUE(run_barriers("mov.u32 %r2, 15;\nbar.sync %r2;", 64).result.hazards.empty());
  const LaunchResult refused = run_barriers("mov.u32 %r2, 16;\nbar.sync %r2;", 64).result;
  ASSERT_EQ(refused.hazards.size(), 1u);
  EXPECT_EQ(refused.hazards[0].kind, HazardKind::kTrap);
  EXPECT_THAT(refused.hazards[0].what, AllOf(IsMessage("barrier_number_too_large"),
                                             HasArgument("barrier", 16), HasArgument("last", 15)));
}

TEST(Barriers, AnAlignedOneInABranchIsReported) {
  const std::string parts =
      "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra FEW;\nBARRIER\nbra.uni ON;\nFEW:\nBARRIER\nON:\n";
  const auto with = [&](const std::string& barrier) {
    std::string body = parts;
    for (std::size_t at; (at = body.find("BARRIER")) != std::string::npos;) body.replace(at, 7, barrier);
    return run_barriers(body, 32).result;
  };
  const LaunchResult aligned = with("bar.sync 0;");
  ASSERT_FALSE(aligned.hazards.empty());
  EXPECT_EQ(aligned.hazards[0].kind, HazardKind::kBarrierDivergence);
  EXPECT_THAT(aligned.hazards[0].what, IsMessage("barrier_split_warp"));
  EXPECT_TRUE(with("barrier.sync 0;").hazards.empty());
}

TEST(Barriers, ThreadsThatHaveEndedAreNotWaitedFor) {
  EXPECT_TRUE(run_barriers("setp.lt.u32 %p1, %r0, 40;\n@%p1 exit;\nbarrier.sync 0;", 64).result.completed);
}

// Of four warps, warps 0 and 1 reach a barrier and the others end. LINE n sets source line n.
std::vector<Hazard> with_lines(std::string body, unsigned threads) {
  for (std::size_t at; (at = body.find("LINE ")) != std::string::npos;) body.replace(at, 5, ".loc 1 ");
  KernelHarness harness(storing_r9("mov.u32 %r9, 0;\n" + body) + ".file 1 \"k.cu\"\n");
  return harness.run({1, 1, 1}, {threads, 1, 1}, harness.buffer(std::vector<std::uint32_t>(threads))).hazards;
}

TEST(Barriers, WhoGoesAroundOneAndEndsIsReportedWithTheBranch) {
  const std::string body =
      "LINE 5 0\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra AROUND;\nLINE 6 0\nbar.sync 0;\nLINE 7 0\nAROUND:\n";
  const std::vector<Hazard> hazards = with_lines(body, 128);
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::kBarrierDivergence);
  EXPECT_EQ(hazards[0].where.line, 6);
  EXPECT_EQ(hazards[0].other->line, 5);
  EXPECT_THAT(
      hazards[0].what,
      AllOf(IsMessage("barrier_gone_around"), HasArgument("absent", 64), HasArgument("threads", 128),
            HasArgument("first", ThreadIndex{{64, 0, 0}}), HasArgument("line", msg::source_line_number(5))));
  EXPECT_THAT(hazards[0].fix, IsMessage("advice_barrier_all_reach"));
  EXPECT_TRUE(with_lines(body, 64).empty());
}

// In block 0 a warp takes a branch around the barrier. In block 1 a warp exits early, without a recorded
// branch.
TEST(Barriers, WhoWentAroundOneInAnotherBlockIsNotBlamed) {
  KernelHarness harness(KernelHarness::kernel(R"(
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    shr.u32 %r2, %r0, 5;
    add.u32 %r3, %r1, %r2;
    setp.eq.u32 %p1, %r3, 2;
    @%p1 exit;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra AROUND;
    bar.sync 0;
AROUND:
)",
                                              0),
                        1);
  const std::vector<Hazard> hazards = harness.run({2, 1, 1}, {64, 1, 1}).hazards;
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_THAT(hazards[0].what,
              AllOf(IsMessage("barrier_gone_around"), HasArgument("absent", 32), HasArgument("threads", 64),
                    HasArgument("first", ThreadIndex{{32, 0, 0}})));
  EXPECT_EQ(hazards[0].occurrences, 1u);
}

TEST(Barriers, OneForSomeWarpsMayBeGoneAround) {
  EXPECT_TRUE(
      with_lines("setp.lt.u32 %p1, %r1, 2;\n@%p1 bra AROUND;\nbar.sync 1, 64;\nAROUND:\n", 128).empty());
}

// The warps that skip both barriers have ended when the other two reach the first one, which is for two warps
// only.
TEST(Barriers, OnlyTheOneForAllIsMissedByWarpsThatGoAroundBoth) {
  const std::vector<Hazard> hazards = with_lines(
      "LINE 5 0\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra AROUND;\nLINE 6 0\nbar.sync 1, 64;\n"
      "LINE 7 0\nbar.sync 0;\nAROUND:\n",
      128);
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].where.line, 7);
}

// Both ways of the branch lead to the barrier, so the branch is not the reason that threads are missing; a
// guarded exit is.
TEST(Barriers, ABranchThatAllComeBackFromLeadsNobodyAway) {
  EXPECT_TRUE(with_lines("setp.gt.u32 %p1, %r1, 5;\n@%p1 bra ON;\nadd.u32 %r9, %r9, 1;\nON:\n"
                         "setp.eq.u32 %p2, %r1, 1;\n@%p2 exit;\nbar.sync 0;\n",
                         128)
                  .empty());
}

// Lanes 16 to 31 of warp 0 exit while its other lanes wait for warp 1, which writes before it arrives.
TEST(Barriers, LanesThatEndDoNotWakeThoseThatWaitForTheBlock) {
  const BarrierOutcome outcome = run_barriers(R"(
    .shared .align 4 .u32 s;
    setp.ge.u32 %p1, %r0, 16;
    setp.lt.u32 %p2, %r0, 32;
    and.pred %p1, %p1, %p2;
    @%p1 bra OUT;
    setp.eq.u32 %p3, %r0, 32;
    @%p3 st.shared.u32 [s], 7;
    barrier.sync 0;
    ld.shared.u32 %r9, [s];
    bra.uni ON;
  OUT:
    exit;
  ON:)",
                                              64);
  EXPECT_EQ(outcome.out[0], 7u);
}

TEST(Barriers, ALoopThatSomeThreadsLeaveEarlyIsABranchAroundItsBarrier) {
  const std::string body =
      "mov.u32 %r3, 0;\nAGAIN:\nLINE 6 0\nbar.sync 0;\nLINE 7 0\nadd.u32 %r3, %r3, 1;\n"
      "setp.le.u32 %p1, %r3, BOUND;\n@%p1 bra AGAIN;\n";
  const auto bounded = [&](const std::string& bound) {
    std::string text = body;
    return with_lines(text.replace(text.find("BOUND"), 5, bound), 128);
  };
  ASSERT_EQ(bounded("%r1").size(), 1u);
  EXPECT_EQ(bounded("%r1")[0].other->line, 7);
  EXPECT_TRUE(bounded("3").empty());
}

TEST(Barriers, OneInABranchBeforeOneForAllIsReportedWithBoth) {
  for (const char* others : {"gt", "eq"}) {
    const std::vector<Hazard> hazards =
        with_lines(std::string("LINE 5 0\nsetp.") + others +
                       ".u32 %p1, %r1, 0;\n@%p1 bra ON;\nLINE 6 0\nbar.sync 0;\nON:\nLINE 8 0\nbar.sync 0;\n",
                   64);
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].where.line, 6);
    EXPECT_EQ(hazards[0].other->line, 8);
  }
}

TEST(Barriers, EachWarpMayTakeItsOwnOfTwoBranches) {
  EXPECT_TRUE(with_lines("setp.gt.u32 %p1, %r1, 0;\n@%p1 bra OTHER;\nbar.sync 0;\nbra.uni ON;\nOTHER:\n"
                         "bar.sync 0;\nON:\nbar.sync 0;\n",
                         64)
                  .empty());
}

TEST(Barriers, ANumberOfThreadsCountsWholeWarps) {
  EXPECT_TRUE(run_barriers("bar.sync 1, 64;", 48).result.completed);
}

// All eight warps reach a barrier for one warp, so each warp continues at once.
TEST(Barriers, OfAWarpOrdersNobodyElse) {
  const std::string body = R"(
    .shared .align 4 .b8 s[1024];
    mov.u32 %r4, s;
    shl.b32 %r5, %r0, 2;
    add.u32 %r6, %r4, %r5;
    st.shared.u32 [%r6], %r0;
    BARRIER
    xor.b32 %r7, %r5, OTHER;
    add.u32 %r7, %r4, %r7;
    ld.shared.u32 %r9, [%r7];)";
  for (const char* distance : {"128", "512"}) {  // to the neighboring warp, and to one further away
    const auto with = [&](const std::string& barrier) {
      std::string text = body;
      text.replace(text.find("OTHER"), 5, distance);
      return run_barriers(text.replace(text.find("BARRIER"), 7, barrier), 256).result.hazards;
    };
    ASSERT_FALSE(with("bar.sync 0, 32;").empty());
    EXPECT_EQ(with("bar.sync 0, 32;").back().kind, HazardKind::kSharedRace);
    EXPECT_TRUE(with("bar.sync 0, 256;").empty());
    EXPECT_TRUE(with("bar.sync 0;").empty());
  }
}

// Warp 0 executes bar.arrive, writes once more and ends; that write races with warp 1's read after the
// barrier.
TEST(Barriers, WhatAThreadDoesBetweenArrivingAndItsEndIsOrderedByNothing) {
  const std::string body = R"(
    .shared .align 4 .b8 s[8];
    setp.eq.u32 %p1, %r0, 0;
    setp.eq.u32 %p2, %r1, 0;
    setp.eq.u32 %p3, %r0, 32;
    @%p1 st.shared.u32 [s], 1;
    @!%p2 bra READER;
    bar.arrive 1, 64;
    AFTER
    exit;
    READER:
    bar.sync 1, 64;
    @%p3 ld.shared.u32 %r9, [s];)";
  const auto with = [&](const std::string& after) {
    std::string text = body;
    return run_barriers(text.replace(text.find("AFTER"), 5, after), 64).result.hazards;
  };
  EXPECT_TRUE(with("").empty());
  ASSERT_EQ(with("@%p1 st.shared.u32 [s], 2;").size(), 1u);
  EXPECT_EQ(with("@%p1 st.shared.u32 [s], 2;")[0].kind, HazardKind::kSharedRace);
}

TEST(Barriers, OneThatNotAllReachIsADeadlock) {
  const LaunchResult result = run_barriers("setp.eq.u32 %p1, %r1, 0;\n@%p1 bar.sync 1, 96;", 64).result;
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kDeadlock);
}

// ---- reductions: over all warps, restarted each time -------------------------------------------------
std::vector<std::uint32_t> reduced(const std::string& condition, const std::string& operation) {
  const BarrierOutcome outcome =
      run_barriers(condition + "\nbar.red." + operation + ".pred %p2, 0, %p1;\nselp.u32 %r9, 1, 0, %p2;", 96);
  EXPECT_TRUE(outcome.result.completed);
  return outcome.out;
}

TEST(Barriers, AndIsOverAllWarps) {
  for (const char* thread : {"0", "33", "95"})
    EXPECT_THAT(reduced("setp.ne.u32 %p1, %r0, " + std::string(thread) + ";", "and"), Each(0u)) << thread;
  EXPECT_THAT(reduced("setp.lt.u32 %p1, %r0, 96;", "and"), Each(1u));
}

TEST(Barriers, OrIsOverAllWarps) {
  for (const char* thread : {"0", "33", "95"})
    EXPECT_THAT(reduced("setp.eq.u32 %p1, %r0, " + std::string(thread) + ";", "or"), Each(1u)) << thread;
  EXPECT_THAT(reduced("setp.gt.u32 %p1, %r0, 96;", "or"), Each(0u));
}

TEST(Barriers, CountsAreOverAllWarpsAndBeginAtZero) {
  const BarrierOutcome outcome = run_barriers(R"(
    setp.lt.u32 %p1, %r0, 70;
    bar.red.popc.u32 %r2, 0, %p1;
    bar.red.popc.u32 %r3, 0, !%p1;
    mul.lo.u32 %r3, %r3, 1000;
    add.u32 %r9, %r2, %r3;)",
                                              96);
  EXPECT_THAT(outcome.out, Each(26070u));
}

// cooperative_groups.h traps where the grid's workspace has no address.
TEST(Traps, OfAGridBarrierNameTheKindOfLaunch) {
  KernelHarness harness(KernelHarness::kernel(R"(
    mov.u32 %r0, %envreg1;
    mov.u32 %r1, %envreg2;
    or.b32 %r0, %r0, %r1;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 trap;
)",
                                              0));
  EXPECT_TRUE(harness.run({2, 1, 1}, {32, 1, 1}).hazards.empty());
  harness.is_cooperative = false;
  const std::vector<Hazard> hazards = harness.run({2, 1, 1}, {32, 1, 1}).hazards;
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_THAT(hazards[0].what, IsMessage("trap_of_grid_sync"));
  EXPECT_EQ(hazards[0].cuda_error, "CUDA_ERROR_LAUNCH_FAILED");
}

}  // namespace
}  // namespace cudalab::vgpu
