// Tests which faults a launch has, and its predicted time without each of them.
#include "vgpu/time/faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kBytes = 1 << 22;

struct Shape {
  Dim3 grid{528, 1, 1}, block{256, 1, 1};
  KernelResources resources{.registers = 32};
};

// A kernel with a buffer at %rd1 and shared memory at %r2. %r1: the thread's index in the block; %r3: in the
// grid.
Prediction prediction_of(const std::string& body, const Shape& shape = {}) {
  VirtualGpu gpu(Options{.card = find_card("h200"), .host_threads = 1, .memory_bytes = 4 * kBytes});
  const std::string shared = ".shared .align 8 .b8 s[32768];\n.const .align 4 .b8 c[4096];";
  const std::string begin =
      "ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\n"
      "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.u32 %r3, %r4, %r5, %r1;\n";
  const auto module = gpu.load(ptx::parse(KernelHarness::kernel(begin + body, 1, shared), "test.ptx"),
                               "test.cu", {{"test", shape.resources}});
  const std::uint64_t buffer = gpu.allocate("data", kBytes);
  gpu.fill(buffer, kBytes, 0, false);
  LaunchRequest request;
  request.spec = {shape.grid, shape.block};
  request.options.predict = true;
  request.parameters.resize(module->kernels()[0].parameter_bytes);
  std::memcpy(request.parameters.data(), &buffer, sizeof buffer);
  return gpu.launch(*module, request).prediction.value_or(Prediction{});
}

std::optional<double> ms_without(const Prediction& prediction, Fault fault) {
  const auto found = std::ranges::find(prediction.without, fault, &TimeWithout::fault);
  return found == prediction.without.end() ? std::nullopt : std::optional(found->ms);
}

bool has(const std::string& body, Fault fault, const Shape& shape = {}) {
  return ms_without(prediction_of(body, shape), fault).has_value();
}

void expect_about(double found, double expected, double error) { EXPECT_NEAR(found / expected, 1, error); }

// Lane l of each warp accesses word (l * stride) of its warp's 32 * 8 words.
std::string global(const std::string& access, int stride) {
  return "and.b32 %r6, %r3, 31;\nmul.lo.u32 %r6, %r6, " + std::to_string(stride) +
         ";\nand.b32 %r6, %r6, 255;\nshr.u32 %r7, %r3, 5;\nshl.b32 %r7, %r7, 8;\nadd.u32 %r6, %r6, %r7;\n"
         "and.b32 %r6, %r6, 1048575;\nmul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd2, %rd1, %rd2;\n" +
         access;
}

TEST(Faults, ACoalescedCopyHasNone) {
  const std::string copy = global("ld.global.u32 %r8, [%rd2];\nst.global.u32 [%rd2], %r8;", 1);
  for (const Fault fault :
       {Fault::kGlobalLoads, Fault::kGlobalStores, Fault::kSharedLoads, Fault::kSharedStores,
        Fault::kConstants, Fault::kGlobalAtomics, Fault::kLocalMemory, Fault::kDivergence, Fault::kBarriers,
        Fault::kFewBlocks, Fault::kDoubles})
    EXPECT_FALSE(has(copy, fault)) << static_cast<int>(fault);
}

TEST(Faults, UncoalescedStoresTakeAsLongAsCoalescedOnesWithoutTheFault) {
  const Prediction strided = prediction_of(global("st.global.u32 [%rd2], %r1;", 8)),
                   row = prediction_of(global("st.global.u32 [%rd2], %r1;", 1));
  ASSERT_TRUE(ms_without(strided, Fault::kGlobalStores));
  EXPECT_FALSE(ms_without(strided, Fault::kGlobalLoads));
  expect_about(*ms_without(strided, Fault::kGlobalStores), row.ms, 0.1);
}

TEST(Faults, UncoalescedLoadsTakeAsLongAsCoalescedOnesWithoutTheFault) {
  const std::string use = "ld.global.u32 %r8, [%rd2];\nsetp.eq.u32 %p1, %r8, 1;\n@%p1 trap;";
  const Prediction strided = prediction_of(global(use, 8)), row = prediction_of(global(use, 1));
  ASSERT_TRUE(ms_without(strided, Fault::kGlobalLoads));
  expect_about(*ms_without(strided, Fault::kGlobalLoads), row.ms, 0.1);
}

// Each thread stores 32 times to its own word.
std::string shared_stores(int words_apart) {
  std::string body = "and.b32 %r6, %r1, 31;\nmul.lo.u32 %r6, %r6, " + std::to_string(4 * words_apart) +
                     ";\nadd.u32 %r6, %r2, %r6;\n";
  for (int i = 0; i < 32; ++i) body += "st.volatile.shared.u32 [%r6], %r1;\n";
  return body;
}

TEST(Faults, BankConflictsCostNothingElse) {
  const Prediction conflicts = prediction_of(shared_stores(32)), none = prediction_of(shared_stores(33));
  ASSERT_TRUE(ms_without(conflicts, Fault::kSharedStores));
  EXPECT_FALSE(ms_without(none, Fault::kSharedStores));
  expect_about(*ms_without(conflicts, Fault::kSharedStores), none.ms, 0.01);
}

TEST(Faults, ConstantsOfOneAddressAreNone) {
  const auto load = [](const std::string& lane) {
    return "mov.u64 %rd3, c;\nand.b32 %r7, %r1, " + lane +
           ";\nmul.wide.u32 %rd4, %r7, 4;\nadd.s64 %rd3, %rd3, %rd4;\n"
           "ld.const.u32 %r8, [%rd3];\nld.const.u32 %r9, [%rd3+256];\nadd.u32 %r8, %r8, %r9;\n"
           "st.shared.u32 [%r2], %r8;";
  };
  EXPECT_TRUE(has(load("31"), Fault::kConstants));
  EXPECT_FALSE(has(load("32"), Fault::kConstants));
}

TEST(Faults, AtomicsOfAllThreadsOnOneWord) {
  EXPECT_TRUE(has("red.global.add.u32 [%rd1], 1;", Fault::kGlobalAtomics));
  EXPECT_FALSE(has(global("red.global.add.u32 [%rd2], 1;", 1), Fault::kGlobalAtomics));
}

TEST(Faults, LanesThatPart) {
  const auto branch = [](const std::string& condition) {
    std::string body = condition + "@%p1 bra ODD;\n";
    for (int i = 0; i < 40; ++i) body += "xor.b32 %r8, %r3, %r8;\nadd.u32 %r8, %r8, %r1;\n";
    body += "bra.uni END;\nODD:\n";
    for (int i = 0; i < 40; ++i) body += "add.u32 %r8, %r8, %r3;\nxor.b32 %r8, %r8, %r1;\n";
    return body + "END:\nst.shared.u32 [%r2], %r8;";
  };
  EXPECT_TRUE(has("mov.u32 %r8, 0;\nand.b32 %r6, %r1, 1;\nsetp.eq.u32 %p1, %r6, 1;\n" + branch(""),
                  Fault::kDivergence));
  EXPECT_FALSE(has("mov.u32 %r8, 0;\nand.b32 %r6, %r1, 32;\nsetp.eq.u32 %p1, %r6, 32;\n" + branch(""),
                   Fault::kDivergence));
}

TEST(Faults, SpillsAndOccupancyAreWhatPtxasSays) {
  const std::string load = global("ld.global.u32 %r8, [%rd2];\nst.global.u32 [%rd2], %r8;", 1);
  EXPECT_TRUE(
      has(load, Fault::kLocalMemory,
          {.resources = {
               .registers = 255, .stack_bytes = 400, .spill_store_bytes = 400, .spill_load_bytes = 800}}));
  EXPECT_TRUE(has(load, Fault::kOccupancy, {.grid = {8448, 1, 1}, .resources = {.registers = 128}}));
  EXPECT_FALSE(has(load, Fault::kOccupancy, {.grid = {8448, 1, 1}}));
}

TEST(Faults, ALoopOfOneBlockCouldBeDividedAmongMany) {
  const std::string loop =
      "mov.u32 %r6, 0;\nLOOP:\nmad.lo.u32 %r7, %r6, 256, %r1;\nmul.wide.u32 %rd2, %r7, 4;\n"
      "add.s64 %rd2, %rd1, %rd2;\nld.global.u32 %r8, [%rd2];\nst.global.u32 [%rd2], %r8;\n"
      "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 64;\n@%p1 bra LOOP;\n";
  EXPECT_TRUE(has(loop, Fault::kFewBlocks, {.grid = {1, 1, 1}}));
  EXPECT_FALSE(has(loop, Fault::kFewBlocks));
  EXPECT_FALSE(has(global("st.global.u32 [%rd2], %r1;", 1), Fault::kFewBlocks, {.grid = {1, 1, 1}}))
      << "nothing to divide";
}

TEST(Faults, TheLaunchOverheadIsTheGpusOwn) {
  const Prediction prediction = prediction_of("mov.u32 %r6, 0;");
  ASSERT_TRUE(ms_without(prediction, Fault::kLaunch));
  EXPECT_NEAR(prediction.ms - *ms_without(prediction, Fault::kLaunch), find_card("h200")->launch_us * 1e-3,
              1e-9);
}

}  // namespace
}  // namespace cudalab::vgpu
