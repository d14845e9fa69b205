// Tests that the race checks do not depend on host threads, and that no launch affects the next.
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "vgpu/checks/block_clock.h"
#include "vgpu/memory/footprint.h"
#include "vgpu/vgpu_testing.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {
namespace {

// out[thread / 4] = thread's number in the grid; then in[thread] += 1
const std::string kRacy = KernelHarness::kernel(R"(
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r1, 64, %r2;
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r4, [%rd4];
  add.s32 %r4, %r4, 1;
  st.global.u32 [%rd4], %r4;
  and.b32 %r5, %r3, 15;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.u32 [%rd6], %r3;
)");

struct RacyRun {
  std::vector<std::uint32_t> in, out;
  LaunchResult result;
};

RacyRun run_racy(unsigned host_threads) {
  KernelHarness harness(kRacy, host_threads);
  const auto in = harness.buffer(std::vector<std::uint32_t>(64 * 64, 7), "in");
  const auto out = harness.buffer(std::vector<std::uint32_t>(16, 0), "out");
  RacyRun run;
  run.result = harness.run({64, 1, 1}, {64, 1, 1}, in, out);
  run.in = harness.read<std::uint32_t>(in, 64 * 64);
  run.out = harness.read<std::uint32_t>(out, 16);
  return run;
}

TEST(Races, ResultsAndReportsAreTheSameForAnyNumberOfHostThreads) {
  const RacyRun expected = run_racy(1);
  EXPECT_EQ(expected.in, std::vector<std::uint32_t>(64 * 64, 8));
  EXPECT_EQ(expected.out[3], 64u * 64 - 16 + 3);
  ASSERT_FALSE(expected.result.hazards.empty());
  for (const unsigned host_threads : {2u, 8u}) {
    const RacyRun run = run_racy(host_threads);
    EXPECT_EQ(run.in, expected.in);  // incremented once, though the launch was repeated
    EXPECT_EQ(run.out, expected.out);
    ASSERT_EQ(run.result.hazards.size(), expected.result.hazards.size());
    for (std::size_t i = 0; i < run.result.hazards.size(); ++i) {
      EXPECT_EQ(run.result.hazards[i].what, expected.result.hazards[i].what);
      EXPECT_EQ(run.result.hazards[i].block, expected.result.hazards[i].block);
      EXPECT_EQ(run.result.hazards[i].thread, expected.result.hazards[i].thread);
      EXPECT_EQ(run.result.hazards[i].occurrences, expected.result.hazards[i].occurrences);
    }
    EXPECT_EQ(run.result.counters->get(Counter::kThreadInstructions),
              expected.result.counters->get(Counter::kThreadInstructions));
  }
}

// Copies 64 elements from p0 to p1.
const std::string kCopy = KernelHarness::kernel(R"(
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r4, [%rd4];
  add.s64 %rd6, %rd2, %rd3;
  st.global.u32 [%rd6], %r4;
)");

TEST(UnwrittenReads, WhatAKernelWroteCountsAsWrittenWithAndWithoutChecks) {
  for (const bool checked : {true, false}) {
    KernelHarness harness(kCopy);
    const auto in = harness.buffer(std::vector<std::uint32_t>(64, 7), "in");
    const std::uint64_t between = harness.gpu().allocate("between", 256),
                        out = harness.gpu().allocate("out", 256);
    harness.check_memory = checked;
    EXPECT_TRUE(harness.run({1, 1, 1}, {64, 1, 1}, in, between).hazards.empty());
    harness.check_memory = true;
    EXPECT_TRUE(harness.run({1, 1, 1}, {64, 1, 1}, between, out).hazards.empty());
  }
}

TEST(UnwrittenReads, HalfABufferIsFoundAndNamed) {
  KernelHarness harness(kCopy);
  const std::uint64_t in = harness.gpu().allocate("in", 256), out = harness.gpu().allocate("out", 256);
  harness.gpu().write(in, std::vector<std::byte>(128));
  const LaunchResult result = harness.run({1, 1, 1}, {64, 1, 1}, in, out);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kUninitialisedRead);
  EXPECT_EQ(result.hazards[0].buffer, "in");
  EXPECT_EQ(result.hazards[0].thread.x, 32u);
  EXPECT_EQ(result.hazards[0].occurrences, 32u);
}

// ---- components --------------------------------------------------------------------------------------
TEST(BlockClock, ANamedBarrierOrdersOnlyItsParticipants) {
  BlockClock clock;
  clock.start_block();
  const std::uint32_t of_0 = clock.now(0), of_2 = clock.now(2);
  clock.arrive(0, 1);
  clock.arrive(1, 1);
  clock.pass(1, 1);
  clock.clear(1);
  EXPECT_TRUE(clock.has_seen(1, 0, of_0));
  EXPECT_FALSE(clock.has_seen(1, 2, of_2));
  EXPECT_FALSE(clock.has_seen(1, 0, clock.now(0)));  // warp 0's accesses after its arrival are not ordered
  EXPECT_FALSE(clock.has_seen(0, 1, clock.now(1)));  // warp 0 only arrived
  clock.everybody_passed();
  EXPECT_TRUE(clock.has_seen(1, 2, of_2));
}

TEST(BlockClock, AFenceAndAFlagHandOver) {
  BlockClock clock;
  clock.start_block();
  const std::uint32_t before = clock.now(0);
  clock.hand_over(Scope::kGrid);
  clock.take_over(1, Scope::kGrid);
  EXPECT_FALSE(clock.has_seen(1, 0, before));  // no fence
  clock.fence(0, Scope::kBlock);
  const std::uint32_t after = clock.now(0);
  clock.hand_over(Scope::kGrid);
  clock.take_over(1, Scope::kGrid);
  EXPECT_TRUE(clock.has_seen(1, 0, before));
  EXPECT_FALSE(clock.has_seen(1, 0, after));
}

TEST(Footprint, EqualHalvesOfAWarpAreOneSharedSpan) {
  Pattern pattern;
  pattern.active = kAllLanes;
  for (int lane = 0; lane < kWarpSize; ++lane) pattern.offset[lane] = lane % 16 * 8;
  pattern.distinct_bytes = 128;
  Footprint footprint;
  make_footprint(footprint, pattern, 8, 2);
  ASSERT_EQ(footprint.spans.size(), 1u);
  EXPECT_EQ(footprint.spans[0].count, 32u);
  EXPECT_TRUE(footprint.spans[0].is_shared);
  EXPECT_TRUE(footprint.overlaps);
  EXPECT_EQ(footprint.lane[31] >> kLaneShift, 15u);
  EXPECT_EQ(footprint.other[31] >> kLaneShift, 31u);
}

}  // namespace
}  // namespace cudalab::vgpu
