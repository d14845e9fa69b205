// Tests the counters of each source line: instructions, lanes, branches, barriers.
#include "vgpu/counters/counting.h"

#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

TEST(LineExecutions, AreThoseOfTheLinesThatWarpsReached) {
  const std::string body = R"(
    .loc 1 7 0
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 bra $few;
    .loc 1 8 0
    add.u32 %r1, %r1, 1;
    add.u32 %r1, %r1, 1;
$few:
    .loc 1 9 0
    bar.sync 0;
    .loc 1 10 0
    setp.gt.u32 %p1, %r1, 1000;
    @!%p1 bra $end;
    .loc 1 11 0
    add.u32 %r1, %r1, 1;
$end:
    .loc 1 12 0)";
  KernelHarness harness(KernelHarness::kernel(body, 0, ".file 1 \"test.cu\""));
  const LaunchResult result = harness.run({2, 1, 1}, {64, 1, 1});
  ASSERT_EQ(result.executions.size(), 5u);
  const auto expect = [&](std::size_t index, int line, std::uint64_t warps, std::uint64_t threads,
                          std::uint64_t branches, std::uint64_t divergent, std::uint64_t barriers) {
    const LineExecution& found = result.executions[index];
    EXPECT_EQ(found.where, (SourceLine{"test.cu", line}));
    EXPECT_EQ(found.warp_instructions, warps) << line;
    EXPECT_EQ(found.thread_instructions, threads) << line;
    EXPECT_EQ(found.branches, branches) << line;
    EXPECT_EQ(found.divergent_branches, divergent) << line;
    EXPECT_EQ(found.barriers, barriers) << line;
  };
  // 2 blocks of 2 warps; the first warp of each diverges: 8 lanes skip line 8.
  expect(0, 7, 12, 12 * 32, 4, 2, 0);
  expect(1, 8, 8, 4 * 24 + 4 * 32, 0, 0, 0);
  expect(2, 9, 4, 4 * 32, 0, 0, 4);
  expect(3, 10, 8, 8 * 32, 4, 0, 0);
  expect(4, 12, 4, 4 * 32, 0, 0, 0);
}

// One warp. Instruction counts and strides are chosen such that no two counters of a kind are equal.
TEST(Counters, EachCountsItsOwnSpaceAndKind) {
  KernelHarness harness(KernelHarness::kernel(R"(
    .shared .align 16 .b8 s[1024];
    .local .align 4 .b8 l[16];
    ld.param.u64 %rd0, [p0];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd4, %r0, 4;
    mul.wide.u32 %rd8, %r0, 8;
    add.s64 %rd4, %rd4, %rd0;
    add.s64 %rd8, %rd8, %rd0;
    mov.u32 %r1, s;
    shl.b32 %r8, %r0, 3;
    shl.b32 %r16, %r0, 4;
    add.u32 %r8, %r8, %r1;
    add.u32 %r16, %r16, %r1;
    ld.global.u32 %r9, [%rd4];
    st.global.u32 [%rd8], %r9;
    st.global.u32 [%rd8], %r0;
    ld.shared.u32 %r9, [%r8];
    st.shared.u32 [%r16], %r9;
    st.shared.u32 [%r16], %r0;
    atom.global.add.u32 %r9, [%rd4], 1;
    atom.global.add.u32 %r9, [%rd4], 2;
    atom.global.add.u32 %r9, [%rd4], 3;
    red.global.add.u32 [%rd8], 1;
    atom.shared.add.u32 %r9, [%r8], 1;
    ld.local.u32 %r9, [l];
    st.local.u32 [l], %r9;
    st.local.u32 [l], %r0;
    st.local.u32 [l], %r1;)",
                                              1));
  harness.check_memory = harness.check_races = false;
  const LaunchResult result =
      harness.run({1, 1, 1}, {32, 1, 1}, harness.buffer(std::vector<std::uint32_t>(64)));
  const std::pair<Counter, double> expected[] = {
      {Counter::kGlobalLoadRequests, 1},       {Counter::kGlobalLoadSectors, 4},
      {Counter::kGlobalLoadBytesPercent, 100}, {Counter::kGlobalStoreRequests, 2},
      {Counter::kGlobalStoreSectors, 16},      {Counter::kGlobalStoreBytesPercent, 50},
      {Counter::kSharedLoadRequests, 1},       {Counter::kSharedLoadInstructions, 1},
      {Counter::kSharedLoadWavefronts, 2},     {Counter::kSharedLoadConflicts, 1},
      {Counter::kSharedStoreRequests, 2},      {Counter::kSharedStoreInstructions, 2},
      {Counter::kSharedStoreWavefronts, 8},    {Counter::kSharedStoreConflicts, 6},
      {Counter::kGlobalAtomicRequests, 3},     {Counter::kGlobalAtomicSectors, 12},
      {Counter::kGlobalReductionRequests, 1},  {Counter::kGlobalReductionSectors, 8},
      {Counter::kSharedAtomicWavefronts, 2},   {Counter::kLocalLoadRequests, 1},
      {Counter::kLocalLoadSectors, 4},         {Counter::kLocalStoreRequests, 3},
      {Counter::kLocalStoreSectors, 12},
  };
  for (const auto& [counter, value] : expected)
    EXPECT_EQ(result.counters->get(counter), value) << static_cast<int>(counter);
}

// The usual stride of a load that a loop executes once with each of these strides.
std::optional<std::int64_t> usual_stride(const std::vector<int>& strides) {
  std::string body =
      "ld.param.u64 %rd0, [p0];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\nAGAIN:\nmov.u32 %r3, 4;\n";
  for (std::size_t i = 0; i < strides.size(); ++i)
    body += "setp.eq.u32 %p1, %r1, " + std::to_string(i) + ";\n@%p1 mov.u32 %r3, " +
            std::to_string(strides[i]) + ";\n";
  body +=
      "mul.wide.u32 %rd1, %r0, %r3;\nadd.s64 %rd1, %rd1, %rd0;\nld.global.u32 %r4, [%rd1];\n"
      "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, " +
      std::to_string(strides.size()) + ";\n@%p1 bra AGAIN;";
  KernelHarness harness(KernelHarness::kernel(body, 1));
  return harness.run({1, 1, 1}, {32, 1, 1}, harness.buffer(std::vector<std::uint32_t>(1024)))
      .accesses.at(0)
      .lane_stride_bytes;
}

TEST(LineAccesses, TheStrideIsThatOfMoreThanHalfOfTheRequests) {
  EXPECT_EQ(usual_stride({4, 8, 4}), 4);
  EXPECT_EQ(usual_stride({64, 8, 8, 8, 4}), 8);
  EXPECT_EQ(usual_stride({4, 8}), std::nullopt);
  EXPECT_EQ(usual_stride({4, 8, 16}), std::nullopt);
}

// Each host thread reports its own hazards; equal ones are merged in block order.
TEST(Hazards, OfAllHostThreadsAddUpWhereTheyAreEqual) {
  const auto hazard = [](std::uint32_t block, const std::string& buffer, std::uint64_t occurrences) {
    Hazard made;
    made.kind = HazardKind::kGlobalRace;
    made.where = {"k.cu", 7};
    made.block.x = block;
    made.buffer = buffer;
    made.occurrences = occurrences;
    return made;
  };
  const Program program;
  Tally tally(program);
  std::vector<SiteState> sites;
  std::vector<Hazard> first{hazard(5, "in", 3), hazard(6, "out", 1)}, second{hazard(2, "in", 4)};
  tally.add({}, sites, first);
  tally.add({}, sites, second);
  const std::vector<Hazard> all = tally.hazards();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].buffer, "in");
  EXPECT_EQ(all[0].block.x, 2u);
  EXPECT_EQ(all[0].occurrences, 7u);
  EXPECT_EQ(all[1].buffer, "out");
}

}  // namespace
}  // namespace cudalab::vgpu
