// What caches serve is told from a sample of lines only where the sample holds enough of them.
#include "vgpu/time/cache_replay.h"

#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// What DRAM is predicted to be read for where each of so many blocks loads one word of one line so often.
double dram_sectors_of_one_line(std::uint32_t blocks, int loads) {
  VirtualGpu gpu(Options{.card = find_card("h200"), .host_threads = 1, .memory_bytes = 1 << 20});
  const std::string body =
      "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, 0;\nLOOP:\nld.global.f32 %f1, [%rd1];\n"
      "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, " +
      std::to_string(loads) + ";\n@%p1 bra LOOP;";
  const auto module = gpu.load(ptx::parse(KernelHarness::kernel(body, 1), "test.ptx"), "test.cu",
                               {{"test", {.registers = 32}}});
  const std::uint64_t buffer = gpu.allocate("data", kLineBytes);
  gpu.fill(buffer, kLineBytes, 0, false);
  LaunchRequest request;
  request.grid = {blocks, 1, 1};
  request.block = {32, 1, 1};
  request.predict = true;
  request.parameters.resize(module->kernels()[0].parameter_bytes);
  std::memcpy(request.parameters.data(), &buffer, sizeof buffer);
  const LaunchResult result = gpu.launch(*module, request);
  for (const auto& [name, amount] : result.prediction->inputs)
    if (name == "dram_read_sectors") return amount;
  return -1;
}

// More touches than are replayed: of a sample of lines, this one would be missing, or stand for many.
TEST(CacheReplay, OneLineIsReplayedHoweverOftenItIsTouched) {
  EXPECT_EQ(dram_sectors_of_one_line(1, 1), 2);  // 64 bytes
  EXPECT_EQ(dram_sectors_of_one_line(4096, 8), 2);
}

std::vector<TouchedLine> touches_of_lines(std::uint64_t lines) {
  std::vector<TouchedLine> touches(lines);
  for (std::uint64_t i = 0; i < lines; ++i) touches[i].line = i;
  return touches;
}

// Two host threads that have kept more together than one may.
TEST(SharedSample, IsThinnedOutByAllWhereOneFindsThatTheyHaveTooMany) {
  const std::vector<TouchedLine> many = touches_of_lines(1000);
  SharedSample sample;
  EXPECT_EQ(sample.add(0, kMostTouches / 2, many), 0);
  EXPECT_EQ(sample.add(0, kMostTouches / 2, many), 0);
  EXPECT_EQ(sample.add(0, 1, many), 1);
  EXPECT_EQ(sample.add(0, 1, many), 1) << "who had fewer";
  EXPECT_EQ(sample.add(1, kMostTouches / 4, many), 1) << "half of it each";
  EXPECT_EQ(sample.add(1, kMostTouches / 4, many), 1);
}

TEST(SharedSample, OfAFewLinesIsThinnedOutLater) {
  const std::vector<TouchedLine> few = touches_of_lines(10);
  SharedSample sample;
  EXPECT_EQ(sample.add(0, 2 * kMostTouches, few), 0);
  EXPECT_EQ(sample.add(0, 1, few), 1);
}

}  // namespace
}  // namespace cudalab::vgpu
