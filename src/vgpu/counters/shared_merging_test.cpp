// Merging of neighbouring shared loads, as the card's counters show that ptxas does it.
#include "vgpu/counters/shared_merging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The merged widths in order of the loads.
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

TEST(SharedMerging, ABaseThatChangesSeparates) {
  EXPECT_THAT(widths(std::string(kRow64) +
                     "ld.shared.f64 %fd1, [%r4]; add.s32 %r4, %r4, 16; ld.shared.f64 %fd2, [%r4+8];"),
              IsEmpty());
}

}  // namespace
}  // namespace cudalab::vgpu
