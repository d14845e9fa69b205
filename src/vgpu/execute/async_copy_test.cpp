// cp.async: what it copies, when it arrives, what it counts, and what the checks make of a missing wait.
#include <gtest/gtest.h>

#include <numeric>

#include "core/error.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

constexpr char kBefore[] = ".shared .align 16 .b8 tile[1024];\n";

// %r1 = tid; %rd3 = &in[tid], %rd4 = &out[tid]; %r3 = &tile[tid].
std::string copying_kernel(const std::string& body) {
  return KernelHarness::kernel(std::string(kBefore) + R"(
    ld.param.u64 %rd1, [p0];
    ld.param.u64 %rd2, [p1];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd3, %rd1, %rd5;
    add.s64 %rd4, %rd2, %rd5;
    mov.u32 %r2, tile;
    shl.b32 %r4, %r1, 2;
    add.s32 %r3, %r2, %r4;
)" + body);
}

struct CopyOutcome {
  std::vector<std::uint32_t> out;
  LaunchResult result;
};

CopyOutcome run_copies(const std::string& body, std::uint32_t threads = 32) {
  KernelHarness harness(copying_kernel(body));
  std::vector<std::uint32_t> numbers(threads);
  std::iota(numbers.begin(), numbers.end(), 1);
  const std::uint64_t in = harness.buffer(numbers, "in"),
                      out = harness.buffer(std::vector<std::uint32_t>(threads), "out");
  CopyOutcome outcome;
  outcome.result = harness.run({1, 1, 1}, {threads, 1, 1}, in, out);
  outcome.out = harness.read<std::uint32_t>(out, threads);
  return outcome;
}

TEST(AsyncCopy, ArrivesWhenItsThreadWaits) {
  const CopyOutcome outcome = run_copies(R"(
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    cp.async.commit_group;
    cp.async.wait_group 0;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd4], %r5;)");
  EXPECT_TRUE(outcome.result.hazards.empty()) << outcome.result.hazards[0].what;
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(outcome.out[lane], lane + 1);
  EXPECT_EQ(outcome.result.counters->get(Counter::kAsyncCopyRequests), 1);
  EXPECT_EQ(outcome.result.counters->get(Counter::kAsyncCopySectors), 4);
  EXPECT_EQ(outcome.result.counters->get(Counter::kGlobalLoadRequests), 0);
}

TEST(AsyncCopy, AForgottenWaitReadsWhatWasThereAndIsARace) {
  const CopyOutcome outcome = run_copies(R"(
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    cp.async.commit_group;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd4], %r5;)");
  ASSERT_FALSE(outcome.result.hazards.empty());
  EXPECT_EQ(outcome.result.hazards[0].kind, HazardKind::kSharedRace);
  EXPECT_NE(outcome.result.hazards[0].what.find("the thread's cp.async is still on its way"),
            std::string::npos);
  EXPECT_NE(outcome.out[0], 1u);
}

// The first of two groups has arrived, the second has not.
TEST(AsyncCopy, WaitGroupLeavesTheLatestGroupsOnTheirWay) {
  const CopyOutcome outcome = run_copies(R"(
    st.shared.u32 [%r3], 100;
    st.shared.u32 [%r3+128], 100;
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r3+128], [%rd3], 4;
    cp.async.commit_group;
    cp.async.wait_group 1;
    ld.shared.u32 %r5, [%r3];
    ld.shared.u32 %r6, [%r3+128];
    cp.async.wait_all;
    ld.shared.u32 %r7, [%r3+128];
    mad.lo.u32 %r5, %r6, 10, %r5;
    mad.lo.u32 %r5, %r7, 10000, %r5;
    st.global.u32 [%rd4], %r5;)");
  EXPECT_EQ(outcome.result.hazards.size(), 1u);  // of the second, which is read too early
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(outcome.out[lane], 1000 + (lane + 1) * 10001);
}

TEST(AsyncCopy, WhatOtherLanesHaveCopiedIsNoBusinessOfALane) {
  const CopyOutcome outcome = run_copies(R"(
    st.shared.u32 [%r3+128], 100;
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    ld.shared.u32 %r5, [%r3+128];
    st.shared.u32 [%r3+256], 100;
    cp.async.wait_all;
    ld.shared.u32 %r6, [%r3];)");
  EXPECT_TRUE(outcome.result.hazards.empty());
}

TEST(AsyncCopy, BytesBeyondTheGivenNumberAreZero) {
  const CopyOutcome outcome = run_copies(R"(
    shl.b32 %r6, %r1, 2;
    add.s32 %r7, %r3, %r6;
    add.s32 %r7, %r7, %r6;
    add.s32 %r7, %r7, %r6;
    and.b32 %r8, %r1, 3;
    setp.ne.u32 %p1, %r8, 0;
    @%p1 bra $done;
    setp.eq.u32 %p2, %r1, 28;
    selp.u32 %r9, 6, 16, %p2;
    cp.async.cg.shared.global [%r3], [%rd3], 16, %r9;
    cp.async.wait_all;
$done:
    bar.sync 0;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd4], %r5;)");
  EXPECT_TRUE(outcome.result.hazards.empty()) << outcome.result.hazards[0].what;
  EXPECT_EQ(outcome.out[27], 28u);
  EXPECT_EQ(outcome.out[28], 29u);
  EXPECT_EQ(outcome.out[29], 30u);  // its two lower bytes were read
  EXPECT_EQ(outcome.out[30], 0u);
}

TEST(AsyncCopy, NothingIsReadWhereThePredicateHolds) {
  const CopyOutcome outcome = run_copies(R"(
    setp.gt.u32 %p1, %r1, 15;
    cp.async.ca.shared.global [%r3], [%rd3], 4, %p1;
    cp.async.wait_all;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd4], %r5;)");
  EXPECT_EQ(outcome.out[15], 16u);
  EXPECT_EQ(outcome.out[16], 0u);
  EXPECT_EQ(outcome.result.counters->get(Counter::kAsyncCopySectors), 2);
}

TEST(AsyncCopy, OutsideABufferIsAFault) {
  const CopyOutcome outcome = run_copies("cp.async.ca.shared.global [%r3], [%rd3+4], 4;\ncp.async.wait_all;");
  ASSERT_EQ(outcome.result.hazards.size(), 1u);
  EXPECT_EQ(outcome.result.hazards[0].kind, HazardKind::kOutOfBounds);
  EXPECT_EQ(outcome.result.hazards[0].buffer, "in");
}

// A neighbour's element, with no barrier after the wait.
TEST(AsyncCopy, OthersNeedABarrierBesides) {
  const std::string copy = "cp.async.ca.shared.global [%r3], [%rd3], 4;\ncp.async.wait_all;\n";
  const std::string read_other = R"(
    xor.b32 %r6, %r4, 128;
    add.s32 %r6, %r6, %r2;
    ld.shared.u32 %r5, [%r6];
    st.global.u32 [%rd4], %r5;)";
  EXPECT_TRUE(run_copies(copy + "bar.sync 0;\n" + read_other, 64).result.hazards.empty());
  EXPECT_FALSE(run_copies(copy + read_other, 64).result.hazards.empty());
}

// A barrier alone: that the copies were issued is no proof that they have arrived.
TEST(AsyncCopy, WhatOthersHaveYetToBringIsARaceBehindABarrierToo) {
  const std::string issue = "cp.async.ca.shared.global [%r3], [%rd3], 4;\ncp.async.commit_group;\n";
  const std::string touch_other = "bar.sync 0;\nxor.b32 %r6, %r4, 128;\nadd.s32 %r6, %r6, %r2;\n";
  const std::string read = "ld.shared.u32 %r5, [%r6];\n", write = "st.shared.u32 [%r6], 7;\n";
  const std::string wait = "cp.async.wait_group 0;\n";
  for (const std::string& access : {read, write}) {
    const auto hazards = run_copies(issue + touch_other + access + "bar.sync 0;\n" + wait, 64).result.hazards;
    ASSERT_FALSE(hazards.empty()) << access;
    EXPECT_EQ(hazards[0].kind, HazardKind::kSharedRace);
    EXPECT_NE(hazards[0].what.find("to which the cp.async of thread (32, 0, 0) is still on its way"),
              std::string::npos)
        << hazards[0].what;
    EXPECT_EQ(run_copies(issue + wait + touch_other + access, 64).result.hazards.size(), 0u) << access;
  }
}

// What another thread copies elsewhere, or is not known to have issued, is found when it arrives.
TEST(AsyncCopy, OtherElementsMayBeOnTheirWay) {
  const auto hazards = run_copies(R"(
    st.shared.u32 [%r3+512], 3;
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    bar.sync 0;
    xor.b32 %r6, %r4, 128;
    add.s32 %r6, %r6, %r2;
    ld.shared.u32 %r5, [%r6+512];
    cp.async.wait_all;)",
                                  64)
                           .result.hazards;
  EXPECT_TRUE(hazards.empty()) << hazards[0].what;
}

TEST(AsyncCopy, OtherFormsAreRefusedByName) {
  for (const char* form :
       {"cp.async.mbarrier.arrive.b32 [%rd1];", "cp.async.ca.shared.global [%r3], [%rd3], 12;"}) {
    try {
      KernelHarness harness(copying_kernel(form));
      ADD_FAILURE() << form;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("cp.async."), std::string::npos) << error.what();
    }
  }
}

// ---- where an address points -------------------------------------------------------------------------
TEST(IsSpace, TellsTheWindowsApart) {
  const CopyOutcome outcome = run_copies(R"(
    .local .align 4 .b8 own[16];
    cvta.shared.u64 %rd10, %rd0;
    mov.u64 %rd11, tile;
    cvta.shared.u64 %rd11, %rd11;
    mov.u64 %rd12, own;
    cvta.local.u64 %rd12, %rd12;
    isspacep.shared %p1, %rd11;
    isspacep.local %p2, %rd12;
    isspacep.global %p3, %rd1;
    isspacep.global %p4, %rd11;
    isspacep.shared %p5, %rd1;
    isspacep.const %p6, %rd1;
    selp.u32 %r5, 1, 0, %p1;
    selp.u32 %r6, 2, 0, %p2;
    selp.u32 %r7, 4, 0, %p3;
    selp.u32 %r8, 8, 0, %p4;
    selp.u32 %r9, 16, 0, %p5;
    selp.u32 %r10, 32, 0, %p6;
    or.b32 %r5, %r5, %r6;
    or.b32 %r5, %r5, %r7;
    or.b32 %r5, %r5, %r8;
    or.b32 %r5, %r5, %r9;
    or.b32 %r5, %r5, %r10;
    st.global.u32 [%rd4], %r5;)");
  EXPECT_EQ(outcome.out[3], 7u);
}

TEST(Harmless, HintsAndMarksDoNothing) {
  const CopyOutcome outcome = run_copies(R"(
    createpolicy.fractional.L2::evict_last.b64 %rd7, 1.0;
    griddepcontrol.wait;
    griddepcontrol.launch_dependents;
    setmaxnreg.inc.sync.aligned.u32 40;
    nanosleep.u32 100;
    prefetch.global.L2 [%rd3];
    discard.global.L2 [%rd3], 128;
    ld.global.L2::cache_hint.u32 %r5, [%rd3], %rd7;
    mov.u32 %r6, %clock;
    mov.u64 %rd8, %globaltimer;
    st.global.u32 [%rd4], %r5;)");
  EXPECT_TRUE(outcome.result.completed);
  EXPECT_EQ(outcome.out[5], 6u);
}

}  // namespace
}  // namespace cudalab::vgpu
