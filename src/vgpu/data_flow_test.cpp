// Tests which statements are found to carry data from inputs to outputs.
#include "vgpu/data_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/text.h"
#include "ptx/silence.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

constexpr ptx::Carriers kExchanges{.exchanges = true}, kSharedLoads{.shared_loads = true};
constexpr std::size_t kBlocks = 16;

// %rd1: in, %rd2: out, %r1: lane, %r2: thread of the grid, %rd4: the address of its element, %rd6: of its
// block's result, %p1: lane 0
constexpr const char* kFlowStart =
    "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r2, %r3, 32, %r1;\n"
    "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3;\n"
    "mul.wide.u32 %rd5, %r3, 4; add.s64 %rd6, %rd2, %rd5; setp.eq.u32 %p1, %r1, 0;\n";

std::string sum_by_shuffles(const std::string& value) {
  std::string text;
  for (const char* distance : {"16", "8", "4", "2", "1"})
    text += replaced("shfl.sync.down.b32 %r20, V, D, 31, -1; add.u32 V, V, %r20;\n", "D", distance);
  return replaced(text, "V", value);
}

// Lane 0 adds the elements of its block.
std::string sum_by_one_lane() {
  std::string text = "mov.u32 %r10, 0;\n";
  for (int i = 0; i < 32; ++i)
    text += "@%p1 ld.global.u32 %r11, [%rd4+" + std::to_string(4 * i) + "]; @%p1 add.u32 %r10, %r10, %r11;\n";
  return text;
}

DataFlow flow_of(const std::string& body, ptx::Carriers carriers, const std::string& before = "",
                 std::size_t blocks = kBlocks, std::uint64_t seed = 1) {
  const std::string text =
      KernelHarness::kernel(kFlowStart + body + "@%p1 st.global.u32 [%rd6], %r10;", 2, before);
  VirtualGpu gpu(Options{.host_threads = 1, .memory_bytes = std::size_t{1} << 30});
  ptx::Module module = ptx::parse(ptx::with_taps(text, carriers), "test.ptx");
  module.has_taps = true;
  const auto loaded = gpu.load(module, "test.cu");
  std::vector<std::uint32_t> in(32 * blocks);
  std::iota(in.begin(), in.end(), 1000);
  const std::uint64_t from = gpu.allocate("in", in.size() * 4), to = gpu.allocate("out", blocks * 4);
  gpu.write(from, std::as_bytes(std::span(in)));
  LaunchRequest request;
  request.spec = {{static_cast<unsigned>(blocks), 1, 1}, {32, 1, 1}, 0, {0, 0, 0}};
  for (const std::uint64_t address : {from, to})
    for (const std::byte byte : std::as_bytes(std::span(&address, 1))) request.parameters.push_back(byte);
  return data_flow(gpu, *loaded, request,
                   {.seed = seed, .statements = ptx::count_statements(text, carriers)});
}

TEST(DataFlow, GoesThroughEveryShuffleOfASum) {
  const DataFlow flow = flow_of("ld.global.u32 %r10, [%rd4];\n" + sum_by_shuffles("%r10"), kExchanges);
  EXPECT_TRUE(flow.together.is_mostly_carried());
  ASSERT_EQ(flow.by_statement.size(), 5u);
  for (const FlowShare& share : flow.by_statement) EXPECT_GT(share.carried, 0u);
}

TEST(DataFlow, GoesThroughEveryShuffleOfFewSums) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const DataFlow flow =
        flow_of("ld.global.u32 %r10, [%rd4];\n" + sum_by_shuffles("%r10"), kExchanges, "", 2, seed);
    ASSERT_EQ(flow.by_statement.size(), 5u);
    const auto carries = [](const FlowShare& share) { return share.carried > 0; };
    EXPECT_GE(std::ranges::count_if(flow.by_statement, carries), 4) << seed;
  }
}

TEST(DataFlow, DoesNotGoThroughShufflesThatAreOnlyChecked) {
  const DataFlow flow = flow_of(sum_by_one_lane() +
                                    "xor.b32 %r12, %r1, 16; shfl.sync.bfly.b32 %r13, %r1, 16, 31, -1;\n"
                                    "setp.ne.u32 %p2, %r12, %r13; @%p2 mov.u32 %r10, 7;\n",
                                kExchanges);
  EXPECT_GT(flow.together.changed, 0u);
  EXPECT_EQ(flow.together.carried, 0u);
}

TEST(DataFlow, DoesNotGoThroughShufflesOfInputsThatAreOnlyChecked) {
  const DataFlow flow = flow_of(sum_by_one_lane() +
                                    "ld.global.u32 %r12, [%rd4]; shfl.sync.bfly.b32 %r13, %r12, 16, 31, -1;\n"
                                    "shfl.sync.bfly.b32 %r13, %r13, 16, 31, -1;\n"
                                    "setp.ne.u32 %p2, %r12, %r13; @%p2 mov.u32 %r10, 7;\n",
                                kExchanges);
  EXPECT_FALSE(flow.together.is_mostly_carried());
}

TEST(DataFlow, LeavesOutAShuffleBesideThoseThatCarry) {
  const DataFlow flow = flow_of("ld.global.u32 %r10, [%rd4];\n" + sum_by_shuffles("%r10") +
                                    "shfl.sync.idx.b32 %r14, %r1, 5, 31, -1;\nsetp.ne.u32 %p2, %r14, 5;\n"
                                    "@%p2 mov.u32 %r10, 7;\n",
                                kExchanges);
  ASSERT_EQ(flow.by_statement.size(), 6u);
  EXPECT_EQ(flow.by_statement.back().carried, 0u);
}

TEST(DataFlow, LeavesOutAShuffleThatYieldsEachLanesOwnValue) {
  const DataFlow flow = flow_of("ld.global.u32 %r10, [%rd4];\nshfl.sync.idx.b32 %r12, %r10, %r1, 31, -1;\n" +
                                    sum_by_shuffles("%r12") + "mov.u32 %r10, %r12;\n",
                                kExchanges);
  EXPECT_TRUE(flow.together.is_mostly_carried());
  ASSERT_EQ(flow.by_statement.size(), 6u);
  EXPECT_EQ(flow.by_statement.front().carried, 0u);
  EXPECT_GT(flow.by_statement.back().carried, 0u);
}

constexpr const char* kShared = ".shared .align 4 .b8 s[128];\n";
constexpr const char* kOwnWord =
    "mov.u32 %r30, s; mad.lo.s32 %r31, %r1, 4, %r30; xor.b32 %r33, %r1, 16; mad.lo.s32 %r32, %r33, 4, "
    "%r30;\n";

// Half of the elements reach the sum through one shuffle, and the other half do not.
TEST(DataFlow, LeavesOutAShuffleBesideOneThatCarriesAPart) {
  std::string body = std::string(kOwnWord) +
                     "ld.global.u32 %r10, [%rd4]; shfl.sync.bfly.b32 %r11, %r10, 16, 31, -1;\n"
                     "add.u32 %r10, %r10, %r11; shfl.sync.idx.b32 %r14, %r1, 5, 31, -1;\n"
                     "setp.ne.u32 %p2, %r14, 5; @%p2 mov.u32 %r10, 7;\n"
                     "st.shared.u32 [%r31], %r10; bar.sync 0; mov.u32 %r10, 0;\n";
  for (int i = 0; i < 16; ++i)
    body += "ld.shared.u32 %r11, [%r30+" + std::to_string(4 * i) + "]; add.u32 %r10, %r10, %r11;\n";
  const DataFlow flow = flow_of(body, kExchanges, kShared);
  ASSERT_EQ(flow.by_statement.size(), 2u);
  EXPECT_GT(flow.by_statement.front().carried, 0u);
  EXPECT_EQ(flow.by_statement.back().carried, 0u);
}

TEST(DataFlow, GoesThroughSharedMemory) {
  const std::string through = std::string(kOwnWord) +
                              "ld.global.u32 %r10, [%rd4]; st.shared.u32 [%r31], %r10; bar.sync 0;\n"
                              "ld.shared.u32 %r10, [%r32];\n";
  EXPECT_TRUE(flow_of(through, kSharedLoads, kShared).together.is_mostly_carried());
  const std::string checked = sum_by_one_lane() + kOwnWord +
                              "st.shared.u32 [%r31], %r1; bar.sync 0; ld.shared.u32 %r11, [%r32];\n"
                              "setp.ne.u32 %p2, %r11, %r33; @%p2 mov.u32 %r10, 7;\n";
  EXPECT_EQ(flow_of(checked, kSharedLoads, kShared).together.carried, 0u);
}

TEST(DataFlow, GoesThroughAGenericLoadWhereItsAddressIsShared) {
  const std::string store =
      std::string(kOwnWord) + "ld.global.u32 %r10, [%rd4]; st.shared.u32 [%r31], %r10; bar.sync 0;\n";
  EXPECT_TRUE(
      flow_of(store + "cvt.u64.u32 %rd10, %r32; cvta.shared.u64 %rd11, %rd10; ld.u32 %r10, [%rd11];\n",
              kSharedLoads, kShared)
          .together.is_mostly_carried());
  EXPECT_EQ(flow_of("ld.u32 %r10, [%rd4];\n", kSharedLoads).together.carried, 0u);
}

TEST(DataFlow, IsFoundForOneOutputOfAllInputs) {
  const DataFlow flow =
      flow_of("ld.global.u32 %r10, [%rd4];\n" + sum_by_shuffles("%r10") +
                  "@%p1 red.global.add.u32 [%rd2], %r10; mov.u32 %r10, 0; add.s64 %rd6, %rd2, 4;\n",
              kExchanges);
  EXPECT_TRUE(flow.together.is_mostly_carried());
}

TEST(DataFlow, NeedsATextWithTaps) {
  EXPECT_THROW(KernelHarness(KernelHarness::kernel("tap.b32 %r1, %r1, 0;")), Error);
}

}  // namespace
}  // namespace cudalab::vgpu
