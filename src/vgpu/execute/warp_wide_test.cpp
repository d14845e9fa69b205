#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

using testing::AllOf;

// The value of %r1 in each of 32 lanes after `body`; %r0 is the lane's number.
std::vector<std::uint32_t> lanes_after(const std::string& body, LaunchResult* outcome = nullptr,
                                       unsigned threads = 32) {
  KernelHarness harness(
      KernelHarness::kernel("mov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\nmov.u32 %r9, 7;\n" + body +
                                "\nDONE:\nld.param.u64 %rd0, [p0];\nmul.wide.u32 %rd1, %r0, 4;\n"
                                "add.u64 %rd0, %rd0, %rd1;\nst.global.u32 [%rd0], %r1;",
                            1));
  const auto out = harness.buffer(std::vector<std::uint32_t>(32, 12345));
  LaunchResult result = harness.run({1, 1, 1}, {threads, 1, 1}, out);
  if (outcome)
    *outcome = result;
  else
    EXPECT_TRUE(result.completed && result.hazards.empty())
        << (result.hazards.empty() ? Message() : result.hazards.front().what);
  return harness.read<std::uint32_t>(out, 32);
}

std::string inside() { return "selp.u32 %r2, 1000, 0, %p1;\nadd.u32 %r1, %r1, %r2;"; }

TEST(Shuffle, DownReadsAHigherLaneAndSaysWhetherItIsInTheSegment) {
  EXPECT_EQ(lanes_after("shfl.sync.down.b32 %r1|%p1, %r0, 3, 31, -1;\n" + inside()),
            each_lane([](auto l) { return l + 3 < 32 ? l + 3 + 1000 : l; }));
}
TEST(Shuffle, UpStaysInItsSegment) {
  // Width 8: segment mask 0x18 in bits 8 to 12, clamp 0.
  EXPECT_EQ(lanes_after("shfl.sync.up.b32 %r1|%p1, %r0, 2, 0x1800, -1;\n" + inside()),
            each_lane([](auto l) { return l % 8 >= 2 ? l - 2 + 1000 : l; }));
}
TEST(Shuffle, ButterflyAndIndexInSegments) {
  EXPECT_EQ(lanes_after("shfl.sync.bfly.b32 %r1|%p1, %r0, 5, 0x1f, -1;\n" + inside()),
            each_lane([](auto l) { return (l ^ 5) + 1000; }));
  EXPECT_EQ(lanes_after("shfl.sync.idx.b32 %r1|%p1, %r0, 3, 0x181f, -1;\n" + inside()),
            each_lane([](auto l) { return l / 8 * 8 + 3 + 1000; }));
}
TEST(Shuffle, TheResultMayBeTheSource) {
  EXPECT_EQ(lanes_after("mov.u32 %r1, %r0;\nshfl.sync.idx.b32 %r1, %r1, 9, 31, -1;"),
            each_lane([](auto) { return 9; }));
}
TEST(Shuffle, ReadingALaneThatDoesNotTakePartGivesOnesOwnValue) {
  LaunchResult result;
  EXPECT_EQ(lanes_after("setp.ge.u32 %p2, %r0, 8;\n@%p2 bra DONE;\nshfl.sync.down.b32 %r1, %r0, 4, 31, 0xff;",
                        &result),
            each_lane([](auto l) { return l >= 8  ? 0
                                          : l < 4 ? l + 4
                                                  : l; }));
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kBarrierDivergence);
  EXPECT_THAT(result.hazards[0].what, AllOf(IsMessage("shuffle_lane_not_named"), HasArgument("lane", 8)));
}

TEST(Shuffle, AWrongMaskIsOneMistakeWhereALaneReadsItself) {
  LaunchResult result;
  lanes_after(
      "setp.ge.u32 %p2, %r0, 16;\n@%p2 bra DONE;\n"
      "shfl.sync.idx.b32 %r1, %r0, %r0, 31, 0xff;\nadd.u32 %r1, %r1, 1;",
      &result);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_THAT(result.hazards[0].what, AllOf(IsMessage("lane_not_in_mask"), HasArgument("mask", 0xff)));
  EXPECT_EQ(result.hazards[0].occurrences, 1u);
}

// In a tree reduction, the upper half of the sums is undefined but unused.
TEST(Shuffle, WhatNobodyUsesMayBeUndefined) {
  LaunchResult result;
  lanes_after(R"(
    setp.ge.u32 %p2, %r0, 8;
    @%p2 bra DONE;
    shfl.sync.down.b32 %r3, %r0, 4, 31, 0xff;
    add.u32 %r4, %r0, %r3;
    shfl.sync.down.b32 %r3, %r4, 2, 31, 0xff;
    add.u32 %r4, %r4, %r3;
    shfl.sync.down.b32 %r3, %r4, 1, 31, 0xff;
    add.u32 %r4, %r4, %r3;
    setp.eq.u32 %p1, %r0, 0;
    selp.u32 %r1, %r4, 5, %p1;)",
              &result);
  EXPECT_TRUE(result.hazards.empty());
}

TEST(Shuffle, WhatIsUndefinedIsFollowedThroughSharedMemory) {
  const auto with = [](const std::string& lane) {
    LaunchResult result;
    lanes_after(
        ".shared .align 4 .b8 s[128];\nmov.u32 %r5, s;\nshl.b32 %r6, %r0, 2;\nadd.u32 %r5, %r5, %r6;\n"
        "setp.ge.u32 %p2, %r0, 8;\n@%p2 bra DONE;\nshfl.sync.down.b32 %r3, %r0, 4, 31, 0xff;\n"
        "st.shared.u32 [%r5], %r3;\nbar.warp.sync 0xff;\nld.shared.u32 %r1, [s+" +
            lane + "];\nadd.u32 %r1, %r1, 1;",
        &result);
    return result.hazards.size();
  };
  EXPECT_EQ(with("12"), 0u);
  EXPECT_EQ(with("16"), 1u);
}

// The lanes branch around the vote and then end. The report names the branch, because lanes that exit early
// cannot be distinguished from it otherwise.
TEST(Vote, OfLanesThatGoAroundItIsReportedWithTheBranch) {
  const auto with = [](const std::string& vote) {
    LaunchResult result;
    lanes_after("setp.ge.u32 %p2, %r0, 8;\n@%p2 bra DONE;\n" + vote, &result);
    return result.hazards;
  };
  ASSERT_EQ(with("vote.sync.ballot.b32 %r1, 1, -1;").size(), 1u);
  EXPECT_THAT(with("vote.sync.ballot.b32 %r1, 1, -1;")[0].what,
              AllOf(IsMessage("lanes_gone_around"), HasArgument("lane", 8),
                    HasArgument("other", ThreadIndex{{8, 0, 0}})));
  EXPECT_TRUE(with("vote.sync.ballot.b32 %r1, 1, 0xff;").empty());
  EXPECT_TRUE(with("shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;").empty());
}

// Lanes 8 to 31 exit while lanes 0 to 3 wait for lanes 4 to 7, which run so long that they yield.
TEST(Vote, LanesThatItDoesNotNameMayEndWhileItWaits) {
  LaunchResult result;
  const auto votes = lanes_after(R"(
    setp.ge.u32 %p2, %r0, 8;
    @%p2 bra DONE;
    setp.lt.u32 %p3, %r0, 4;
    @%p3 bra VOTE;
    mov.u32 %r3, 0;
  LATE:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p4, %r3, 1000000;
    @%p4 bra LATE;
  VOTE:
    vote.sync.ballot.b32 %r1, 1, 0xff;)",
                                 &result);
  EXPECT_TRUE(result.hazards.empty());
  EXPECT_EQ(votes[0], 0xffu);
}

TEST(WarpWide, LanesThatAreApartComeTogether) {
  // Both halves reach the shuffle on paths of different length; without waiting, each would see only itself.
  EXPECT_EQ(lanes_after(R"(
    setp.lt.u32 %p2, %r0, 16;
    @%p2 bra MEET;
    mul.lo.u32 %r3, %r0, %r0;
    bra MEET;
  MEET:
    shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1;)"),
            each_lane([](auto l) { return l ^ 16; }));
}
TEST(WarpWide, GroupsWithMasksOfTheirOwnDoNotWaitForEachOther) {
  EXPECT_EQ(lanes_after(R"(
    and.b32 %r3, %r0, 24;
    shl.b32 %r4, 255, %r3;
    shfl.sync.idx.b32 %r1, %r0, 7, 0x181f, %r4;)"),
            each_lane([](auto l) { return l / 8 * 8 + 7; }));
}
TEST(WarpWide, AGuardedShuffleWaitsOnlyForTheLanesThatExecuteIt) {
  EXPECT_EQ(lanes_after("setp.lt.u32 %p2, %r0, 8;\n@%p2 shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xff;"),
            each_lane([](auto l) { return l < 8 ? l ^ 1 : 0; }));
}
TEST(WarpWide, LanesThatHaveExitedAreNotWaitedFor) {
  EXPECT_EQ(lanes_after("setp.eq.u32 %p2, %r0, 5;\n@%p2 exit;\nvote.sync.ballot.b32 %r1, 1, -1;")[0],
            kAllLanes & ~(1u << 5));
}
TEST(WarpWide, WarpBarriersAtDifferentPlacesMeet) {
  LaunchResult result;
  const auto lanes = lanes_after(R"(
    setp.lt.u32 %p2, %r0, 16;
    @%p2 bra LOW;
    bar.warp.sync -1;
    mov.u32 %r1, 2;
    bra DONE;
  LOW:
    bar.warp.sync -1;
    mov.u32 %r1, 1;)",
                                 &result);
  EXPECT_TRUE(result.completed);
  EXPECT_EQ(lanes, each_lane([](auto l) { return l < 16 ? 1 : 2; }));
}
TEST(WarpWide, AMaskThatNamesALaneThatNeverComesIsADeadlock) {
  LaunchResult result;
  lanes_after(R"(
    setp.lt.u32 %p2, %r0, 16;
    @%p2 bra LOW;
    bar.sync 0;
    bra DONE;
  LOW:
    vote.sync.ballot.b32 %r1, 1, -1;)",
              &result);
  ASSERT_FALSE(result.completed);
  EXPECT_EQ(result.hazards.back().kind, HazardKind::kDeadlock);
}
TEST(WarpWide, AMaskThatLeavesTheCallerOutIsAHazard) {
  LaunchResult result;
  lanes_after("vote.sync.ballot.b32 %r1, 1, 0xffff;", &result);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_THAT(result.hazards[0].what, IsMessage("lane_not_in_mask"));
}

TEST(Vote, AsksAllLanesOfTheMask) {
  const std::string odd = "and.b32 %r3, %r0, 1;\nsetp.eq.u32 %p2, %r3, 1;\n";
  const auto answer = [&](const std::string& question) {
    return lanes_after(odd + question + "\nselp.u32 %r1, 1, 0, %p1;");
  };
  EXPECT_EQ(answer("vote.sync.all.pred %p1, %p2, -1;"), each_lane([](auto) { return 0; }));
  EXPECT_EQ(answer("vote.sync.any.pred %p1, %p2, -1;"), each_lane([](auto) { return 1; }));
  EXPECT_EQ(answer("vote.sync.any.pred %p1, !%p2, -1;"), each_lane([](auto) { return 1; }));
  EXPECT_EQ(answer("vote.sync.uni.pred %p1, %p2, -1;"), each_lane([](auto) { return 0; }));
  EXPECT_EQ(lanes_after(odd + "vote.ballot.sync.b32 %r1, %p2, -1;"),  // the order of suffixes that CUB uses
            lanes_after(odd + "vote.sync.ballot.b32 %r1, %p2, -1;"));
  EXPECT_EQ(lanes_after(odd + "vote.sync.ballot.b32 %r1, %p2, -1;"),
            each_lane([](auto) { return 0xaaaaaaaau; }));
}
TEST(Vote, ActiveMaskNamesTheLanesOnThePath) {
  EXPECT_EQ(lanes_after("setp.lt.u32 %p2, %r0, 3;\n@!%p2 bra DONE;\nactivemask.b32 %r1;"),
            each_lane([](auto l) { return l < 3 ? 7u : 0u; }));
}
TEST(Vote, ElectChoosesOneLane) {
  EXPECT_EQ(lanes_after("elect.sync %r1|%p1, 0xffffffff;\nselp.u32 %r1, 1, 0, %p1;"),
            each_lane([](auto l) { return l == 0 ? 1u : 0u; }));
}

TEST(Match, FindsTheLanesWithTheSameValue) {
  EXPECT_EQ(lanes_after("and.b32 %r3, %r0, 3;\nmatch.any.sync.b32 %r1, %r3, -1;"),
            each_lane([](auto l) { return 0x11111111u << l % 4; }));
  EXPECT_EQ(lanes_after("cvt.u64.u32 %rd3, %r9;\nmatch.all.sync.b64 %r1|%p1, %rd3, -1;"),
            each_lane([](auto) { return kAllLanes; }));
  EXPECT_EQ(lanes_after("match.all.sync.b32 %r1|%p1, %r0, -1;\nselp.u32 %r1, 1, 0, %p1;"),
            each_lane([](auto) { return 0; }));
}

// The final barrier keeps the other lanes alive: their exit would release waiting lanes.
TEST(WarpWide, LanesThatHaveExitedAreNotWaitedForByAPartOfTheWarp) {
  EXPECT_EQ(lanes_after("setp.lt.u32 %p2, %r0, 8;\n@%p2 exit;\nsetp.lt.u32 %p2, %r0, 16;\n@%p2 bra FEW;\n"
                        "vote.sync.ballot.b32 %r1, 1, 0xffff0000;\nbra.uni ON;\nFEW:\n"
                        "vote.sync.ballot.b32 %r1, 1, 0xffff;\nON:\nbarrier.sync 0;"),
            each_lane([](auto l) { return l < 8    ? 12345
                                          : l < 16 ? 0xff00
                                                   : 0xffff0000; }));
}

// Lanes 16 to 23 come first and wait for lanes 24 to 31, which come last; lanes 0 to 15 pass meanwhile.
TEST(WarpWide, LanesWhosePartnersAreMissingWaitOnWhileOthersPass) {
  EXPECT_EQ(lanes_after(R"(
    setp.lt.u32 %p1, %r0, 16;
    setp.lt.u32 %p2, %r0, 24;
    selp.u32 %r3, 0, 2, %p2;
    selp.u32 %r3, 1, %r3, %p1;
    selp.b32 %r4, 0xffff, 0xffff0000, %p1;
    mov.u32 %r5, 0;
  AGAIN:
    setp.ne.u32 %p3, %r5, %r3;
    @%p3 bra SKIP;
    shfl.sync.bfly.b32 %r1, %r0, 1, 31, %r4;
  SKIP:
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, 3;
    @%p3 bra AGAIN;)"),
            each_lane([](auto l) { return l ^ 1; }));
}

TEST(Redux, ReducesOverTheMask) {
  EXPECT_EQ(lanes_after("redux.sync.add.s32 %r1, %r0, -1;"), each_lane([](auto) { return 496; }));
  EXPECT_EQ(lanes_after("sub.s32 %r3, %r0, 5;\nredux.sync.min.s32 %r1, %r3, -1;"),
            each_lane([](auto) { return static_cast<std::uint32_t>(-5); }));
  EXPECT_EQ(lanes_after("sub.s32 %r3, %r0, 5;\nredux.sync.max.u32 %r1, %r3, -1;"),
            each_lane([](auto) { return kAllLanes; }));
  EXPECT_EQ(lanes_after("redux.sync.or.b32 %r1, %r0, -1;"), each_lane([](auto) { return 31; }));
}

}  // namespace
}  // namespace cudalab::vgpu
