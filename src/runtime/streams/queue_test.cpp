// Tests the model's clock: which kernels run at the same time, and what a kernel's children add to its time.
#include "runtime/streams/queue.h"

#include <gtest/gtest.h>

namespace cudalab::runtime {
namespace {

constexpr double kMs = 8, kWaveMs = 1;

TEST(ModelClock, StartsAKernelWhenTheRunningOnesLeaveRoom) {
  Clock clock;
  EXPECT_EQ(clock.run(Engine::kCompute, 0, 0, kMs, {0.5}).start_ms, 0);
  EXPECT_EQ(clock.run(Engine::kCompute, 0, 0, kMs, {0.5}).start_ms, 0);
  EXPECT_EQ(clock.run(Engine::kCompute, 0, 1, kMs, {0.5}).start_ms, kMs);
  EXPECT_EQ(clock.run(Engine::kCompute, 1, 1, kMs, {1}).start_ms, 1);  // on another GPU
}

TEST(ModelClock, StartsAKernelOfAHigherPriorityAfterAWaveOfTheRunningOne) {
  Clock clock;
  clock.run(Engine::kCompute, 0, 0, kMs, {1, kWaveMs, 0});
  EXPECT_EQ(clock.run(Engine::kCompute, 0, 2, kMs, {1, kWaveMs, -1}).start_ms, 2 + kWaveMs);
}

TEST(ModelClock, LetsAKernelOfTheSameOrALowerPriorityWait) {
  Clock clock;
  clock.run(Engine::kCompute, 0, 0, kMs, {1, kWaveMs, -1});
  EXPECT_EQ(clock.run(Engine::kCompute, 0, 2, kMs, {1, kWaveMs, -1}).start_ms, kMs);
  EXPECT_EQ(clock.run(Engine::kCompute, 0, 2, kMs, {1, kWaveMs, 0}).start_ms, 2 * kMs);
}

// As measured between two H200 (expected/h200/README.md).
TEST(Copies, BetweenGpusTakeTheirLinkOrTheHost) {
  const vgpu::Card& h200 = *vgpu::find_card("h200");
  EXPECT_NEAR(peer_copy_ms(1 << 28, true, h200), 0.684, 0.02);
  EXPECT_NEAR(peer_copy_ms(1 << 24, true, h200), 0.0506, 0.002);
  EXPECT_NEAR(peer_copy_ms(1 << 28, false, h200), 6.96, 0.2);
  EXPECT_NEAR(peer_copy_ms(1 << 24, false, h200), 0.461, 0.02);
  EXPECT_NEAR(peer_copy_ms(4, false, h200), 0.0189, 0.001);
}

LaunchResult with_child(double ms, double waves, std::uint64_t launches) {
  ChildLaunch child;
  child.launches = launches;
  child.result.prediction = Prediction{};
  child.result.prediction->ms = ms;
  child.result.prediction->occupancy.waves = waves;
  LaunchResult result;
  result.children.push_back(child);
  return result;
}

TEST(Children, OfOneBlockAddTheirTimesAndThoseOfSeveralBlocksShareTheGpu) {
  const vgpu::Card card;
  EXPECT_EQ(children_ms({}, card, 1), 0);
  EXPECT_EQ(children_ms(with_child(kMs, 0.25, 4), card, 1), kMs);
  EXPECT_EQ(children_ms(with_child(kMs, 0.25, 4), card, 2), kMs / 2);
  EXPECT_EQ(children_ms(with_child(kMs, 0.25, 4), card, 100), kMs / 4);
  EXPECT_EQ(children_ms(with_child(kMs, 2, 4), card, 100), kMs);
}

}  // namespace
}  // namespace cudalab::runtime
