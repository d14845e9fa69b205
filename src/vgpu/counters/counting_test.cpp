// What each source line executed: instructions, lanes, branches, barriers.
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
  // 2 blocks of 2 warps, of which the first parts: 8 lanes skip line 8.
  expect(0, 7, 12, 12 * 32, 4, 2, 0);
  expect(1, 8, 8, 4 * 24 + 4 * 32, 0, 0, 0);
  expect(2, 9, 4, 4 * 32, 0, 0, 4);
  expect(3, 10, 8, 8 * 32, 4, 0, 0);
  expect(4, 12, 4, 4 * 32, 0, 0, 0);
}

}  // namespace
}  // namespace cudalab::vgpu
