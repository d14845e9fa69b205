// Tests the virtual device from source to result. src/vgpu has the tests of what kernels can do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/diagnostics/message_testing.h"
#include "device/device.h"

namespace cudalab::device {
namespace {
using testing::HasSubstr;

// scale(in, out, n, factor) and a constant, already compiled by NVRTC, so the test needs no compiler.
constexpr const char* kScalePtx = R"(
.version 9.0
.target sm_90
.address_size 64
.visible .const .align 4 .b8 factor[8];
.visible .entry _Z5scalePKfPfi(.param .u64 a, .param .u64 b, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $done;
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.s32 %rd4, %r5, 4;
  add.s64 %rd5, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5];
  ld.const.f32 %f2, [factor+4];
  mul.f32 %f3, %f1, %f2;
  cvta.to.global.u64 %rd6, %rd2;
  add.s64 %rd7, %rd6, %rd4;
  st.global.f32 [%rd7], %f3;
$done:
  ret;
}
)";

class VirtualGpuDevice : public testing::Test {
 protected:
  VirtualGpuDevice() {
    compile::CompiledSource source;
    source.ptx = kScalePtx;
    source.file_name = "scale.cu";
    source.resources["_Z5scalePKfPfi"] = {.registers = 40};
    program_ = gpu_->load(source);
    in_ = gpu_->allocate("in", 4000);
    out_ = gpu_->allocate("out", 4000);
    std::iota(numbers_.begin(), numbers_.end(), 1.0f);
    const float factor = 3;
    gpu_->upload(in_.address(), std::as_bytes(std::span(numbers_)));
    gpu_->upload(program_->variable("factor").first + sizeof factor, std::as_bytes(std::span(&factor, 1)));
  }
  Launch launch(int length) {
    Launch launch;
    launch.kernel = &program_->kernel("scale");
    launch.spec.grid = {5, 1, 1};
    launch.spec.block = {256, 1, 1};
    launch.arguments = {in_, out_, length};
    return launch;
  }

  std::unique_ptr<Device> gpu_ = open_virtual_device();
  std::unique_ptr<Program> program_;
  Buffer in_, out_;
  std::vector<float> numbers_ = std::vector<float>(1000);
};

TEST_F(VirtualGpuDevice, RunsAKernelAndCounts) {
  const LaunchResult result = gpu_->launch(launch(1000));
  EXPECT_TRUE(result.completed);
  EXPECT_TRUE(result.hazards.empty());
  EXPECT_TRUE(result.simulation_ms.has_value());
  ASSERT_TRUE(result.counters);
  EXPECT_EQ(result.counters->get(Counter::kGlobalLoadRequests), 32);  // 1000 threads in warps of 32
  EXPECT_EQ(result.counters->get(Counter::kGlobalStoreSectors), 125);
  std::vector<float> scaled(1000);
  gpu_->download(out_.address(), std::as_writable_bytes(std::span(scaled)));
  for (float& number : numbers_) number *= 3;
  EXPECT_EQ(scaled, numbers_);
}

TEST_F(VirtualGpuDevice, NamesTheKernelAndTheBufferOfAHazard) {
  const LaunchResult result = gpu_->launch(launch(1001));
  EXPECT_FALSE(result.completed);
  ASSERT_FALSE(result.hazards.empty());
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kOutOfBounds);
  EXPECT_EQ(result.hazards[0].kernel, "scale");
  EXPECT_EQ(result.hazards[0].buffer, "in");
  EXPECT_FALSE(gpu_->is_lost());
  EXPECT_TRUE(gpu_->launch(launch(1000)).completed);
}

TEST_F(VirtualGpuDevice, RefusesWhatAGpuRefuses) {
  Launch too_wide = launch(1000);
  too_wide.spec.block = {2048, 1, 1};
  const LaunchResult result = gpu_->launch(too_wide);
  EXPECT_FALSE(result.completed);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kInvalidLaunch);
}

TEST_F(VirtualGpuDevice, RejectsMismatchedArguments) {
  Launch wrong = launch(1000);
  wrong.arguments.pop_back();
  EXPECT_THROW(gpu_->launch(wrong), Error);
  wrong.arguments.emplace_back(1000.0);
  EXPECT_THROW(gpu_->launch(wrong), Error);
}

TEST_F(VirtualGpuDevice, PredictsTheTimeOfItsCard) {
  const LaunchResult result = gpu_->launch(launch(1000));
  ASSERT_TRUE(result.prediction);
  EXPECT_EQ(result.prediction->card, gpu_->info().card->id);
  EXPECT_GT(result.prediction->ms, 0);
  EXPECT_FALSE(result.prediction->limits.empty());
}

TEST_F(VirtualGpuDevice, UsesTheRegisterCountsThatComeWithThePtx) {
  EXPECT_EQ(program_->kernel("scale").resources->registers, 40);
  const Occupancy occupancy = gpu_->launch(launch(1000)).prediction->occupancy;
  EXPECT_EQ(occupancy.registers, 40);
  EXPECT_EQ(occupancy.blocks, 6);  // blocks of 8 warps with 1,280 registers per warp, in 65,536 registers
}

TEST_F(VirtualGpuDevice, PredictsNothingIfDisabledOrIfTheKernelStops) {
  Launch off = launch(1000);
  off.options.predict = false;
  EXPECT_FALSE(gpu_->launch(off).prediction);
  EXPECT_FALSE(gpu_->launch(launch(1001)).prediction);
}

TEST_F(VirtualGpuDevice, CountsDoNotDependOnPrediction) {
  Launch off = launch(1000);
  off.options.predict = false;
  EXPECT_EQ(gpu_->launch(off).counters, gpu_->launch(launch(1000)).counters);
}

TEST_F(VirtualGpuDevice, MeasuresNoTime) {
  EXPECT_FALSE(gpu_->info().measures_time);
  EXPECT_FALSE(gpu_->time_launch(launch(1000), {}));
  EXPECT_FALSE(gpu_->time_copies(1000, 1000));
  EXPECT_FALSE(gpu_->time_device_copy(1000, {}));
}

TEST_F(VirtualGpuDevice, DescribesItsModel) {
  const DeviceInfo& info = gpu_->info();
  EXPECT_EQ(info.kind, "virtual");
  EXPECT_EQ(info.compute_major, 9);
  EXPECT_EQ(info.max_threads_per_block, 1024u);
  EXPECT_TRUE(info.counts);
}

TEST(VirtualCard, IsTheRequestedOne) {
  const auto t4 = open_virtual_device({.card = card_named("t4")});
  EXPECT_EQ(t4->info().name, "Tesla T4");
  EXPECT_EQ(t4->info().compute_minor, 5);
  EXPECT_EQ(t4->info().card->id, "t4");
  // Even on a machine with a GPU.
  EXPECT_EQ(open_device(DeviceChoice::kAuto, card_named("l4"))->info().card->id, "l4");
}

TEST(VirtualCard, AnUnknownOneIsRejectedWithAList) {
  const Message refusal = refused([] { card_named("riva128"); });
  EXPECT_THAT(refusal, IsMessage("card_unknown", {{"card", Code{"riva128"}}}));
  ASSERT_TRUE(find_argument(refusal, "cards"));
  EXPECT_THAT(shown_in_english(*find_argument(refusal, "cards")), HasSubstr("h200"));
}

}  // namespace
}  // namespace cudalab::device
