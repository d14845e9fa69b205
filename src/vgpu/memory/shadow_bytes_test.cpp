#include "vgpu/memory/shadow_bytes.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// 64 threads each read an element of p0, write every second element of p1, and add to the first element of
// p2.
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
  request.options.predict = false;
  request.spec = {{2}, {32}};
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
  for (const unsigned host_threads : {1u, 2u}) {  // they record accesses in different ways
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

constexpr std::size_t kPage = 4096, kPages = 1000;
using Range = std::pair<std::size_t, std::size_t>;

std::vector<Range> touched(const ShadowBytes& bytes) {
  std::vector<Range> ranges;
  bytes.for_each_touched([&](std::size_t from, std::size_t to) { ranges.emplace_back(from, to); });
  return ranges;
}

std::size_t resident_pages(const ShadowBytes& bytes, std::size_t count) {
  std::vector<unsigned char> pages(count);
  EXPECT_EQ(mincore(bytes.get(), count * kPage, pages.data()), 0);
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char page) { return page & 1; }));
}

TEST(ShadowBytes, KnowTheRangesThatWereTouched) {
  for (const std::size_t pages : {kPages, std::size_t{20}}) {  // mapped; from the heap
    const ShadowBytes bytes(pages * kPage);
    bytes.touch(3 * kPage - 1, 3 * kPage + 1);
    bytes.touch(7 * kPage, 8 * kPage);
    bytes.touch(pages * kPage - 1, pages * kPage);
    const std::vector<Range> expected{
        {2 * kPage, 4 * kPage}, {7 * kPage, 8 * kPage}, {(pages - 1) * kPage, pages * kPage}};
    EXPECT_EQ(touched(bytes), expected) << pages;
  }
}

TEST(ShadowBytes, TakeMemoryWhereTheyAreTouchedAlone) {
  constexpr std::size_t kCount = kPages + 2;  // used by no other test
  const ShadowBytes bytes(kCount * kPage);
  ASSERT_EQ(resident_pages(bytes, kCount), 0u);
  bytes.touch(5 * kPage, 6 * kPage);
  bytes.touch(500 * kPage + 17, 500 * kPage + 18);
  EXPECT_EQ(resident_pages(bytes, kCount), 2u);
}

TEST(ShadowBytes, AreZeroAndUntouchedEachTime) {
  constexpr std::size_t kBytes = (kPages + 1) * kPage;  // used by no other test
  const std::byte* first = nullptr;
  for (int launch = 0; launch < 3; ++launch) {
    const ShadowBytes bytes(kBytes);
    if (!first) first = bytes.get();
    EXPECT_EQ(bytes.get(), first) << "a new piece for each launch";
    EXPECT_TRUE(touched(bytes).empty());
    EXPECT_TRUE(
        std::all_of(bytes.get(), bytes.get() + kBytes, [](std::byte byte) { return byte == std::byte{0}; }));
    bytes.touch(kPage, 9 * kPage);
    std::fill(bytes.get() + kPage, bytes.get() + 9 * kPage, std::byte{0xff});
  }
}

TEST(ShadowBytes, OfLaunchesThatEndedCanBeFreed) {
  constexpr std::size_t kCount = kPages + 3;
  const auto touch_all = [] { ShadowBytes(kCount * kPage).touch(0, kCount * kPage); };
  touch_all();
  EXPECT_EQ(resident_pages(ShadowBytes(kCount * kPage), kCount), kCount);
  free_spare_shadows();
  EXPECT_EQ(resident_pages(ShadowBytes(kCount * kPage), kCount), 0u);
}

TEST(ShadowBytes, ThatMovedAreClearedOnce) {
  ShadowBytes first(kPages * kPage);
  std::byte* const memory = first.get();
  first.touch(0, 1);
  memory[0] = std::byte{1};
  ShadowBytes second = std::move(first);
  EXPECT_EQ(second.get(), memory);
  EXPECT_EQ(touched(second), (std::vector<Range>{{0, kPage}}));
  second = ShadowBytes();
  const ShadowBytes third(kPages * kPage);
  EXPECT_EQ(third.get()[0], std::byte{0});
}

}  // namespace
}  // namespace cudalab::vgpu
