// Tests registers other than plain ones: vectors and their elements, and the shared memory given by a special
// register.
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

TEST(VectorRegisters, AreTheirElements) {
  KernelHarness harness(KernelHarness::kernel(R"(
    .reg .v2 .b32 pair;
    .reg .v4 .b32 %quad<2>;
    ld.param.u64 %rd1, [p0];
    mov.u64 %rd2, 0x700000005;
    mov.b64 pair, %rd2;
    sub.u32 %quad0.x, pair.y, pair.x;
    add.u32 %quad0.y, pair.x, pair.y;
    mov.u32 %quad0.z, 30;
    mov.u32 %quad0.w, 40;
    st.global.v4.u32 [%rd1], %quad0;
    ld.global.v4.u32 %quad1, [%rd1];
    st.global.u32 [%rd1], %quad1.w;)"));
  const std::uint64_t out = harness.buffer(std::vector<std::uint32_t>(4));
  EXPECT_TRUE(harness.run({1, 1, 1}, {1, 1, 1}, out, out).completed);
  EXPECT_EQ(harness.read<std::uint32_t>(out, 4), (std::vector<std::uint32_t>{40, 12, 30, 40}));
}

// After the block's own shared memory; zero when the block begins, so no thread has to write it first.
TEST(ReservedSharedMemory, BeginsAsZeroInEveryBlock) {
  KernelHarness harness(KernelHarness::kernel(R"(
    .shared .align 4 .b8 own[20];
    ld.param.u64 %rd1, [p0];
    mov.u32 %r1, %reserved_smem_offset_1;
    atom.shared.add.u32 %r2, [%r1+284], 1;
    bar.sync 0;
    ld.shared.u32 %r3, [%r1+284];
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %tid.x;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 ret;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;)"));
  const std::uint64_t out = harness.buffer(std::vector<std::uint32_t>(3));
  const LaunchResult result = harness.run({3, 1, 1}, {64, 1, 1}, out, out);
  EXPECT_TRUE(result.hazards.empty()) << result.hazards[0].what;
  EXPECT_EQ(harness.read<std::uint32_t>(out, 3), (std::vector<std::uint32_t>{64, 64, 64}));
}

}  // namespace
}  // namespace cudalab::vgpu
