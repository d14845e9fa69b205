// Tests that the cache replay uses a sample of lines only if the sample has enough lines.
#include "vgpu/time/cache_replay.h"

#include <gtest/gtest.h>

#include <list>
#include <random>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {

// Compares LineCache with a list in the order of use.

namespace {

TEST(LineCache, DropsWhatWasNotUsedForLongest) {
  LineCache cache(3);
  LineCache::Line left;
  for (const std::uint64_t number : {7, 8, 9}) cache.insert(number, left);
  EXPECT_EQ(left.number, 0u);
  EXPECT_TRUE(cache.is_full());
  ASSERT_TRUE(cache.find(7));
  cache.insert(10, left);
  EXPECT_EQ(left.number, 8u);
  EXPECT_FALSE(cache.find(8));
  EXPECT_TRUE(cache.find(7));
}

TEST(LineCache, KeepsWhatALineKnows) {
  LineCache cache(2);
  LineCache::Line left;
  cache.insert(5, left).dirty = 9;
  cache.insert(6, left);
  EXPECT_EQ(cache.find(5)->dirty, 9);
  cache.find(6);
  cache.insert(7, left);
  EXPECT_EQ(left.dirty, 9);
  EXPECT_EQ(cache.find(7)->dirty, 0);
}

// Line numbers that cluster in the table, that are far apart, and that share their lower half.
TEST(LineCache, FindsWhatAListWouldHave) {
  constexpr std::size_t kCapacity = 100;
  for (const std::uint64_t step : {1ull, 64ull, 1ull << 32}) {
    LineCache cache(kCapacity);
    std::list<std::uint64_t> used;
    std::mt19937 random(11);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t number = random() % 180 * step;
      const auto known = std::ranges::find(used, number);
      ASSERT_EQ(cache.find(number) != nullptr, known != used.end()) << number;
      if (known != used.end())
        used.erase(known);
      else {
        LineCache::Line left;
        cache.insert(number, left);
        if (used.size() == kCapacity) {
          ASSERT_EQ(left.number, used.back());
          used.pop_back();
        }
      }
      used.push_front(number);
    }
  }
}

// Predicted DRAM read sectors if each of `blocks` blocks loads one word of the same line `loads` times.
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
  request.spec = {{blocks}, {32}};
  request.options.predict = true;
  request.parameters.resize(module->kernels()[0].parameter_bytes);
  std::memcpy(request.parameters.data(), &buffer, sizeof buffer);
  const LaunchResult result = gpu.launch(*module, request);
  for (const auto& [name, amount] : result.prediction->inputs)
    if (name == "dram_read_sectors") return amount;
  return -1;
}

// There are more touches than the replay's maximum. A sample of lines would miss this line, or count it for
// many.
TEST(CacheReplay, OneLineIsReplayedHoweverOftenItIsTouched) {
  EXPECT_EQ(dram_sectors_of_one_line(1, 1), 2);  // 64 bytes
  EXPECT_EQ(dram_sectors_of_one_line(4096, 8), 2);
}

std::vector<TouchedLine> touches_of_lines(std::uint64_t lines) {
  std::vector<TouchedLine> touches(lines);
  for (std::uint64_t i = 0; i < lines; ++i) touches[i].line = i;
  return touches;
}

// Two host threads that together have kept more touches than allowed.
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
