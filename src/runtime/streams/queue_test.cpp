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

struct NoWatch final : WorkWatch {
  void queued() override {}
  void before(const Work&) override {}
  void after(const Work&, const Outcome&) override {}
};

WorkRef enqueue_kernel(Queue& queue, Stream& stream) {
  Job job;
  job.engine = Engine::kCompute;
  job.is_kernel = true;
  job.run = [] { return Outcome{kMs, {1, kWaveMs}}; };
  return queue.enqueue(stream, std::move(job));
}

TEST(Priorities, DelayAKernelByThoseThatOvertakeIt) {
  Clock clock;
  NoWatch watch;
  Queue queue(clock, watch);
  Stream &low = *queue.create(0, false, 0), &high = *queue.create(0, false, -1);
  const WorkRef first = enqueue_kernel(queue, low), overtakes = enqueue_kernel(queue, high),
                next = enqueue_kernel(queue, low);
  queue.wait_for_all();
  EXPECT_EQ(overtakes->span.start_ms, kWaveMs);
  EXPECT_EQ(overtakes->span.end_ms, kWaveMs + kMs);
  EXPECT_EQ(first->span.end_ms, 2 * kMs);
  EXPECT_EQ(next->span.end_ms, 3 * kMs);
}

TEST(Priorities, LeaveTheOrderOfEqualKernels) {
  Clock clock;
  NoWatch watch;
  Queue queue(clock, watch);
  Stream &one = *queue.create(0, false, 0), &other = *queue.create(0, false, 0);
  const WorkRef first = enqueue_kernel(queue, one), second = enqueue_kernel(queue, other);
  queue.wait_for_all();
  EXPECT_EQ(first->span.end_ms, kMs);
  EXPECT_EQ(second->span.start_ms, kMs);
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
  constexpr double kFirstMs = 0.010;
  EXPECT_DOUBLE_EQ(children_ms(with_child(kMs, 0.25, 4), card, 1), kFirstMs + kMs);
  EXPECT_DOUBLE_EQ(children_ms(with_child(kMs, 0.25, 4), card, 2), kFirstMs + kMs / 2);
  EXPECT_DOUBLE_EQ(children_ms(with_child(kMs, 0.25, 4), card, 100), kFirstMs + kMs / 4);
  EXPECT_DOUBLE_EQ(children_ms(with_child(kMs, 2, 4), card, 100), kFirstMs + kMs);
}

// Against an H200 (expected/h200/child_launches.txt), where the parent alone takes 7 us.
TEST(Children, OfLittleWorkTakeTheTimeOfTheirLaunches) {
  constexpr double kParentMs = 0.007, kTinyMs = 0.003;
  const vgpu::Card card;
  const auto ms = [&](std::uint64_t launches, std::uint64_t blocks) {
    return kParentMs +
           children_ms(with_child(kTinyMs * static_cast<double>(launches), 0.01, launches), card, blocks);
  };
  EXPECT_NEAR(ms(1, 1), 0.0231, 0.003);
  EXPECT_NEAR(ms(4, 1), 0.0438, 0.003);
  EXPECT_NEAR(ms(64, 1), 0.4249, 0.02);
  EXPECT_NEAR(ms(128, 128), 0.0905, 0.01);
  EXPECT_NEAR(ms(1024, 1024), 0.6237, 0.02);
}

}  // namespace
}  // namespace cudalab::runtime
