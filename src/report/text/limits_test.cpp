// Tests the sentences about a kernel's limits, and its predicted time without them.
#include "report/text/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "report/sample_results_testing.h"

namespace cudalab::report {

// Tests of the roofline.

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

lab::Row under_the_roof(std::string name, double flops, double dram_bytes, double ms) {
  lab::Row row = kernel_run(std::move(name), "k.cu", {256, 1, 1});
  row.useful_flops = flops;
  row.prediction = Prediction{.card = "h200", .ms = ms};
  row.prediction->limits = {{"dram", 0.5, dram_bytes, 4e12, "bytes"}};
  return row;
}

lab::Result with_rows(std::vector<lab::Row> rows) {
  lab::Result result = virtual_transpose();
  result.card = *vgpu::find_card("h200");
  result.rows = std::move(rows);
  return result;
}

TEST(Roof, IsTheLowerOfTwoCeilings) {
  const Roof roof{.arithmetic_gflop_s = 1000, .memory_gb_s = 100};
  EXPECT_EQ(roof.ridge(), 10);
  EXPECT_EQ(roof.height(2), 200);
  EXPECT_EQ(roof.height(50), 1000);
}

TEST(Roof, OfACardFollowsFromItsFigures) {
  const vgpu::Card& card = *vgpu::find_card("h200");
  EXPECT_NEAR(roof_of(card, false).arithmetic_gflop_s, 66'908, 1);  // 2 x 128 lanes x 132 x 1.98 GHz
  EXPECT_NEAR(roof_of(card, true).arithmetic_gflop_s, 33'454, 1);
  EXPECT_EQ(roof_of(card, true).memory_gb_s, card.dram_gb_per_second);
}

TEST(Roofline, IntensityIsOperationsForEachByteOfMemory) {
  EXPECT_EQ(intensity_of(under_the_roof("k", 300, 100, 1)), 3);
  EXPECT_EQ(intensity_of(under_the_roof("k", 0, 100, 1)), std::nullopt);
  EXPECT_EQ(intensity_of(under_the_roof("k", 300, 0, 1)), std::nullopt);
  EXPECT_EQ(intensity_of(kernel_run("k", "k.cu", {32, 1, 1})), std::nullopt);
}

TEST(Roofline, SaysWhichCeilingIsAboveAKernel) {
  const std::string text = roofline_text(
      with_rows({under_the_roof("low", 1e9, 1e9, 1), under_the_roof("high", 1e11, 1e9, 2)}), {.width = 100});
  EXPECT_THAT(text, HasSubstr("Roofline of the NVIDIA H200: 4814 GB/s of memory, 66908 GFLOP/s of 32-bit"));
  EXPECT_THAT(text, HasSubstr("low            1     4814      ~1000  ~21 %  memory"));
  EXPECT_THAT(text, HasSubstr("high         100    66908     ~50000  ~75 %  arithmetic"));
}

TEST(Roofline, OfDoublesHasTheirCeiling) {
  lab::Result result = with_rows({under_the_roof("low", 1e9, 1e9, 1)});
  result.options.emplace_back("type", std::string("f64"));
  EXPECT_THAT(roofline_text(result, {}), HasSubstr("33454 GFLOP/s of 64-bit"));
}

TEST(Roofline, SaysWhyThereIsNone) {
  const TableStyle ids{.wording = Wording::of_ids()};
  EXPECT_THAT(roofline_text(virtual_transpose(), ids), HasSubstr("roofline_missing()"));
  EXPECT_THAT(roofline_text(with_rows({under_the_roof("low", 0, 1e9, 1)}), ids),
              HasSubstr("roofline_missing()"));
}

// A kernel of 100 us with 2 us of launch overhead; two resources take the given shares of the time.
lab::Row limited_by(std::string first, double share, std::string second, double other) {
  lab::Row row = kernel_run("k", "k.cu", {256, 1, 1});
  row.prediction = Prediction{.card = "h200", .ms = 0.1};
  row.prediction->limits = {{std::move(first), share, 1, 1, ""},
                            {std::move(second), other, 1, 1, ""},
                            {"launch", 0.02, 1, 1, "launches"}};
  row.prediction->occupancy = {.blocks = 8, .warps = 64, .most_warps = 64, .waves = 10};
  return row;
}

TEST(Limits, NameConflicts) {
  lab::Row row = limited_by("shared", 0.98, "dram", 0.3);
  row.counters = transpose_counters(4, 31);
  row.counters->set(Counter::kSharedLoadWavefronts, 32 * 32768);
  row.counters->set(Counter::kSharedStoreWavefronts, 32768);
  EXPECT_EQ(with_ids(*explain_limits(row)),
            "limit_cause(limit=limit_share(resource=memory_shared(), share=98 %, time=~100 us), "
            "cause=limit_wavefronts(wavefronts=16.5))");
}

TEST(Limits, OfSharedMemoryWithoutConflictsBlamesNone) {
  lab::Row row = limited_by("shared", 0.98, "dram", 0.3);
  row.counters = transpose_counters(4, 0);
  row.counters->set(Counter::kSharedLoadWavefronts, 32768);
  row.counters->set(Counter::kSharedStoreWavefronts, 32768);
  EXPECT_THAT(*explain_limits(row),
              AllOf(MentionsMessage("memory_shared"), Not(MentionsMessage("limit_cause"))));
}

TEST(Limits, NamesWastedSectors) {
  lab::Row row = limited_by("l2", 0.9, "dram", 0.5);
  row.accesses = {access(MemorySpace::kGlobal, AccessKind::kLoad, 4, 4, 4),
                  access(MemorySpace::kGlobal, AccessKind::kStore, 32, 4, 4096, 4)};
  EXPECT_THAT(*explain_limits(row), AllOf(MentionsMessage("resource_l2"), MentionsMessage("limit_sectors"),
                                          HasArgument("sectors", 18), HasArgument("fewest", 4)));
  row.accesses.pop_back();
  EXPECT_THAT(*explain_limits(row), IsMessage("limit_share"));
}

TEST(Limits, NameTheResource) {
  EXPECT_THAT(*explain_limits(limited_by("atomics", 0.9, "dram", 0.5)), MentionsMessage("resource_atomics"));
  EXPECT_THAT(*explain_limits(limited_by("sfu", 0.9, "dram", 0.5)), MentionsMessage("resource_sfu"));
}

TEST(Limits, OfLatencySaysHowManyWarpsWait) {
  lab::Row row = limited_by("latency", 0.9, "dram", 0.1);
  row.prediction->occupancy = {
      .blocks = 1, .warps = 8, .most_warps = 64, .limited_by = OccupancyLimit::kShared, .waves = 2};
  EXPECT_EQ(with_ids(*explain_limits(row)),
            "limit_cause(limit=limit_share(resource=resource_latency(), share=90 %, time=~100 us), "
            "cause=limit_some_warps_wait(warps=8, most=64, limit=memory_shared()))");
}

TEST(Limits, OfLatencyBlameNoLimitWhereAMultiprocessorHasAllWarpsThatItHolds) {
  lab::Row row = limited_by("latency", 0.9, "dram", 0.1);
  row.prediction->occupancy = {
      .blocks = 8, .warps = 64, .most_warps = 64, .limited_by = OccupancyLimit::kThreads, .waves = 62};
  EXPECT_THAT(*explain_limits(row),
              AllOf(MentionsMessage("limit_waves_wait"), HasArgument("warps", 64), HasArgument("waves", 62)));
  row.prediction->occupancy.waves = 1;
  EXPECT_THAT(*explain_limits(row), AllOf(MentionsMessage("limit_all_warps_wait"), HasArgument("warps", 64)));
}

TEST(Limits, SayThatBlocksWaitForEachOther) {
  lab::Row row = limited_by("waiting", 0.9, "dram", 0.1);
  row.prediction->limits.front().amount = 1055;
  EXPECT_THAT(*explain_limits(row),
              AllOf(MentionsMessage("resource_waiting"), MentionsMessage("limit_hand_overs"),
                    HasArgument("hand_overs", 1055)));
}

TEST(Limits, SayThatTheGridIsSmall) {
  lab::Row row = limited_by("dram", 0.9, "l2", 0.1);
  row.prediction->occupancy.waves = 0.25;
  EXPECT_EQ(with_ids(*explain_limits(row)),
            "limit_share_of_idle_card(limit=limit_share(resource=resource_dram(), share=90 %, time=~100 us), "
            "share=25 %)");
}

TEST(Limits, WithoutAPredictionNothingIsSaid) {
  lab::Row row = limited_by("dram", 0.9, "l2", 0.1);
  row.prediction->limits.clear();
  EXPECT_EQ(explain_limits(row), std::nullopt);
  row.prediction.reset();
  EXPECT_EQ(explain_limits(row), std::nullopt);
}

}  // namespace
}  // namespace cudalab::report
