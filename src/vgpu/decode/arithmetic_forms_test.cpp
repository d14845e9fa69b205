// Tests arithmetic whose operands differ from a simple row: set, setp on two numbers per register, carries
// under a guard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// The value of %r1 in each of 32 lanes after `body`; %r0 is the lane's number.
std::vector<std::uint32_t> lanes_after_arithmetic(const std::string& body) {
  KernelHarness harness(KernelHarness::kernel("mov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\n" + body +
                                                  "\nld.param.u64 %rd0, [p0];\nmul.wide.u32 %rd1, %r0, 4;\n"
                                                  "add.u64 %rd0, %rd0, %rd1;\nst.global.u32 [%rd0], %r1;",
                                              1));
  const auto out = harness.buffer(std::vector<std::uint32_t>(32, 12345));
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, out);
  EXPECT_TRUE(result.completed && result.hazards.empty());
  return harness.read<std::uint32_t>(out, 32);
}

TEST(Set, GivesAllOnesOrOnePointZero) {
  EXPECT_EQ(lanes_after_arithmetic("set.lt.u32.s32 %r1, %r0, 9;"),
            each_lane([](auto l) { return l < 9 ? ~0u : 0u; }));
  EXPECT_EQ(lanes_after_arithmetic("set.ge.f32.u32 %r1, %r0, 30;"),
            each_lane([](auto l) { return l >= 30 ? 0x3f80'0000u : 0u; }));
}
TEST(Set, CombinesWithAPredicate) {
  EXPECT_EQ(lanes_after_arithmetic("setp.gt.u32 %p1, %r0, 3;\nset.lt.and.s32.s32 %r1, %r0, 9, %p1;"),
            each_lane([](auto l) { return l < 9 && l > 3 ? ~0u : 0u; }));
  EXPECT_EQ(lanes_after_arithmetic("setp.gt.u32 %p1, %r0, 3;\nset.lt.xor.s32.s32 %r1, %r0, 9, !%p1;"),
            each_lane([](auto l) { return (l < 9) != (l <= 3) ? ~0u : 0u; }));
}

TEST(LogicOfThree, GivesAPredicateThatSaysWhetherAnyBitIsSet) {
  const std::string start = "setp.gt.u32 %p1, %r0, 3;\nand.b32 %r2, %r0, 1;\n";
  const std::string end = "selp.u32 %r3, 100, 0, %p2;\nadd.u32 %r1, %r1, %r3;";
  // The table of a & b; a & b is the lowest bit of the lane's number.
  EXPECT_EQ(lanes_after_arithmetic(start + "lop3.or.b32 %r1|%p2, %r0, 1, 0, 0xc0, %p1;\n" + end),
            each_lane([](auto l) { return (l & 1) + ((l & 1) || l > 3 ? 100 : 0); }));
  EXPECT_EQ(lanes_after_arithmetic(start + "lop3.and.b32 _|%p2, %r0, 1, 0, 0xc0, !%p1;\n" + end),
            each_lane([](auto l) { return (l & 1) && l <= 3 ? 100 : 0; }));
}

TEST(WideLoads, MoveSixteenBytesThroughEachSpace) {
  KernelHarness harness(KernelHarness::kernel(R"(
    .reg .b128 %rq<3>;
    .shared .align 16 .b8 tile[32];
    ld.param.u64 %rd0, [p0];
    ld.global.b128 %rq1, [%rd0];
    st.shared.b128 [tile+16], %rq1;
    ld.shared.b128 %rq2, [tile+16];
    st.b128 [%rd0+16], %rq2;)",
                                              1));
  const auto data = harness.buffer(std::vector<std::uint32_t>{1, 2, 3, 4, 0, 0, 0, 0});
  const LaunchResult result = harness.run({1, 1, 1}, {1, 1, 1}, data);
  EXPECT_TRUE(result.completed && result.hazards.empty());
  EXPECT_THAT(harness.read<std::uint32_t>(data, 8), testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
}

TEST(SetpOnPairs, GivesAPredicateForEachHalf) {
  // 1.0 in the low half and 2.0 in the high half, compared with 1.5 in both halves.
  const std::string operands = "mov.u32 %r2, 0x40003c00;\nmov.u32 %r3, 0x3e003e00;\n";
  EXPECT_EQ(lanes_after_arithmetic(
                operands + "setp.lt.f16x2 %p1|%p2, %r2, %r3;\n"
                           "selp.u32 %r4, 1, 0, %p1;\nselp.u32 %r5, 2, 0, %p2;\nadd.u32 %r1, %r4, %r5;"),
            each_lane([](auto) { return 1; }));
  EXPECT_EQ(lanes_after_arithmetic(operands + "set.gt.f16x2.f16x2 %r1, %r2, %r3;"),
            each_lane([](auto) { return 0x3c00'0000; }));
}

TEST(Carry, BelongsToItsLane) {
  // Odd lanes overflow. Lanes below 16 add their carry at once; the others add it after another addition,
  // which only the lanes below 16 execute.
  EXPECT_EQ(
      lanes_after_arithmetic("and.b32 %r2, %r0, 1;\nsub.u32 %r2, 0, %r2;\nsetp.lt.u32 %p1, %r0, 16;\n"
                             "add.cc.u32 %r3, %r2, 1;\n@%p1 addc.u32 %r1, 0, 0;\n@%p1 add.cc.u32 %r3, 0, 0;\n"
                             "@!%p1 addc.u32 %r1, 0, 10;"),
      each_lane([](auto l) { return (l & 1) + (l < 16 ? 0u : 10u); }));
}
TEST(Carry, ChainsOverThreeWords) {
  EXPECT_EQ(lanes_after_arithmetic("add.cc.u32 %r2, -1, %r0;\naddc.cc.u32 %r3, -1, 0;\naddc.u32 %r1, 5, 0;"),
            each_lane([](auto l) { return l > 0 ? 6 : 5; }));
  EXPECT_EQ(lanes_after_arithmetic("sub.cc.u32 %r2, 0, %r0;\nsubc.cc.u32 %r3, 0, 0;\nsubc.u32 %r1, 5, 0;"),
            each_lane([](auto l) { return l > 0 ? 4 : 5; }));
}

}  // namespace
}  // namespace cudalab::vgpu
