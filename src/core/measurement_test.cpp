// Launches are combined: counts, percentages, lines and hazards.
#include "core/measurement.h"

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

LaunchResult predicted(double ms, double dram_share, const char* other) {
  LaunchResult result = launch(1, 100);
  result.prediction = Prediction{.card = "h200", .ms = ms, .occupancy = {.blocks = static_cast<int>(ms)}};
  result.prediction->limits = {{"dram", dram_share, 10, 5, "bytes"}, {other, 0.5, 1, 1, "wavefronts"}};
  return result;
}

TEST(AddLaunch, AddsPredictedTimesAndRecomputesShares) {
  LaunchResult total;
  add_launch(total, predicted(1, 0.9, "shared"));
  add_launch(total, predicted(3, 0.1, "issue"));
  ASSERT_TRUE(total.prediction);
  EXPECT_DOUBLE_EQ(total.prediction->ms, 4);
  EXPECT_EQ(total.prediction->occupancy.blocks, 3);  // of the longer launch
  ASSERT_EQ(total.prediction->limits.size(), 3u);
  EXPECT_EQ(total.prediction->limits[0].resource, "issue");
  EXPECT_DOUBLE_EQ(total.prediction->limits[0].share, 0.375);
  EXPECT_EQ(total.prediction->limits[1].resource, "dram");
  EXPECT_DOUBLE_EQ(total.prediction->limits[1].share, 0.3);
  EXPECT_EQ(total.prediction->limits[1].amount, 20);
  EXPECT_DOUBLE_EQ(total.prediction->limits[2].share, 0.125);
}

TEST(AddLaunch, TheOccupancyIsThatOfTheLongestLaunch) {
  LaunchResult total;
  for (const double ms : {1, 3, 2}) add_launch(total, predicted(ms, 0.5, "shared"));
  EXPECT_EQ(total.prediction->occupancy.blocks, 3);
}

TEST(AddLaunch, AddsTheWholeTimeOfALaunchWithoutTheFault) {
  LaunchResult total, first = predicted(3, 0.5, "shared"), second = predicted(5, 0.5, "shared");
  first.prediction->without = {{Fault::kSharedLoads, 1}};
  second.prediction->without = {{Fault::kGlobalStores, 2}, {Fault::kSharedLoads, 4}};
  add_launch(total, first);
  add_launch(total, second);
  EXPECT_EQ(total.prediction->without,
            (std::vector<TimeWithout>{{Fault::kSharedLoads, 5}, {Fault::kGlobalStores, 5}}));
}

TEST(AddLaunch, ATimeWithAnUnknownPartIsUnknown) {
  LaunchResult total;
  add_launch(total, predicted(1, 0.9, "shared"));
  add_launch(total, launch(1, 100));
  EXPECT_FALSE(total.prediction);
  add_launch(total, predicted(1, 0.9, "shared"));
  EXPECT_FALSE(total.prediction);
}

TEST(AddLaunch, MergesAccessesOfOneLine) {
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

TEST(AddLaunch, AddsLinesAndWeightsAverages) {
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

TEST(AddLaunch, TheHazardThatEndedALaunchComesFirst) {
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

TEST(AddLaunch, AMissingCounterStaysMissing) {
  LaunchResult total;
  add_launch(total, {});
  EXPECT_FALSE(total.counters);
  EXPECT_FALSE(total.simulation_ms);
}

}  // namespace
}  // namespace cudalab
