// Launches add up: counts, shares, lines, hazards.
#include "core/merge.h"

#include <gtest/gtest.h>

namespace cudalab {
namespace {

LaunchResult launch(double sectors, double percent) {
  LaunchResult result;
  result.simulation_ms = 2;
  result.counters.emplace();
  result.counters->set(Counter::kGlobalLoadSectors, sectors);
  result.counters->set(Counter::kGlobalLoadBytesPercent, percent);
  LineAccess access;
  access.where = {"k.cu", 7};
  access.requests = 10;
  access.lane_stride_bytes = 4;
  result.accesses = {access};
  result.printed = "x";
  return result;
}

TEST(AddLaunch, AddsCountsAndWeighsShares) {
  LaunchResult total;
  add_launch(total, launch(100, 100));
  EXPECT_EQ(total.counters, launch(100, 100).counters);
  add_launch(total, launch(300, 20));
  EXPECT_EQ(total.counters->get(Counter::kGlobalLoadSectors), 400);
  EXPECT_EQ(total.counters->get(Counter::kGlobalLoadBytesPercent), 40);
  EXPECT_FALSE(total.counters->get(Counter::kSharedLoadConflicts));
  EXPECT_EQ(total.simulation_ms, 4);
  EXPECT_EQ(total.printed, "xx");
}

TEST(AddLaunch, OneLineIsOneAccess) {
  LaunchResult total, other = launch(1, 100);
  add_launch(total, launch(1, 100));
  other.accesses.push_back(other.accesses[0]);
  other.accesses[1].where.line = 8;
  other.accesses[0].lane_stride_bytes = 128;
  add_launch(total, other);
  ASSERT_EQ(total.accesses.size(), 2u);
  EXPECT_EQ(total.accesses[0].requests, 20u);
  EXPECT_FALSE(total.accesses[0].lane_stride_bytes);
}

TEST(AddLaunch, LinesAddUpAndMeansAreWeighed) {
  const auto one = [](double instructions, double lanes, std::uint64_t branches) {
    LaunchResult result;
    result.counters.emplace();
    result.counters->set(Counter::kWarpInstructions, instructions);
    result.counters->set(Counter::kActiveLanes, lanes);
    result.executions = {{.where = {"k.cu", 7}, .warp_instructions = 10, .branches = branches}};
    return result;
  };
  LaunchResult total;
  add_launch(total, one(100, 32, 3));
  add_launch(total, one(300, 16, 4));
  EXPECT_EQ(total.counters->get(Counter::kActiveLanes), 20);
  ASSERT_EQ(total.executions.size(), 1u);
  EXPECT_EQ(total.executions[0].warp_instructions, 20u);
  EXPECT_EQ(total.executions[0].branches, 7u);
}

TEST(AddLaunch, AnIncompleteLaunchMakesTheWholeIncomplete) {
  LaunchResult total, broken;
  broken.completed = false;
  broken.hazards.emplace_back();
  add_launch(total, launch(1, 100));
  add_launch(total, broken);
  add_launch(total, launch(1, 100));
  EXPECT_FALSE(total.completed);
  EXPECT_EQ(total.hazards.size(), 1u);
  EXPECT_EQ(total.simulation_ms, 4);
}

TEST(AddLaunch, ThatItDidNotEndComesFirst) {
  LaunchResult total, racing, endless;
  racing.hazards.resize(1);
  racing.hazards[0].kind = HazardKind::kGlobalRace;
  endless.hazards.resize(2);
  endless.hazards[0].kind = HazardKind::kStepLimit;
  endless.hazards[1].kind = HazardKind::kSharedRace;
  add_launch(total, racing);
  add_launch(total, endless);
  ASSERT_EQ(total.hazards.size(), 3u);
  EXPECT_EQ(total.hazards[0].kind, HazardKind::kStepLimit);
  EXPECT_EQ(total.hazards[1].kind, HazardKind::kGlobalRace);
}

TEST(AddLaunch, WhatWasNotMeasuredStaysAbsent) {
  LaunchResult total;
  add_launch(total, {});
  EXPECT_FALSE(total.counters);
  EXPECT_FALSE(total.simulation_ms);
}

}  // namespace
}  // namespace cudalab
