// Tests damaged and hostile PTX: loading ends with a module or one error message, launching with a result,
// quickly and with little memory.
#include <gtest/gtest.h>

#include <chrono>

#include "core/diagnostics/message_testing.h"
#include "ptx/mutator_testing.h"
#include "vgpu/hostile_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

constexpr std::string_view kSample = R"(.version 8.7
.target sm_90
.address_size 64
.global .align 4 .u32 ticket;
.const .align 4 .b8 factors[16] = {1, 0, 0, 0, 2};
.visible .func (.param .b32 result) twice(.param .b32 value)
{
  .reg .b32 %r<4>;
  .local .align 4 .b8 stack[16];
  ld.param.u32 %r1, [value];
  st.local.u32 [stack+4], %r1;
  ld.local.u32 %r2, [stack+4];
  add.s32 %r3, %r1, %r2;
  st.param.b32 [result], %r3;
  ret;
}
.visible .entry sample(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<6>;
  .reg .f32 %f<6>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<20>;
  .shared .align 8 .b8 tile[512];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [n];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %tid.y;
  mad.lo.s32 %r5, %r4, 48, %r2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  ld.global.u32 %r6, [%rd6];
  ld.global.v2.u32 {%r7, %r8}, [%rd3+16];
  mov.u32 %r9, tile;
  shl.b32 %r10, %r5, 2;
  add.s32 %r11, %r9, %r10;
  st.shared.u32 [%r11], %r6;
  bar.sync 0;
  ld.shared.u32 %r12, [%r9+8];
  mov.u32 %r13, 0;
$loop:
  setp.ge.u32 %p1, %r13, 7;
  @%p1 bra $done;
  and.b32 %r14, %r13, 3;
  setp.eq.s32 %p2, %r14, 2;
  @%p2 bra $skip;
  xor.b32 %r12, %r12, %r13;
  @!%p2 add.s32 %r12, %r12, %r14;
$skip:
  add.s32 %r13, %r13, 1;
  bra $loop;
$done:
  shfl.sync.bfly.b32 %r15, %r12, 1, 31, -1;
  vote.sync.any.pred %p3, %p1, -1;
  bar.warp.sync -1;
  atom.global.add.u32 %r16, [ticket], 1;
  red.shared.add.u32 [%r9], %r15;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r15;
    call.uni (b), twice, (a);
    ld.param.b32 %r17, [b];
  }
  and.b32 %r18, %r17, 1;
  targets: .branchtargets $zero, $one;
  brx.idx %r18, targets;
$zero:
  add.s32 %r17, %r17, 5;
$one:
  ld.const.u32 %r19, [factors+4];
  mul.lo.s32 %r20, %r17, %r19;
  membar.gl;
  add.s64 %rd7, %rd4, %rd5;
  st.global.u32 [%rd7], %r20;
  bar.red.popc.u32 %r21, 1, 96, %p3;
  ret;
}
)";

TEST(HostilePtx, TheSampleItselfRuns) { EXPECT_EQ(run_anything(kSample), 1); }

TEST(HostilePtx, DamagedTextsComeToAnEnd) {
  constexpr unsigned kTexts = 3000;
  int ran = 0;
  for (unsigned seed = 0; seed < kTexts; ++seed)
    ran += run_anything(ptx::Mutator(seed).mutate(kSample), 1 + seed % 2) > 0;
  EXPECT_GT(ran, 300);  // otherwise the damage is so severe that little is tested
}

// ---- specific texts ----------------------------------------------------------------------------------
Message refusal_of_ptx(const std::string& text, ExitCode code = ExitCode::kUsage) {
  VirtualGpu gpu(Options{.host_threads = 1, .memory_bytes = std::size_t{64} << 20});
  return refused([&] { gpu.load(ptx::parse(text, "test.ptx"), "test.cu"); }, code);
}

TEST(HostilePtx, ManyLoopsAreLaidOutSoon) {
  std::string sequential, nested, ends;
  for (int i = 0; i < 20000; ++i) {
    const std::string label = "$s" + std::to_string(i);
    sequential += label + ":\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 3;\n@%p1 bra " + label + ";\n";
  }
  for (int i = 0; i < 5000; ++i) {
    nested += "$n" + std::to_string(i) + ":\nadd.s32 %r1, %r1, 1;\n";
    ends = "setp.lt.s32 %p1, %r1, 3;\n@%p1 bra $n" + std::to_string(i) + ";\n" + ends;
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(refusal_of_ptx(KernelHarness::kernel(sequential)), Message());
  EXPECT_EQ(refusal_of_ptx(KernelHarness::kernel(nested + ends)), Message());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// One list of 4,000 targets for each of 4,000 branches.
TEST(HostilePtx, MoreBranchTargetsThanTextAreRefusedSoon) {
  std::string labels, branches;
  for (int i = 0; i < 4000; ++i) {
    labels += (i ? ", $b" : "$b") + std::to_string(i);
    branches += "$b" + std::to_string(i) + ":\nbrx.idx %r1, list;\n";
  }
  EXPECT_THAT(refusal_of_ptx(KernelHarness::kernel("list: .branchtargets " + labels + ";\n" + branches)),
              IsMessage("branch_targets_too_many"));
}

TEST(HostilePtx, SizesThatNoCardHasAreRefused) {
  EXPECT_THAT(refusal_of_ptx(KernelHarness::kernel(".local .b8 big[1000000000000];\nst.local.u32 [big], 1;")),
              IsMessage("function_local_memory_too_large"));
  EXPECT_THAT(
      refusal_of_ptx(KernelHarness::kernel(".shared .b8 big[1000000000000];\nst.shared.u32 [big], 1;")),
      IsMessage("shared_variable_too_large"));
  EXPECT_THAT(
      refusal_of_ptx(KernelHarness::kernel("", 1, ".global .b8 big[1000000000000];"), ExitCode::kUnavailable),
      IsMessage("virtual_memory_exhausted"));  // more than the virtual GPU's memory
  EXPECT_THAT(refusal_of_ptx(KernelHarness::kernel("", 1, ".const .b8 big[1000000];")),
              IsMessage("constant_variables_too_large"));
  EXPECT_THAT(refusal_of_ptx(KernelHarness::kernel(".reg .b64 %many<1000000>;\nmov.b64 %many999999, 1;")),
              IsMessage("function_frame_too_large"));
  EXPECT_THAT(refusal_of_ptx(KernelHarness::kernel("", 5000)),
              IsMessage("kernel_parameters_too_large"));  // 40,000 bytes
}

TEST(HostilePtx, AKernelIsNotCalled) {
  const std::string other =
      ".visible .entry other(.param .b8 big[4096]) { .reg .b32 %r<2>; ld.param.u32 %r1, [big+4000]; ret; }";
  KernelHarness harness(KernelHarness::kernel("call other;", 1, other));
  EXPECT_TRUE(harness.module().kernels()[0].refusal.empty());
  EXPECT_THAT(harness.module().kernels()[1].refusal, MentionsMessage("call_of_kernel"));
}

TEST(HostilePtx, DynamicSharedMemoryBeyondAllBoundsIsRefused) {
  KernelHarness harness(KernelHarness::kernel("", 0, ".shared .b8 some[64];"));
  for (const std::size_t bytes : {std::size_t{1} << 31, ~std::size_t{0}, ~std::size_t{0} - 63}) {
    harness.dynamic_shared = bytes;
    const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1});
    ASSERT_EQ(result.hazards.size(), 1u);
    EXPECT_EQ(result.hazards[0].kind, HazardKind::kInvalidLaunch);
  }
}

TEST(HostilePtx, AnEmptyKernelOnTheLargestGridMeetsTheStepLimit) {
  KernelHarness harness(".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry test() { }\n");
  harness.max_steps = 100'000;
  const LaunchResult result = harness.run({2147483647, 65535, 65535}, {1, 1, 1});
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kStepLimit);
}

}  // namespace
}  // namespace cudalab::vgpu
