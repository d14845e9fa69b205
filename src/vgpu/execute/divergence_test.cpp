// Tests divergence and reconvergence: results, and how often each basic block is executed.
#include <gtest/gtest.h>

#include <numeric>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// %rd1 = address of p0[tid], %r1 = tid.
constexpr char kThreadAddress[] =
    "ld.param.u64 %rd0, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd0, "
    "%rd2;\n";

std::string with_address(const std::string& body) { return KernelHarness::kernel(kThreadAddress + body, 1); }

std::vector<std::uint32_t> run_lanes(const std::string& text, std::uint32_t threads = 32) {
  KernelHarness harness(text);
  const std::uint64_t out = harness.buffer(std::vector<std::uint32_t>(threads, 0));
  const LaunchResult result = harness.run({1, 1, 1}, {threads, 1, 1}, out);
  EXPECT_TRUE(result.completed) << (result.hazards.empty() ? Message() : result.hazards.back().what);
  return harness.read<std::uint32_t>(out, threads);
}

TEST(Divergence, BothArmsOfABranchRunAndMeet) {
  const auto values = run_lanes(with_address(R"(
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra EVEN;
    mov.u32 %r3, 100;
    bra.uni MEET;
  EVEN:
    mov.u32 %r3, 200;
  MEET:
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%rd1], %r3;)"));
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], (lane % 2 ? 100 : 200) + lane);
}

TEST(Divergence, LanesThatMeetStoreInOneRequest) {
  KernelHarness harness(with_address(R"(
    setp.lt.u32 %p1, %r1, 7;
    @%p1 bra FEW;
    mov.u32 %r3, 1;
    bra.uni MEET;
  FEW:
    mov.u32 %r3, 2;
  MEET:
    st.global.u32 [%rd1], %r3;)"));
  const std::uint64_t out = harness.buffer(std::vector<std::uint32_t>(32, 0));
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, out);
  EXPECT_EQ(result.counters->get(Counter::kGlobalStoreRequests), 1);
  EXPECT_EQ(result.counters->get(Counter::kGlobalStoreSectors), 4);
}

// Of two warps, one diverges at the first branch; neither diverges at the second.
TEST(Divergence, BranchesAndBarriersAreCounted) {
  KernelHarness harness(with_address(R"(
    setp.lt.u32 %p1, %r1, 8;
    @%p1 bra FEW;
    add.u32 %r1, %r1, 1;
  FEW:
    setp.gt.u32 %p2, %r1, 1000;
    @%p2 bra NOBODY;
    bar.sync 0;
    st.global.u32 [%rd1], %r1;
  NOBODY:)"));
  const std::uint64_t out = harness.buffer(std::vector<std::uint32_t>(64, 0));
  const LaunchResult result = harness.run({1, 1, 1}, {64, 1, 1}, out);
  EXPECT_EQ(result.counters->get(Counter::kBranches), 4);
  EXPECT_EQ(result.counters->get(Counter::kDivergentBranches), 1);
  EXPECT_EQ(result.counters->get(Counter::kBarriers), 2);
  const double warps = *result.counters->get(Counter::kWarpInstructions);
  // Full warps execute all instructions except one addition, which 24 lanes execute.
  EXPECT_EQ(result.counters->get(Counter::kActiveLanes), (32 * warps - 8) / warps);
}

TEST(Divergence, CountsWhatLanesOfAWarpTellEachOther) {
  KernelHarness harness(with_address(R"(
    shfl.sync.down.b32 %r2, %r1, 4, 31, -1;
    setp.lt.u32 %p1, %r1, 8;
    vote.sync.ballot.b32 %r3, %p1, -1;
    setp.ge.u32 %p2, %r1, 32;
    @%p2 bra NOT_THE_FIRST;
    match.any.sync.b32 %r4, %r2, -1;
    redux.sync.add.u32 %r4, %r4, -1;
    st.global.u32 [%rd1], %r4;
  NOT_THE_FIRST:)"));
  const std::uint64_t out = harness.buffer(std::vector<std::uint32_t>(64, 0));
  const LaunchResult result = harness.run({1, 1, 1}, {64, 1, 1}, out);
  EXPECT_EQ(result.counters->get(Counter::kLaneExchanges), 6);  // two in both warps, two in the first warp
}

// A basic block is counted where it begins, and a clock in its middle takes that into account. A block may be
// longer than a turn of its warp.
TEST(Divergence, ALongBlockEndsAndItsClockAdvances) {
  std::string body = "mov.u32 %r2, %clock;\n";
  for (int i = 0; i < 10'000; ++i) body += "add.u32 %r1, %r1, 1;\n";
  const auto values = run_lanes(with_address(body + R"(
    mov.u32 %r3, %clock;
    sub.u32 %r2, %r3, %r2;
    st.global.u32 [%rd1], %r2;)"));
  EXPECT_GE(values[0], 10'000u);
}

TEST(Divergence, ALoopRunsAsOftenAsEachLaneNeeds) {
  const auto values = run_lanes(with_address(R"(
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
  LOOP:
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra DONE;
    add.u32 %r3, %r3, %r2;
    add.u32 %r2, %r2, 1;
    bra.uni LOOP;
  DONE:
    st.global.u32 [%rd1], %r3;)"));
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane * (lane - 1) / 2) << lane;
}

TEST(Divergence, EarlyReturnLeavesTheOthersTogether) {
  KernelHarness harness(with_address(R"(
    setp.ge.u32 %p1, %r1, 40;
    @%p1 bra END;
    st.global.u32 [%rd1], %r1;
  END:)"));
  const std::uint64_t out = harness.buffer(std::vector<std::uint32_t>(64, 7));
  const LaunchResult result = harness.run({1, 1, 1}, {64, 1, 1}, out);
  const auto values = harness.read<std::uint32_t>(out, 64);
  for (std::uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(values[lane], lane < 40 ? lane : 7);
  EXPECT_EQ(result.counters->get(Counter::kGlobalStoreRequests), 2);
  EXPECT_EQ(result.counters->get(Counter::kGlobalStoreSectors), 5);
}

TEST(Divergence, AGuardedInstructionLeavesOtherLanesAlone) {
  const auto values = run_lanes(with_address(R"(
    mov.u32 %r3, 5;
    setp.gt.u32 %p1, %r1, 9;
    @%p1 mov.u32 %r3, 6;
    @!%p1 add.u32 %r3, %r3, 10;
    st.global.u32 [%rd1], %r3;)"));
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane > 9 ? 6 : 15);
}

TEST(Divergence, AGuardedReturnEndsOnlyItsLanes) {
  const auto values = run_lanes(with_address(R"(
    setp.lt.u32 %p1, %r1, 3;
    @%p1 ret;
    st.global.u32 [%rd1], 1;)"));
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0u), 29u);
}

// Since Volta a lane may wait for another lane of its warp: lane 0 waits until lane 1 has stored.
TEST(Divergence, LanesOfAWarpCanWaitForEachOther) {
  const auto values = run_lanes(with_address(R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra STORE;
  SPIN:
    ld.volatile.global.u32 %r3, [%rd0+4];
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra SPIN;
  STORE:
    st.volatile.global.u32 [%rd1], 9;)"));
  EXPECT_EQ(values[0], 9u);
  EXPECT_EQ(values[1], 9u);
}

TEST(Divergence, WarpsWaitAtABarrier) {
  // Each thread stores its number; after the barrier it reads the number of its mirror image.
  const auto values =
      run_lanes(KernelHarness::kernel(std::string(".shared .align 4 .b8 s[384];\n") + kThreadAddress + R"(
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, s;
    add.u32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    sub.u32 %r5, 380, %r2;
    add.u32 %r5, %r5, %r3;
    ld.shared.u32 %r6, [%r5];
    st.global.u32 [%rd1], %r6;)",
                                      1),
                96);
  for (std::uint32_t thread = 0; thread < 96; ++thread) EXPECT_EQ(values[thread], 95 - thread);
}

}  // namespace
}  // namespace cudalab::vgpu
