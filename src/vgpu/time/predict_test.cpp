// The scarcest resource decides how long a launch takes.
#include "vgpu/time/predict.h"

#include <gtest/gtest.h>

#include "vgpu/time/occupancy.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

const Card& h200() { return *find_card("h200"); }

LaunchResult counted(double sectors, double wavefronts, double instructions, std::uint64_t distinct_bytes) {
  LaunchResult launched;
  launched.counters.emplace();
  launched.counters->set(Counter::kGlobalLoadSectors, sectors);
  launched.counters->set(Counter::kSharedLoadWavefronts, wavefronts);
  launched.counters->set(Counter::kWarpInstructions, instructions);
  LineAccess access;
  access.distinct_bytes = distinct_bytes;
  launched.accesses = {access};
  return launched;
}

const Occupancy kFull = occupancy_of(h200(), KernelResources{.registers = 32}, {{1'000'000}, {256}});

TEST(Predict, TheScarcestResourceComesFirst) {
  const auto by_memory = predict(h200(), kFull, counted(1e6, 0, 1e6, 1'000'000'000));
  ASSERT_TRUE(by_memory);
  EXPECT_EQ(by_memory->card, "h200");
  EXPECT_EQ(by_memory->limits.front().resource, "dram");
  EXPECT_NEAR(by_memory->ms, 1e9 / 4814e9 * 1e3 + h200().launch_us * 1e-3, 1e-9);
  EXPECT_EQ(predict(h200(), kFull, counted(1e6, 1e9, 1e6, 1'000'000))->limits.front().resource, "shared");
  EXPECT_EQ(predict(h200(), kFull, counted(1e3, 0, 1e12, 1'000'000))->limits.front().resource, "issue");
}

TEST(Predict, AKernelThatDoesNothingTakesItsLaunch) {
  const auto nothing = predict(h200(), kFull, counted(0, 0, 1, 0));
  EXPECT_EQ(nothing->limits.front().resource, "launch");
  EXPECT_DOUBLE_EQ(nothing->ms, h200().launch_us * 1e-3);
}

TEST(Predict, FewBlocksHaveFewMultiprocessors) {
  const Occupancy one = occupancy_of(h200(), KernelResources{.registers = 32}, {{1}, {256}});
  const LaunchResult work = counted(0, 1e8, 1, 0);
  EXPECT_NEAR(predict(h200(), one, work)->ms / predict(h200(), kFull, work)->ms, 132, 2);
}

TEST(Predict, WhatIsNotCountedOrDoesNotFitHasNoTime) {
  LaunchResult stopped = counted(1, 1, 1, 1);
  stopped.completed = false;
  EXPECT_FALSE(predict(h200(), kFull, stopped));
  EXPECT_FALSE(predict(h200(), kFull, LaunchResult{}));
  const Occupancy none = occupancy_of(h200(), KernelResources{.registers = 255}, {{1}, {1024}});
  EXPECT_FALSE(predict(h200(), none, counted(1, 1, 1, 1)));
}

}  // namespace
}  // namespace cudalab::vgpu
