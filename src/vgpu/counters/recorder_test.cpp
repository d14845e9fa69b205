// Tests the recording of single warps: the first requests, the worst request, and the paths of lanes.
#include "vgpu/counters/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// Each block stores with a stride of its number plus 1, so the last block is the worst.
std::string growing_strides() {
  return KernelHarness::kernel(
      ".loc 1 7 0\n"
      "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nadd.u32 %r3, %r2, 1;\n"
      "mul.lo.u32 %r4, %r1, %r3;\nmul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
      "st.global.u32 [%rd3], %r1;",
      1, ".file 1 \"test.cu\"\n");
}

LaunchResult run_strides(std::uint32_t blocks, unsigned host_threads, bool record = true) {
  KernelHarness harness(growing_strides(), host_threads);
  harness.record = record;
  harness.check_races = false;
  const auto out = harness.buffer(std::vector<std::uint32_t>(32 * (blocks + 1)));
  return harness.run({blocks, 1, 1}, {32, 1, 1}, out);
}

TEST(Recorder, KeepsTheFirstRequestsInTheOrderOfTheBlocksAndTheWorst) {
  const LaunchResult result = run_strides(100, 2);
  ASSERT_TRUE(result.recording);
  ASSERT_THAT(result.recording->lines, SizeIs(1));
  const LineRequests& line = result.recording->lines.front();
  EXPECT_EQ(line.where, (SourceLine{"test.cu", 7}));
  EXPECT_EQ(line.space, MemorySpace::kGlobal);
  EXPECT_EQ(line.kind, AccessKind::kStore);
  ASSERT_THAT(line.first, SizeIs(kRecordedRequests));
  for (std::uint32_t block = 0; block < kRecordedRequests; ++block) {
    const WarpRequest& request = line.first[block];
    EXPECT_EQ(request.block.x, block);
    EXPECT_EQ(request.lanes, kAllLanes);
    EXPECT_EQ(request.bytes_per_lane, 4);
    EXPECT_EQ(request.address[31] - request.address[0], 31 * 4 * (block + 1));
  }
  ASSERT_TRUE(line.worst);
  EXPECT_EQ(line.worst->transactions, 32u);
  EXPECT_EQ(line.worst->fewest, 4u);
  EXPECT_EQ(line.worst->block.x, 7u) << "the first of those with a stride of 32 bytes and more";
}

TEST(Recorder, KeepsTheSameOnAnyNumberOfHostThreads) {
  const LaunchResult one = run_strides(100, 1), four = run_strides(100, 4);
  const LineRequests &a = one.recording->lines.front(), &b = four.recording->lines.front();
  ASSERT_EQ(a.first.size(), b.first.size());
  for (std::size_t i = 0; i < a.first.size(); ++i) EXPECT_EQ(a.first[i].block, b.first[i].block) << i;
  EXPECT_EQ(a.worst->block, b.worst->block);
}

TEST(Recorder, KeepsNothingUnlessAsked) { EXPECT_FALSE(run_strides(1, 1, false).recording); }

TEST(Recorder, KeepsTheSameWithoutChecks) {
  KernelHarness harness(growing_strides(), 1);
  harness.record = true;
  harness.check_memory = harness.check_races = false;
  const auto out = harness.buffer(std::vector<std::uint32_t>(64));
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, out);
  ASSERT_THAT(result.recording->lines, SizeIs(1));
  EXPECT_EQ(result.counters->get(Counter::kGlobalStoreSectors), 4);
}

TEST(Recorder, GivesSharedAddressesFromTheBlocksFirstByteOn) {
  KernelHarness harness(KernelHarness::kernel(".shared .align 4 .b8 tile[256];\nmov.u32 %r1, %tid.x;\n"
                                              "shl.b32 %r2, %r1, 3;\nmov.u32 %r3, tile;\n"
                                              "add.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;",
                                              0),
                        1);
  harness.record = true;
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1});
  ASSERT_THAT(result.recording->lines, SizeIs(1));
  const LineRequests& line = result.recording->lines.front();
  EXPECT_EQ(line.space, MemorySpace::kShared);
  EXPECT_EQ(line.first.front().address[0], 0u);
  EXPECT_EQ(line.first.front().address[31], 248u);
  EXPECT_EQ(line.worst->transactions, 2u);
}

TEST(Recorder, FollowsTheLanesOfTheFirstBlock) {
  KernelHarness harness(
      KernelHarness::kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra then;\n"
                            "mov.u32 %r2, 1;\nbra.uni join;\nthen:\nmov.u32 %r2, 2;\n"
                            "join:\nmov.u32 %r3, %r2;",
                            0),
      1);
  harness.record = true;
  const LaunchResult result = harness.run({2, 1, 1}, {32, 1, 1});
  ASSERT_THAT(result.recording->warps, SizeIs(1));
  const WarpPaths& warp = result.recording->warps.front();
  std::vector<std::uint32_t> lanes;
  for (const PathStep& step : warp.steps) {
    lanes.push_back(step.lanes);
    EXPECT_EQ(step.alive, kAllLanes);
    EXPECT_GE(step.end, step.begin);
  }
  EXPECT_THAT(lanes, ElementsAre(kAllLanes, ~0xffu, 0xffu, kAllLanes));
}

// shfl.down by 16 in a segment of 32, then by 1 in segments of 8, on one line; both warps.
TEST(Recorder, KeepsWhoGivesToWhomInTheFirstWarp) {
  KernelHarness harness(
      KernelHarness::kernel(".loc 1 9 0\n"
                            "mov.u32 %r1, %tid.x;\n"
                            "shfl.sync.down.b32 %r2, %r1, 16, 31, -1;\n"
                            "shfl.sync.down.b32 %r3, %r2, 1, 0x181f, -1;\n"
                            "ld.param.u64 %rd1, [p0];\nst.global.u32 [%rd1], %r3;",
                            1, ".file 1 \"test.cu\"\n"));
  harness.record = true;
  harness.check_races = false;
  const LaunchResult result =
      harness.run({2, 1, 1}, {64, 1, 1}, harness.buffer(std::vector<std::uint32_t>(1)));
  ASSERT_THAT(result.recording->exchanges, SizeIs(1));
  const LineExchanges& line = result.recording->exchanges.front();
  EXPECT_EQ(line.where, (SourceLine{"test.cu", 9}));
  EXPECT_EQ(line.warp, 0u);
  ASSERT_THAT(line.first, SizeIs(2)) << "of one warp of the first block";
  EXPECT_EQ(line.first[0].from[3], 19);
  EXPECT_EQ(line.first[0].from[16], 16) << "beyond the last lane: its own";
  EXPECT_EQ(line.first[1].from[6], 7);
  EXPECT_EQ(line.first[1].from[7], 7) << "beyond the segment";
}

TEST(Recorder, WhoReadsALaneThatTakesNoPartGetsItsOwn) {
  KernelHarness harness(
      KernelHarness::kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n"
                            "@%p1 shfl.sync.down.b32 %r2, %r1, 12, 31, 0xffff;",
                            0));
  harness.record = true;
  harness.check_races = false;
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1});
  ASSERT_THAT(result.recording->exchanges, SizeIs(1));
  const LaneExchange& exchange = result.recording->exchanges.front().first.front();
  EXPECT_EQ(exchange.lanes, 0xffffu);
  EXPECT_EQ(exchange.from[3], 15);
  EXPECT_EQ(exchange.from[4], 4);
}

// Lanes 8 to 31 are active; odd lanes vote yes, and there are 5 different values.
TEST(Recorder, KeepsWhatLanesAnswer) {
  KernelHarness harness(
      KernelHarness::kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra DONE;\n"
                            "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p2, %r2, 1;\nrem.u32 %r3, %r1, 5;\n"
                            "cvt.u64.u32 %rd1, %r3;\n"
                            "vote.sync.ballot.b32 %r4, %p2, 0xffffff00;\n"
                            "vote.sync.any.pred %p3, !%p2, 0xffffff00;\n"
                            "match.any.sync.b32 %r5, %r3, 0xffffff00;\n"
                            "match.any.sync.b64 %r6, %rd1, 0xffffff00;\n"
                            "redux.sync.add.u32 %r7, %r3, 0xffffff00;\nDONE:",
                            0));
  harness.record = true;
  harness.check_races = false;
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1});
  ASSERT_THAT(result.recording->exchanges, SizeIs(1));
  const std::vector<LaneExchange>& all = result.recording->exchanges.front().first;
  ASSERT_THAT(all, SizeIs(5));
  for (const LaneExchange& each : all) EXPECT_EQ(each.lanes, ~0xffu);
  EXPECT_EQ(all[0].kind, ExchangeKind::kVote);
  EXPECT_EQ(all[0].from[8], 0);
  EXPECT_EQ(all[0].from[9], 1);
  EXPECT_EQ(all[1].from[8], 1) << "the negated predicate";
  EXPECT_EQ(all[2].kind, ExchangeKind::kMatch);
  for (const std::size_t match : {2, 3}) {
    EXPECT_EQ(all[match].from[9], 9);
    EXPECT_EQ(all[match].from[14], 9) << "both 4";
    EXPECT_EQ(all[match].from[31], 11);
  }
  EXPECT_EQ(all[4].kind, ExchangeKind::kReduction);
  EXPECT_EQ(all[4].from[31], 8);
}

// Block b stores with stride b + 1, so every block stores element 0 of the buffer.
TEST(Recorder, CountsTheUsesOfEachElement) {
  KernelHarness harness(growing_strides(), 2);
  harness.record = harness.record_uses = true;
  harness.check_races = false;
  const auto out = harness.buffer(std::vector<std::uint32_t>(3 * 32));
  const LaunchResult result = harness.run({3, 1, 1}, {32, 1, 1}, out);
  ASSERT_THAT(result.recording->uses, SizeIs(1));
  const BufferUse& use = result.recording->uses.front();
  EXPECT_EQ(use.space, MemorySpace::kGlobal);
  EXPECT_EQ(use.element_bytes, 4u);
  ASSERT_THAT(use.stores, SizeIs(3 * 32));
  EXPECT_EQ(use.stores[0], 3u);
  EXPECT_EQ(use.stores[1], 1u) << "stride 1";
  EXPECT_EQ(use.stores[6], 3u) << "strides 1, 2 and 3";
  EXPECT_EQ(use.stores[93], 1u) << "stride 3";
  EXPECT_EQ(use.stores[95], 0u);
  EXPECT_THAT(use.loads, testing::Each(0u));
  ASSERT_THAT(use.lines, SizeIs(1));
  EXPECT_EQ(use.lines.front().where, (SourceLine{"test.cu", 7}));
  EXPECT_EQ(use.lines.front().kind, AccessKind::kStore);
  EXPECT_EQ(use.lines.front().accesses, 96u);
}

TEST(Recorder, CountsUsesOfSharedVariablesOverAllBlocks) {
  KernelHarness harness(KernelHarness::kernel(".shared .align 4 .b8 tile[256];\nmov.u32 %r1, %tid.x;\n"
                                              "shl.b32 %r2, %r1, 3;\nmov.u32 %r3, tile;\n"
                                              "add.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\n"
                                              "ld.shared.u32 %r5, [%r4];",
                                              0),
                        1);
  harness.record = harness.record_uses = true;
  const LaunchResult result = harness.run({2, 1, 1}, {32, 1, 1});
  ASSERT_THAT(result.recording->uses, SizeIs(1));
  const BufferUse& use = result.recording->uses.front();
  EXPECT_EQ(use.name, "tile");
  EXPECT_EQ(use.space, MemorySpace::kShared);
  ASSERT_THAT(use.stores, SizeIs(64));
  EXPECT_EQ(use.stores[0], 2u);
  EXPECT_EQ(use.stores[1], 0u);
  EXPECT_EQ(use.loads[62], 2u);
}

// Each thread stores its index to shared memory, takes the value of the next lane, and adds the two in place.
TEST(Recorder, WritesAHistoryOfValues) {
  KernelHarness harness(KernelHarness::kernel(".shared .align 4 .b8 tile[128];\nmov.u32 %r1, %tid.x;\n"
                                              "shl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\n"
                                              "add.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\n"
                                              "shfl.sync.down.b32 %r5, %r1, 1, 31, -1;\n"
                                              "ld.shared.u32 %r6, [%r4];\nadd.u32 %r7, %r6, %r5;\n"
                                              "st.shared.u32 [%r4], %r7;",
                                              0),
                        4);
  AccessHistory history;
  harness.record = true;
  harness.history = &history;
  harness.run({2, 1, 1}, {32, 1, 1});
  ASSERT_THAT(history.launches, SizeIs(1));
  EXPECT_EQ(history.launches.front().grid, (Dim3{2, 1, 1}));
  ASSERT_THAT(history.buffers, SizeIs(1));
  EXPECT_EQ(history.buffers.front().name, "tile");
  std::vector<AccessEvent> of_thread;
  for (const AccessEvent& event : history.events)
    if (event.block == 1 && event.thread == 5) of_thread.push_back(event);
  ASSERT_THAT(of_thread, SizeIs(4));
  const auto is = [&](std::size_t i, AccessEvent::Kind kind, std::uint64_t element, std::uint64_t value) {
    EXPECT_EQ(of_thread[i].kind, kind) << i;
    EXPECT_EQ(of_thread[i].bytes, 4) << i;
    EXPECT_EQ(of_thread[i].element, element) << i;
    EXPECT_EQ(of_thread[i].value, value) << i;
  };
  is(0, AccessEvent::kStore, 5, 5);
  is(1, AccessEvent::kShuffle, 6, 6);
  is(2, AccessEvent::kLoad, 5, 5);
  is(3, AccessEvent::kStore, 5, 11);
  EXPECT_LT(of_thread[3].line, history.lines.size());
}

TEST(Recorder, CountsNoUsesUnlessAsked) { EXPECT_TRUE(run_strides(1, 1).recording->uses.empty()); }

}  // namespace
}  // namespace cudalab::vgpu
