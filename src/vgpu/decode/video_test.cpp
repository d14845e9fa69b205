// Tests video instructions against the PTX ISA's pseudocode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// a, b and c are in %r1, %r2 and %r3; the result is %r4.
std::string video_kernel(const std::string& instruction) {
  return KernelHarness::kernel("ld.param.u64 %rd0, [p0];\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0];\n" +
                                   instruction + "\nst.global.u32 [%rd0], %r4;",
                               1);
}

struct VideoCase {
  const char* instruction;
  std::uint32_t a, b, c, d;
};

void expect(const VideoCase& one) {
  KernelHarness harness(video_kernel(one.instruction));
  const auto memory = harness.buffer(std::vector<std::uint32_t>{one.a, one.b, one.c, 0xeeeeeeee});
  const LaunchResult result = harness.run({1, 1, 1}, {1, 1, 1}, memory);
  ASSERT_TRUE(result.hazards.empty()) << result.hazards.back().what;
  EXPECT_EQ(harness.read<std::uint32_t>(memory, 1)[0], one.d) << one.instruction;
}

const VideoCase kScalar[] = {
    {"vadd.s32.u32.s32 %r4, %r1, %r2;", 5, 0xffffffff, 0, 4},
    {"vadd.s32.s32.s32 %r4, %r1.b0, %r2.h1;", 0x000000ff, 0x00030000, 0, 2},
    {"vadd.s32.u32.s32 %r4, %r1.b3, %r2.h0;", 0xff000000, 0x0000ffff, 0, 254},
    {"vadd.u32.u32.u32.sat %r4, %r1, %r2;", 0xffffffff, 2, 0, 0xffffffff},
    {"vadd.s32.s32.s32.sat %r4, %r1, %r2;", 0x7fffffff, 1, 0, 0x7fffffff},
    {"vsub.u32.u32.u32.sat %r4, %r1, %r2;", 1, 2, 0, 0},
    {"vsub.s32.u32.u32 %r4, %r1, %r2;", 1, 2, 0, 0xffffffff},
    {"vsub.s32.s32.s32.add %r4, %r1, %r2, %r3;", 9, 4, 100, 105},
    {"vabsdiff.u32.s32.s32 %r4, %r1, %r2;", 0xffffffff, 4, 0, 5},
    {"vabsdiff.u32.u32.u32.add %r4, %r1.b1, %r2.b2, %r3;", 0x0700, 0x090000, 10, 12},
    {"vmin.s32.s32.s32 %r4, %r1, %r2;", 0xfffffffe, 1, 0, 0xfffffffe},
    {"vmin.u32.u32.u32 %r4, %r1, %r2;", 0xfffffffe, 1, 0, 1},
    {"vmax.s32.s32.u32 %r4, %r1, %r2;", 0xffffffff, 0xfffffff0, 0, 0xfffffff0},  // compared as signed numbers
    {"vmax.s32.s32.s32.min %r4, %r1, %r2, %r3;", 5, 7, 0xffffffff, 0xffffffff},
    {"vmax.u32.u32.u32.min %r4, %r1, %r2, %r3;", 5, 7, 0xffffffff, 7},
    {"vmin.s32.s32.s32.max %r4, %r1, %r2, 6;", 5, 7, 0, 6},
    {"vadd.s32.s32.s32 %r4.b1, %r1, %r2, %r3;", 0x1ff, 1, 0x11223344, 0x11220044},
    {"vadd.u32.u32.u32.sat %r4.b1, %r1, %r2, %r3;", 0x1ff, 1, 0x11223344, 0x1122ff44},
    {"vadd.s32.s32.s32.sat %r4.h1, %r1, %r2, %r3;", 0x8000, 0, 0x11223344, 0x7fff3344},
    {"vshl.u32.u32.u32.clamp %r4, %r1, %r2;", 3, 40, 0, 0},
    {"vshl.u32.u32.u32.wrap %r4, %r1, %r2;", 3, 33, 0, 6},
    {"vshl.u32.u32.u32.sat.clamp %r4, %r1, %r2;", 0xffffffff, 32, 0, 0xffffffff},
    {"vshr.s32.s32.u32.clamp %r4, %r1, %r2;", 0x80000000, 99, 0, 0xffffffff},
    {"vshr.u32.u32.u32.wrap.add %r4, %r1.h1, %r2, %r3;", 0x80000000, 34, 1, 0x2001},
    {"vset.s32.u32.lt %r4, %r1, %r2;", 0xffffffff, 0, 0, 1},
    {"vset.u32.u32.lt %r4, %r1, %r2;", 0xffffffff, 0, 0, 0},
    {"vset.u32.u32.ge.add %r4, %r1.b0, %r2.b3, %r3;", 7, 0x07000000, 41, 42},
    {"vset.u32.u32.ne %r4.h1, %r1, %r2, %r3;", 1, 2, 0x55556666, 0x00016666},
};

TEST(Video, ScalarsAreSelectedComputedSaturatedAndMerged) {
  for (const VideoCase& one : kScalar) expect(one);
}

const VideoCase kMultiplyAdd[] = {
    {"vmad.u32.u32.u32 %r4, %r1, %r2, %r3;", 7, 9, 100, 163},
    {"vmad.s32.s32.u32 %r4, %r1.b0, %r2.h1, %r3;", 0xff, 0x00050000, 3, 0xfffffffe},
    {"vmad.u32.u32.u32.po %r4, %r1.b1, %r2.b3, %r3;", 0x0200, 0x03000000, 1, 8},
    {"vmad.s32.s32.s32.shr7 %r4, %r1, %r2, %r3;", 0xffffff00, 1, 0, 0xfffffffe},
    {"vmad.u32.u32.u32.shr15 %r4, %r1, %r2, %r3;", 0x80000000, 0x10000, 0x8000, 1},
    {"vmad.u32.u32.u32.sat %r4, %r1, %r2, %r3;", 0x80000000, 2, 0, 0xffffffff},
    {"vmad.s32.s32.u32.sat %r4, %r1, %r2, %r3;", 0x80000000, 2, 0, 0x80000000},
    {"vmad.u32.u32.u32.po.sat.shr7 %r4, %r1, %r2, %r3;", 0xffffffff, 0xffffffff, 0, 0xffffffff},
    {"vmad.s32.u32.s32 %r4, %r1, %r2, %r3;", 0xffffffff, 1, 0xffffffff, 0xfffffffe},
};

TEST(Video, ProductsAreAddedShiftedAndSaturatedByTheSignsOfTheirFactors) {
  for (const VideoCase& one : kMultiplyAdd) expect(one);
}

const VideoCase kSimd[] = {
    {"vadd4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x01ff7f10, 0x01010101, 0, 0x02008011},
    {"vadd4.u32.u32.u32.sat %r4, %r1, %r2, %r3;", 0x01ff7f10, 0x01010101, 0, 0x02ff8011},
    {"vadd4.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x80ff7f10, 0xff010101, 0, 0x80007f11},
    {"vadd4.u32.u32.u32.add %r4, %r1, %r2, %r3;", 0xffffffff, 0x01010101, 1, 1025},
    {"vsub4.u32.u32.u32.sat %r4.b20, %r1, %r2, %r3;", 0x05050505, 0x01020309, 0xaabbccdd, 0xaa03cc00},
    {"vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3;", 0x01020304, 0x04030201, 100, 108},
    {"vabsdiff4.u32.u32.u32.add %r4.b3, %r1, %r2, %r3;", 0x01020304, 0x04030201, 100, 103},
    {"vmin4.s32.s32.s32 %r4, %r1, %r2, %r3;", 0x01ff7f10, 0x02fe8011, 0, 0x01fe8010},
    {"vmax4.u32.u32.u32 %r4, %r1.b0123, %r2.b7777, %r3;", 0x01020304, 0x03000000, 0, 0x04030303},
    {"vmax4.u32.u32.u32 %r4, %r1.b4567, %r2.b0000, %r3;", 0x00000002, 0x03000100, 0, 0x02020203},
    {"vset4.u32.u32.lt %r4, %r1, %r2, %r3;", 0x01020304, 0x04030201, 0, 0x01010000},
    {"vset4.u32.u32.eq.add %r4, %r1, %r2, %r3;", 0x01020304, 0x01020300, 7, 10},
    {"vavrg4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x010200ff, 0x020200ff, 0, 0x020200ff},
    {"vavrg2.s32.s32.s32 %r4, %r1, %r2, %r3;", 0xffff0001, 0xfffe0002, 0, 0xfffe0002},
    {"vadd2.u32.u32.u32 %r4.h0, %r1, %r2.h23, %r3;", 0x00010002, 0x00030004, 0x55556666, 0x55550005},
    {"vsub2.s32.u32.u32.add %r4, %r1, %r2, %r3;", 0x00010002, 0x00030004, 10, 6},
    {"vset2.s32.s32.gt %r4, %r1, %r2, %r3;", 0x00008000, 0xffff0000, 0, 0x00010000},
};

TEST(Video, VectorsAreSelectedComputedSaturatedAndMergedOrAdded) {
  for (const VideoCase& one : kSimd) expect(one);
}

TEST(Video, OnlyActiveLanesGetAResult) {
  KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u64 %rd0, [p0];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd0, %r1, 4, %rd0;
    mov.u32 %r4, 5;
    setp.eq.u32 %p1, %r1, 1;
    @%p1 vadd4.u32.u32.u32 %r4, %r1, %r1, 0;
    st.global.u32 [%rd0], %r4;)",
                                              1));
  const auto memory = harness.buffer(std::vector<std::uint32_t>(3));
  harness.run({1, 1, 1}, {3, 1, 1}, memory);
  EXPECT_THAT(harness.read<std::uint32_t>(memory, 3), testing::ElementsAre(5, 2, 5));
}

TEST(Video, APartIsAUseOfItsRegister) {
  KernelHarness harness(
      KernelHarness::kernel("ld.param.u64 %rd0, [p0];\natom.global.exch.b32 %r1, [%rd0], "
                            "9;\natom.global.add.u32 %r2, [%rd0+4], 1;\n"
                            "vadd.u32.u32.u32 %r3, %r1.b0, %r2.b1;\nst.global.u32 [%rd0+8], %r3;",
                            1));
  const auto memory = harness.buffer(std::vector<std::uint32_t>{7, 0x500, 0});
  harness.run({1, 1, 1}, {1, 1, 1}, memory);
  EXPECT_THAT(harness.read<std::uint32_t>(memory, 3), testing::ElementsAre(9, 0x501, 12));
}

TEST(Video, WhatPtxHasNotIsRefused) {
  for (const char* wrong : {"vavrg.u32.u32.u32 %r4, %r1, %r2;",
                            "vshl2.u32.u32.u32.clamp %r4, %r1, %r2, %r3;",
                            "vshl.u32.u32.u32 %r4, %r1, %r2;",
                            "vshr.s32.s32.s32.clamp %r4, %r1, %r2;",
                            "vmad.u32.u32.u32 %r4, %r1, %r2;",
                            "vmad.u32.u32.u32.shr7.shr15 %r4, %r1, %r2, %r3;",
                            "vmad.u32.u32.u32 %r4.b0, %r1, %r2, %r3;",
                            "vmad.u32.u32.u32.clamp %r4, %r1, %r2, %r3;",
                            "vset.u32.u32 %r4, %r1, %r2;",
                            "vadd.u32.u32 %r4, %r1, %r2;",
                            "vadd.u64.u32.u32 %r4, %r1, %r2;",
                            "vadd.u32.u32.u32.add %r4, %r1, %r2;",
                            "vadd.u32.u32.u32 %r4.b4, %r1, %r2, %r3;",
                            "vadd.u32.u32.u32.add %r4.b0, %r1, %r2, %r3;",
                            "vadd4.u32.u32.u32.min %r4, %r1, %r2, %r3;",
                            "vadd4.u32.u32.u32 %r4, %r1.h10, %r2, %r3;",
                            "vadd4.u32.u32.u32 %r4, %r1.b8000, %r2, %r3;",
                            "vadd2.u32.u32.u32 %r4.h2, %r1, %r2, %r3;",
                            "vadd.u32.u32.u32 %r4, %r1.h10, %r2;",
                            "add.u32 %r4, %r1.h0, %r2;",
                            "mov.b32 %r4.h0, %r1;"})
    EXPECT_THROW(KernelHarness{video_kernel(wrong)}, Error) << wrong;
}

}  // namespace
}  // namespace cudalab::vgpu
