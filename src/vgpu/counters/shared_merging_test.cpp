// Tests that shared loads are merged as ptxas merges them, according to counters of a GPU.
#include "vgpu/counters/shared_merging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The merged widths, in the order of the loads.
std::vector<int> widths(const std::string& body) {
  const ptx::Module module =
      ptx::parse(KernelHarness::kernel(".shared .align 4 .b8 s[4096];\n" + body, 0), "test.ptx");
  const MergedLoads merged = find_merged_loads(module.functions[0], [](const std::string&) { return 0; });
  std::vector<int> result;
  for (const auto& [statement, bytes] : merged) result.push_back(bytes);
  return result;
}

constexpr char kRow64[] =
    "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 6; mov.u32 %r3, s; add.s32 %r4, %r3, %r2;\n";

TEST(SharedMerging, FourFloatsInARowBecomeOneLoad) {
  EXPECT_THAT(widths(std::string(kRow64) + R"(
    ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4]; ld.shared.f32 %f3, [%r4+8];
    ld.shared.f32 %f4, [%r4+12];)"),
              ElementsAre(16, 0, 0, 0));
}

TEST(SharedMerging, TwoDoublesBecomeOneLoad) {
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.f64 %fd1, [%r4+16]; ld.shared.f64 %fd2, [%r4+24];"),
              ElementsAre(16, 0));
}

TEST(SharedMerging, ARowOf33FloatsIsNotAligned) {
  EXPECT_THAT(widths(R"(mov.u32 %r1, %tid.x; mul.lo.s32 %r2, %r1, 132; mov.u32 %r3, s; add.s32 %r4, %r3, %r2;
    ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];)"),
              IsEmpty());
}

TEST(SharedMerging, AColumnIsNotSideBySide) {
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+64];"),
              IsEmpty());
}

TEST(SharedMerging, AStoreOrABarrierBetweenThemSeparates) {
  EXPECT_THAT(
      widths(std::string(kRow64) + "ld.shared.f64 %fd1, [%r4]; bar.sync 0; ld.shared.f64 %fd2, [%r4+8];"),
      IsEmpty());
  EXPECT_THAT(widths(std::string(kRow64) +
                     "ld.shared.f64 %fd1, [%r4]; st.shared.f64 [%r3], %fd1; ld.shared.f64 %fd2, [%r4+8];"),
              IsEmpty());
}

// For three of four words, ptxas loads the fourth word, too.
TEST(SharedMerging, ThreeOfFourWordsAreOneLoadFromTheirWindowsBegin) {
  const std::string loads =
      "ld.shared.f32 %f1, [%r4+4]; ld.shared.f32 %f2, [%r4+8]; ld.shared.f32 %f3, [%r4+12];";
  EXPECT_THAT(widths(std::string(kRow64) + loads), ElementsAre(16, 0, 0));
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4]; "
                                           "ld.shared.f32 %f3, [%r4+12];"),
              ElementsAre(16, 0, 0));
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+12];"),
              IsEmpty());
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.f32 %f1, [%r4+4]; ld.shared.f32 %f2, [%r4+8];"),
              IsEmpty());
  // Rows of 8 bytes: only pairs are known to be aligned.
  EXPECT_THAT(
      widths("mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 3; mov.u32 %r3, s; add.s32 %r4, %r3, %r2;" + loads),
      ElementsAre(8, 0));
}

// Rows of 16 bytes whose first word is not used: eight lanes per wavefront, which fill all 32 banks.
TEST(SharedMerging, AMergedLoadBeginsWhereItsWindowDoes) {
  KernelHarness harness(
      KernelHarness::kernel(".shared .align 16 .b8 s[1024];\n"
                            "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, s;\n"
                            "add.s32 %r4, %r3, %r2; ld.shared.f32 %f1, [%r4+4];\n"
                            "ld.shared.f32 %f2, [%r4+8]; ld.shared.f32 %f3, [%r4+12];",
                            0));
  harness.check_memory = harness.check_races = false;
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(result.counters->get(Counter::kSharedLoadInstructions), 1);
  EXPECT_EQ(result.counters->get(Counter::kSharedLoadWavefronts), 4);
  EXPECT_EQ(result.counters->get(Counter::kSharedLoadConflicts), 0);
}

TEST(SharedMerging, ElementsOfTwoBytesMergeUpToEight) {
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.u16 %rs1, [%r4]; ld.shared.u16 %rs2, [%r4+2]; "
                                           "ld.shared.u16 %rs3, [%r4+4]; ld.shared.u16 %rs4, [%r4+6]; "
                                           "ld.shared.u16 %rs5, [%r4+8]; ld.shared.u16 %rs6, [%r4+10];"),
              ElementsAre(8, 0, 0, 0, 4, 0));
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.u8 %rs1, [%r4]; ld.shared.u8 %rs2, [%r4+1];"),
              IsEmpty());
}

TEST(SharedMerging, WhatIsLoadedAgainIsNotLoadedAgain) {
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4];"),
              ElementsAre(0));
  EXPECT_THAT(
      widths(std::string(kRow64) + "ld.shared.f32 %f1, [%r4]; bar.warp.sync -1; ld.shared.f32 %f2, [%r4];"),
      IsEmpty());
}

TEST(SharedMerging, ShortVectorsMerge) {
  EXPECT_THAT(widths(std::string(kRow64) +
                     "ld.shared.v2.f32 {%f1, %f2}, [%r4]; ld.shared.v2.f32 {%f3, %f4}, [%r4+8];"),
              ElementsAre(16, 0));
  EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.v2.f32 {%f1, %f2}, [%r4]; ld.shared.f32 %f3, [%r4+8];"),
              ElementsAre(16, 0));
}

TEST(SharedMerging, AddressesAreComparedNotRegisters) {
  EXPECT_THAT(widths(std::string(kRow64) +
                     "add.s32 %r5, %r4, 4; ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r5];"),
              ElementsAre(8, 0));
  EXPECT_THAT(
      widths(std::string(kRow64) + "mad.lo.s32 %r5, %r1, 64, %r3; add.s32 %r6, %r1, 1; shl.b32 %r6, %r6, 6; "
                                   "add.s32 %r6, %r6, %r3; ld.shared.f32 %f1, [%r5+60]; "
                                   "ld.shared.f32 %f2, [%r4+56]; ld.shared.f32 %f3, [%r6];"),
      ElementsAre(0, 8));
  EXPECT_THAT(widths("mov.u32 %r1, s; ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [s+4];"),
              ElementsAre(8, 0));
}

TEST(SharedMerging, WhatLiesElsewhereDoesNotSeparate) {
  for (const char* between : {"st.global.f32 [%rd1], %f1;", "red.global.add.u32 [%rd1], 1;",
                              "ld.volatile.shared.f32 %f9, [%r3];", "shfl.sync.idx.b32 %r9, %r1, 0, 31, -1;"})
    EXPECT_THAT(
        widths(std::string(kRow64) + "ld.shared.f32 %f1, [%r4];" + between + "ld.shared.f32 %f2, [%r4+4];"),
        ElementsAre(8, 0))
        << between;
  for (const char* between :
       {"st.f32 [%rd1], %f1;", "red.shared.add.u32 [%r3], 1;", "membar.cta;", "@%p1 bra L;"})
    EXPECT_THAT(widths(std::string(kRow64) + "ld.shared.f32 %f1, [%r4];" + between +
                       "ld.shared.f32 %f2, [%r4+4];" + "\nL:"),
                IsEmpty())
        << between;
}

TEST(SharedMerging, ABaseThatChangesSeparates) {
  EXPECT_THAT(widths(std::string(kRow64) +
                     "ld.shared.f64 %fd1, [%r4]; add.s32 %r4, %r4, 16; ld.shared.f64 %fd2, [%r4+8];"),
              IsEmpty());
}

}  // namespace
}  // namespace cudalab::vgpu
