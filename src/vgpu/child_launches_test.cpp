// Tests launches from kernels: order, parameters, streams, limits, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::AllOf;

using testing::ElementsAre;

constexpr const char* kRuntime = R"(
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2
(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2MemsetAsync
(.param .b64 p, .param .b32 v, .param .b64 n, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2MemcpyAsync
(.param .b64 d, .param .b64 s, .param .b64 n, .param .b32 k, .param .b64 t);
.extern .func (.param .b32 r) __cudaCDP2GetLastError();
.extern .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 p, .param .b32 f);
)";

// data[0] = data[0] * 10 + digit, so the digits show the order.
constexpr const char* kDigit = R"(
.visible .entry digit(.param .u64 data, .param .u32 digit)
{ .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [digit];
  ld.global.u32 %r2, [%rd1]; mad.lo.u32 %r3, %r2, 10, %r1; st.global.u32 [%rd1], %r3; ret; }
)";

// digit<<<grid, block, 0, stream>>>(%rd1, value), by the active lanes.
std::string launch(int value, int stream = 0, int grid = 1, int block = 1, const char* kernel = "digit") {
  const std::string ones = "+4], 1; st.param.b32 [", two = "+8], 1;\n";
  return "{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 "
         "r;\n"
         "mov.u64 %rd20, " +
         std::string(kernel) + "; st.param.b64 [f], %rd20; st.param.b32 [g], " + std::to_string(grid) +
         "; st.param.b32 [g" + ones + "g" + two + "st.param.b32 [b], " + std::to_string(block) +
         "; st.param.b32 [b" + ones + "b" + two +
         "st.param.b32 [s], 0;\ncall.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n"
         "ld.param.b64 %rd21, [r]; }\nst.u64 [%rd21], %rd1; st.u32 [%rd21+8], " +
         std::to_string(value) +
         ";\n{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd21; st.param.b64 [s], " +
         std::to_string(stream) +
         ";\ncall.uni (r), __cudaCDP2LaunchDeviceV2, (p, s); ld.param.b32 %r20, [r]; }\n";
}

class ChildLaunches : public testing::Test {
 protected:
  static constexpr int kTail = 3;

  LaunchResult run(const std::string& body, Dim3 grid = {1, 1, 1}, Dim3 block = {1, 1, 1},
                   const std::string& before = kDigit) {
    harness_.emplace(KernelHarness::kernel("ld.param.u64 %rd1, [p0];\n" + body, 1, kRuntime + before));
    const std::span<const KernelInfo> kernels = harness_->module().kernels();
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (kernels[i].symbol == "test") harness_->choose(i);
    data_ = harness_->buffer(std::vector<std::uint32_t>(4));
    harness_->max_steps = 5000;
    return harness_->run(grid, block, data_);
  }
  std::uint32_t digits() const { return harness_->read<std::uint32_t>(data_, 1)[0]; }

  std::optional<KernelHarness> harness_;
  std::uint64_t data_ = 0;
};

TEST_F(ChildLaunches, RunInOrderAndTailsLast) {
  const LaunchResult result = run(launch(9, kTail) + launch(1) + launch(8, kTail) + launch(2) + launch(3));
  EXPECT_TRUE(result.hazards.empty());
  EXPECT_EQ(digits(), 12398u);
}

TEST_F(ChildLaunches, BeginWhenTheirParentsBlocksHaveEnded) {
  run(launch(1) + "st.global.u32 [%rd1], 7;");
  EXPECT_EQ(digits(), 71u);
}

TEST_F(ChildLaunches, EachLaneLaunchesItsOwn) {
  const LaunchResult result = run("mov.u32 %r1, %tid.x;\n" + launch(1), {1, 1, 1}, {4, 1, 1});
  EXPECT_EQ(digits(), 1111u);
  ASSERT_EQ(result.children.size(), 1u);
  EXPECT_EQ(result.children[0].kernel, "digit");
  EXPECT_EQ(result.children[0].launches, 4u);
  EXPECT_EQ(result.children[0].result.counters->value_or_zero(Counter::kGlobalStoreRequests), 4);
}

// ---- races with the launching kernel -----------------------------------------------------------------
constexpr const char* kRead = "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+8], %r1;\n";

TEST_F(ChildLaunches, RaceWithWhatTheirParentDoesAfterTheLaunch) {
  using Row = std::array<const char*, 3>;
  for (const auto& [after, verb, earlier] :
       {Row{kRead, "verb_writes", "earlier_read"},
        Row{"st.global.u32 [%rd1], 7;", "verb_reads", "earlier_wrote"}}) {
    const LaunchResult result = run(launch(1) + after);
    ASSERT_FALSE(result.hazards.empty()) << after;
    EXPECT_EQ(result.hazards[0].kind, HazardKind::kGlobalRace);
    EXPECT_EQ(result.hazards[0].kernel, "digit");
    EXPECT_THAT(result.hazards[0].what, IsMessage("race_parent_after_launch"));
    EXPECT_THAT(result.hazards[0].what, HasArgument("element", cudalab::Element{"data", {0}}));
    EXPECT_THAT(result.hazards[0].what, HasArgument("address", Address{0x7f0000000000}));
    EXPECT_THAT(result.hazards[0].what, AllOf(MentionsMessage(verb), MentionsMessage(earlier)));
    EXPECT_THAT(result.hazards[0].fix, IsMessage("advice_tail_launch"));
  }
}

TEST_F(ChildLaunches, DoNotRaceWithWhatIsOver) {
  const std::string elsewhere = "st.global.u32 [%rd1+4], 7;\nld.global.u32 %r1, [%rd1+4];\n";
  for (const std::string& body : {kRead + launch(1), launch(1, kTail) + kRead, launch(1) + elsewhere,
                                  launch(1) + launch(2) + launch(3)})
    EXPECT_TRUE(run(body).hazards.empty()) << body;
}

TEST_F(ChildLaunches, SeeWhatOtherThreadsDidBeforeABarrier) {
  // Thread 32 writes what the kernel launched by thread 0 reads.
  const std::string write =
      "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 32;\n@%p1 st.global.u32 [%rd1], 5;\n";
  const std::string launches = "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\n" + launch(1) + "END:\n";
  EXPECT_TRUE(run(write + "bar.sync 0;\n" + launches, {1, 1, 1}, {64, 1, 1}).hazards.empty());
  EXPECT_EQ(digits(), 51u);
  const LaunchResult result = run(write + launches, {1, 1, 1}, {64, 1, 1});
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_THAT(result.hazards[0].what,
              AllOf(IsMessage("race_parent_thread"), MentionsMessage("earlier_wrote")));
  EXPECT_THAT(result.hazards[0].fix, IsMessage("advice_syncthreads_before_launch"));
}

// ---- races among children ------------------------------------------------------------------------------
constexpr int kStream = 0x100, kOtherStream = 0x101, kFireAndForget = 4;

TEST_F(ChildLaunches, RaceWithEachOtherInTwoStreams) {
  const LaunchResult result = run(launch(1, kStream) + launch(2, kOtherStream));
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kGlobalRace);
  EXPECT_EQ(result.hazards[0].kernel, "digit");
  EXPECT_THAT(result.hazards[0].what, IsMessage("race_sibling_of_stream"));
  EXPECT_THAT(result.hazards[0].what, AllOf(MentionsMessage("verb_reads"), MentionsMessage("earlier_wrote")));
  EXPECT_THAT(result.hazards[0].what, HasArgument("element", cudalab::Element{"data", {0}}));
  EXPECT_THAT(result.hazards[0].what, HasArgument("address", Address{0x7f0000000000}));
  EXPECT_THAT(result.hazards[0].fix, IsMessage("advice_one_stream"));
}

TEST_F(ChildLaunches, RaceWithEachOtherFromTwoBlocks) {
  const LaunchResult result = run(launch(1), {2, 1, 1});
  ASSERT_FALSE(result.hazards.empty());
  EXPECT_THAT(result.hazards[0].what, IsMessage("race_sibling_of_block"));
  EXPECT_THAT(result.hazards[0].fix, IsMessage("advice_one_block_one_stream"));
}

TEST_F(ChildLaunches, RaceWithEachOtherWhereNobodyWaits) {
  EXPECT_FALSE(run(launch(1, kFireAndForget) + launch(2, kFireAndForget)).hazards.empty());
  EXPECT_FALSE(run(launch(1) + launch(2, kStream) + launch(3)).hazards.empty());
}

TEST_F(ChildLaunches, DoNotRaceWithEachOtherInOneStream) {
  constexpr Dim3 kOneBlock{1, 1, 1};
  EXPECT_TRUE(run(launch(1, kStream) + launch(2, kStream), kOneBlock).hazards.empty());
  EXPECT_TRUE(run(launch(1), kOneBlock, {4, 1, 1}).hazards.empty());
  EXPECT_TRUE(run(launch(1, kStream) + launch(2, kTail) + launch(3, kTail)).hazards.empty());
}

TEST_F(ChildLaunches, DoNotRaceWhereStreamsWaitForEvents) {
  const std::string wait =
      "{ .param .b64 s; .param .b64 e; .param .b32 f; .param .b32 r; st.param.b64 [s], 257;\n"
      "st.param.b64 [e], 258; st.param.b32 [f], 0;\n"
      "call.uni (r), __cudaCDP2StreamWaitEvent, (s, e, f); }\n";
  const std::string declared = std::string(
                                   ".extern .func (.param .b32 r) __cudaCDP2StreamWaitEvent\n"
                                   "(.param .b64 s, .param .b64 e, .param .b32 f);\n") +
                               kDigit;
  EXPECT_TRUE(run(launch(1, kStream) + wait + launch(2, kOtherStream), {1, 1, 1}, {1, 1, 1}, declared)
                  .hazards.empty());
}

constexpr const char* kCount = R"(
.visible .entry count(.param .u64 data, .param .u32 unused)
{ .reg .b64 %rd<3>; ld.param.u64 %rd1, [data]; red.global.add.u32 [%rd1], 1; ret; }
)";

TEST_F(ChildLaunches, DoNotRaceInAtomics) {
  const std::string body = launch(0, kStream, 1, 1, "count") + launch(0, kOtherStream, 1, 1, "count");
  EXPECT_TRUE(run(body, {3, 1, 1}, {1, 1, 1}, kCount).hazards.empty());
  EXPECT_EQ(digits(), 6u);
}

std::string launching(const char* name, const std::string& body) {
  return std::string(".visible .entry ") + name +
         "(.param .u64 data, .param .u32 unused)\n{ .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"
         "ld.param.u64 %rd1, [data];\n" +
         body + "ret; }\n";
}

TEST_F(ChildLaunches, RaceWithWhatDescendsFromTheOther) {
  const std::string kernels = kDigit + launching("above", launch(1));
  const LaunchResult result =
      run(launch(0, kStream, 1, 1, "above") + launch(2, kOtherStream), {1, 1, 1}, {1, 1, 1}, kernels);
  ASSERT_FALSE(result.hazards.empty());
  EXPECT_THAT(result.hazards[0].what, IsMessage("race_sibling_of_stream"));
  EXPECT_TRUE(run(launch(0, kStream, 1, 1, "above") + launch(2, kStream), {1, 1, 1}, {1, 1, 1}, kernels)
                  .hazards.empty());
}

// A tail launch takes the place of its parent.
TEST_F(ChildLaunches, ATailRacesAsItsParentDoes) {
  const std::string kernels = kDigit + launching("above", launch(1) + launch(3, kTail));
  EXPECT_TRUE(run(launch(0, kStream, 1, 1, "above") + launch(2, kStream), {1, 1, 1}, {1, 1, 1}, kernels)
                  .hazards.empty());
  EXPECT_FALSE(run(launch(0, kStream, 1, 1, "above") + launch(2, kOtherStream), {1, 1, 1}, {1, 1, 1}, kernels)
                   .hazards.empty());
}

// Writes another word than `digit`, so `digit` has company and is checked.
constexpr const char* kElsewhere = R"(
.visible .entry elsewhere(.param .u64 data, .param .u32 unused)
{ .reg .b64 %rd<3>; ld.param.u64 %rd1, [data]; st.global.u32 [%rd1+4], 1; ret; }
)";

TEST_F(ChildLaunches, DoNotRaceInOneStreamBesideAnotherOne) {
  const std::string beside = launch(0, kOtherStream, 1, 1, "elsewhere"),
                    first = launch(0, kStream, 1, 1, "above"), second = launch(2, kStream);
  const std::string kernels = std::string(kDigit) + kElsewhere;
  constexpr Dim3 kOne{1, 1, 1};
  EXPECT_TRUE(run(launch(1, kStream) + second + beside, kOne, kOne, kernels).hazards.empty());
  const std::string child = launching("above", launch(1));
  EXPECT_TRUE(run(first + second + beside, kOne, kOne, kernels + child).hazards.empty())
      << "what descends from the first, and the second";
  const std::string tail = launching("above", launch(1) + launch(3, kTail));
  EXPECT_TRUE(run(first + beside, kOne, kOne, kernels + tail).hazards.empty())
      << "a kernel's child, and what runs in its tail";
}

// A child ends when its own children have ended.
constexpr const char* kNested = "middle";
TEST_F(ChildLaunches, AChildEndsWithItsChildren) {
  const std::string middle =
      std::string(kDigit) +
      ".visible .entry middle(.param .u64 data, .param .u32 unused)\n{ .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"
      "ld.param.u64 %rd1, [data];\n" +
      launch(7, kTail) + launch(5) + "ret; }\n";
  const LaunchResult result = run(launch(0, 0, 1, 1, kNested) + launch(2) + launch(0, kTail, 1, 1, kNested),
                                  {1, 1, 1}, {1, 1, 1}, middle);
  EXPECT_EQ(digits(), 57257u);
  EXPECT_EQ(result.children.size(), 2u);
}

TEST_F(ChildLaunches, CopiesAndFillsKeepTheirPlace) {
  const std::string fill =
      "{ .param .b64 p; .param .b32 v; .param .b64 n; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd1;\n"
      "st.param.b32 [v], 0; st.param.b64 [n], 4; st.param.b64 [s], 0;\n"
      "call.uni (r), __cudaCDP2MemsetAsync, (p, v, n, s); }\n";
  run(launch(4) + fill + launch(6));
  EXPECT_EQ(digits(), 6u);
}

TEST_F(ChildLaunches, ACopyBeyondItsBufferIsAHazard) {
  const std::string copy =
      "{ .param .b64 d; .param .b64 s; .param .b64 n; .param .b32 k; .param .b64 t; .param .b32 r;\n"
      "st.param.b64 [d], %rd1; st.param.b64 [s], %rd1; st.param.b64 [n], 17; st.param.b32 [k], 3; "
      "st.param.b64 [t], 0;\n"
      "call.uni (r), __cudaCDP2MemcpyAsync, (d, s, n, k, t); }\n";
  const LaunchResult result = run(copy + launch(1));
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kOutOfBounds);
  EXPECT_THAT(result.hazards[0].what, AllOf(IsMessage("child_bytes_outside"), MentionsMessage("verb_copies"),
                                            HasArgument("bytes", 17)));
  EXPECT_FALSE(result.completed);
  EXPECT_EQ(digits(), 0u);
}

TEST_F(ChildLaunches, AnImpossibleLaunchIsAHazardOfTheChild) {
  const LaunchResult result = run(launch(1, 0, 1, 2048));
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kInvalidLaunch);
  EXPECT_EQ(result.hazards[0].kernel, "digit");
  EXPECT_THAT(result.hazards[0].what, HasArgument("threads", 2048));
}

TEST_F(ChildLaunches, EndAtTheLimitOfStepsTogether) {
  const std::string endless =
      std::string(kDigit) +
      ".visible .entry again(.param .u64 data, .param .u32 unused)\n{ .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"
      "ld.param.u64 %rd1, [data];\n" +
      launch(0, kTail, 1, 1, "again") + "ret; }\n";
  const LaunchResult result = run(launch(0, kTail, 1, 1, "again"), {1, 1, 1}, {1, 1, 1}, endless);
  EXPECT_FALSE(result.completed);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kStepLimit);
}

// cudaStream_t stream; cudaStreamCreateWithFlags(&stream, …); *data = stream;
TEST_F(ChildLaunches, WhatTheRuntimeWritesIsWritten) {
  const LaunchResult result =
      run(".local .align 8 .b8 stream[8]; mov.u64 %rd2, stream; cvta.local.u64 %rd3, %rd2;\n"
          "{ .param .b64 p; .param .b32 f; .param .b32 r; st.param.b64 [p], %rd3; st.param.b32 [f], 1;\n"
          "call.uni (r), __cudaCDP2StreamCreateWithFlags, (p, f); ld.param.b32 %r20, [r]; }\n"
          "ld.local.u64 %rd4, [stream]; st.global.u64 [%rd1], %rd4; st.global.u32 [%rd1+8], %r20;");
  EXPECT_TRUE(result.hazards.empty());
  const std::vector<std::uint32_t> words = harness_->read<std::uint32_t>(data_, 3);
  EXPECT_GT(words[0], 0u);
  EXPECT_EQ(words[2], 0u);
}

TEST_F(ChildLaunches, ANullPointerIsNoLaunch) {
  const LaunchResult result =
      run("{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], 0; st.param.b64 [s], 0;\n"
          "call.uni (r), __cudaCDP2LaunchDeviceV2, (p, s); ld.param.b32 %r20, [r]; }\n"
          "{ .param .b32 r; call.uni (r), __cudaCDP2GetLastError; ld.param.b32 %r21, [r]; }\n"
          "st.global.u32 [%rd1], %r20; st.global.u32 [%rd1+4], %r21;");
  EXPECT_TRUE(result.children.empty());
  EXPECT_THAT(harness_->read<std::uint32_t>(data_, 2), ElementsAre(1, 1));
}

}  // namespace
}  // namespace cudalab::vgpu
