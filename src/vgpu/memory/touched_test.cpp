#include "vgpu/memory/touched.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// 64 threads read an element of p0 each, write every second of p1, and add to the first of p2.
const std::string kTouches = KernelHarness::kernel(
    "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nld.param.u64 %rd3, [p2];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 32, %r1;\n"
    "mul.wide.u32 %rd4, %r3, 4;\nadd.u64 %rd5, %rd1, %rd4;\nld.global.u32 %r4, [%rd5];\n"
    "mul.wide.u32 %rd6, %r3, 8;\nadd.u64 %rd7, %rd2, %rd6;\nst.global.u32 [%rd7], %r4;\n"
    "red.global.add.u32 [%rd3], 1;",
    3);

struct Launched {
  std::array<std::uint64_t, 3> buffers{};
  std::vector<TouchedSpan> touched;
};

Launched run_on(unsigned host_threads) {
  VirtualGpu gpu(Options{.host_threads = host_threads, .memory_bytes = std::size_t{1} << 24});
  const auto module = gpu.load(ptx::parse(kTouches, "test.ptx"), "test.cu");
  Launched run;
  LaunchRequest request;
  request.grid = {2, 1, 1};
  request.block = {32, 1, 1};
  request.touched = &run.touched;
  for (std::uint64_t& buffer : run.buffers) {
    buffer = gpu.allocate("data", 4096);
    gpu.fill(buffer, 4096, 0, false);
  }
  request.parameters.resize(sizeof run.buffers);
  std::memcpy(request.parameters.data(), run.buffers.data(), sizeof run.buffers);
  EXPECT_TRUE(gpu.launch(*module, request).hazards.empty());
  std::ranges::sort(run.touched, {}, &TouchedSpan::begin);
  return run;
}

TEST(Touched, OfEveryByteWhatALaunchDidToIt) {
  for (const unsigned host_threads : {1u, 2u}) {  // which watch in different ways
    const Launched run = run_on(host_threads);
    const auto [read, written, updated] = run.buffers;
    ASSERT_EQ(run.touched.size(), 1u + 64 + 1) << host_threads;
    EXPECT_EQ(run.touched[0].kind, TouchedSpan::kRead);
    EXPECT_EQ(run.touched[0].begin, read);
    EXPECT_EQ(run.touched[0].end, read + 64 * 4);
    for (std::uint64_t i = 0; i < 64; ++i) {
      EXPECT_EQ(run.touched[1 + i].kind, TouchedSpan::kWrite);
      EXPECT_EQ(run.touched[1 + i].begin, written + 8 * i);
      EXPECT_EQ(run.touched[1 + i].end, written + 8 * i + 4);
    }
    EXPECT_EQ(run.touched[65].kind, TouchedSpan::kAtomic);
    EXPECT_EQ(run.touched[65].begin, updated);
    EXPECT_EQ(run.touched[65].end, updated + 4);
  }
}

TEST(Touched, MarksUpToTheLast) {
  const std::uint16_t marks[] = {0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0, 3};
  std::vector<TouchedSpan> spans;
  add_touched(
      1000, marks, std::size(marks), 1, [](auto) { return TouchedSpan::kRead; }, spans);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].begin, 1010u);
  EXPECT_EQ(spans[0].end, 1014u);
  EXPECT_EQ(spans[1].begin, 1022u);
  EXPECT_EQ(spans[1].end, 1024u);
}

}  // namespace
}  // namespace cudalab::vgpu
