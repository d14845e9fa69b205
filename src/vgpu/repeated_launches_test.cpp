// Launches whose outcome is known from an equal launch are not executed again, and nothing else differs.
#include "vgpu/repeated_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using Words = std::vector<std::uint32_t>;

// out[i] = in[i] + 1 after `rounds` of work, so a launch takes much longer than digests of its memory.
constexpr const char* kAddOne = R"(
    ld.param.u64 %rd0, [p0];
    ld.param.u64 %rd1, [p1];
    ld.param.u32 %r5, [p2];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd0, %rd2;
    add.u64 %rd4, %rd1, %rd2;
    mov.u32 %r2, 0;
  AGAIN:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r5;
    @%p1 bra AGAIN;
    BEFORE_LOAD
    ld.global.u32 %r3, [%rd3];
    add.u32 %r3, %r3, 1;
    st.global.u32 [%rd4], %r3;)";

class Repeated : public testing::Test {
 protected:
  void make(const std::string& before_load = "") {
    std::string body = kAddOne;
    body.replace(body.find("BEFORE_LOAD"), 11, before_load);
    harness_ = std::make_unique<KernelHarness>(KernelHarness::kernel(body, 3), 1);
    harness_->may_reuse = true;
    harness_->max_steps = 0;
    harness_->max_steps_of_a_block = 4'000'000'000;
    in_ = harness_->buffer(Words(32, 6));
    out_ = harness_->buffer(Words(32, 0));
  }
  // Whether the launch was executed; memory must be as if it were.
  bool is_executed(std::uint64_t in, std::uint64_t out, std::uint64_t rounds = 50'000) {
    Words expected = harness_->read<std::uint32_t>(in, 32);
    for (std::uint32_t& each : expected) ++each;
    const LaunchResult result = harness_->run({1, 1, 1}, {32, 1, 1}, in, out, rounds);
    EXPECT_EQ(harness_->read<std::uint32_t>(out, 32), expected);
    EXPECT_TRUE(result.completed);
    EXPECT_EQ(result.counters->get(Counter::kGlobalStoreRequests), 1);
    return *result.simulation_ms > 0;
  }
  void write(std::uint64_t address, std::uint32_t value) {
    const Words words(32, value);
    harness_->gpu().write(address, std::as_bytes(std::span(words)));
  }

  std::unique_ptr<KernelHarness> harness_;
  std::uint64_t in_ = 0, out_ = 0;
};

TEST_F(Repeated, ALaunchThatChangesNothingIsKnownFromTheThirdTimeOn) {
  make();
  EXPECT_TRUE(is_executed(in_, out_));
  EXPECT_TRUE(is_executed(in_, out_));
  EXPECT_FALSE(is_executed(in_, out_));
  EXPECT_FALSE(is_executed(in_, out_));
}

TEST_F(Repeated, OtherMemoryOrArgumentsAreExecuted) {
  make();
  for (int i = 0; i < 3; ++i) is_executed(in_, out_);
  write(in_, 9);
  EXPECT_TRUE(is_executed(in_, out_)) << "another input";
  EXPECT_TRUE(is_executed(in_, out_, 50'001)) << "another argument";
  EXPECT_TRUE(is_executed(in_, out_)) << "what has been kept is of another input";
}

TEST_F(Repeated, WhatALaunchChangesIsWrittenAgain) {
  make();
  write(out_, 0);
  EXPECT_TRUE(is_executed(in_, out_));
  write(out_, 0);
  EXPECT_TRUE(is_executed(in_, out_));
  write(out_, 0);
  EXPECT_FALSE(is_executed(in_, out_)) << "as in a loop that clears the output before each launch";
}

TEST_F(Repeated, ALaunchThatGoesOnFromItsOwnResultIsExecuted) {
  make();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(is_executed(in_, in_)) << i;
}

TEST_F(Repeated, AKernelThatAsksForTheTimeIsExecuted) {
  make("mov.u64 %rd9, %clock64;");
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(is_executed(in_, out_)) << i;
}

TEST_F(Repeated, BytesThatWereNeverWrittenAreReportedEachTime) {
  make();
  const std::uint64_t unwritten = harness_->gpu().allocate("fresh", 128);
  for (int i = 0; i < 4; ++i) {
    const LaunchResult result = harness_->run({1, 1, 1}, {32, 1, 1}, unwritten, out_, std::uint64_t{50'000});
    ASSERT_EQ(result.hazards.size(), 1u) << i;
    EXPECT_EQ(result.hazards[0].kind, HazardKind::kUninitialisedRead);
    EXPECT_EQ(result.hazards[0].occurrences, 32u);
  }
}

TEST_F(Repeated, NothingIsKnownUnlessItIsAskedFor) {
  make();
  harness_->may_reuse = false;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(is_executed(in_, out_)) << i;
}

}  // namespace
}  // namespace cudalab::vgpu
