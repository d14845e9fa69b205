// Tests which insight each kernel gets, and its sentences.
#include "report/text/insight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "report/sample_results_testing.h"
#include "report/text/explanations.h"

namespace cudalab::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// The transpose with predicted times: naive 60 us, 24 us without its uncoalesced stores; tiled 25 us, 18 us
// without its bank conflicts.
lab::Result with_predictions() {
  lab::Result result = virtual_transpose();
  lab::Row &naive = result.rows[2], &tiled = result.rows[3];
  naive.prediction = Prediction{.card = "h200", .ms = 0.06};
  naive.prediction->without = {{Fault::kGlobalStores, 0.024}, {Fault::kLaunch, 0.057}};
  tiled.prediction = Prediction{.card = "h200", .ms = 0.025};
  tiled.prediction->without = {{Fault::kSharedLoads, 0.018}, {Fault::kLaunch, 0.022}};
  return result;
}

// Only the first kernel, with these faults.
lab::Result with_faults(std::vector<TimeWithout> faults) {
  lab::Result result = with_predictions();
  result.rows.erase(result.rows.begin() + 3);
  result.rows[2].prediction->without = std::move(faults);
  return result;
}

Insight the_insight(const lab::Result& result) {
  const std::vector<Insight> all = insights_of(result);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? Insight{} : all.front();
}

TEST(Insights, NameTheCostItsLineTheRemedyAndTheGain) {
  const std::vector<Insight> insights = insights_of(with_predictions());
  ASSERT_EQ(insights.size(), 2u);
  const Insight& naive = insights[0];
  EXPECT_EQ(naive.row, "naive");
  EXPECT_EQ(naive.index, 2u);
  EXPECT_EQ(naive.kind, "uncoalesced_stores");
  EXPECT_EQ(naive.cell, InsightCell::kStoreSectors);
  EXPECT_EQ(naive.where.line, 14);
  EXPECT_EQ(with_ids(naive.what),
            "insight_sectors(fault=explain_at_line(sentence=fault_uncoalesced_stores(), line=1_naive.cu:14), "
            "sectors=32, fewest=4)");
  EXPECT_THAT(naive.cause, AllOf(MentionsMessage("cause_addresses_apart"), HasArgument("used", 4)));
  EXPECT_EQ(with_ids(naive.remedy), "insight_remedy_shown_by(remedy=remedy_coalesce_stores(), stage=tiled)");
  EXPECT_THAT(naive.gain, AllOf(IsMessage("insight_gain"), HasArgument("factor", "2.5")));
  EXPECT_DOUBLE_EQ(naive.predicted_gain_ms, 0.036);
  const Insight& tiled = insights[1];
  EXPECT_EQ(tiled.kind, "bank_conflicts_of_loads");
  EXPECT_EQ(tiled.cell, InsightCell::kLoadConflicts);
  EXPECT_THAT(tiled.what, AllOf(MentionsMessage("fault_bank_conflict"), HasArgument("degree", 32)));
  EXPECT_EQ(with_ids(tiled.remedy), "insight_remedy(remedy=remedy_pad())") << "no later stage shows it";
}

TEST(Insights, AreWhatTheReportExplains) {
  const std::vector<Explanation> explanations = explain(with_predictions());
  ASSERT_EQ(explanations.size(), 2u);
  EXPECT_THAT(explanations[0].rows, ElementsAre("naive"));
  EXPECT_EQ(explanations[0].sentences.size(), 4u);
}

TEST(Insights, OfTheLargestGainOnly) {
  const auto the_insight_of = [](std::vector<TimeWithout> faults) {
    lab::Result result = with_faults(std::move(faults));
    result.rows[2].prediction->limits = {{"fp64", 0.9, 1, 1, "instructions"}};
    return the_insight(result);
  };
  EXPECT_EQ(the_insight_of({{Fault::kDoubles, 0.02}, {Fault::kGlobalStores, 0.024}}).kind, "fp64");
  EXPECT_EQ(the_insight_of({{Fault::kGlobalStores, 0.02}, {Fault::kDoubles, 0.024}}).kind,
            "uncoalesced_stores");
}

TEST(Insights, LeaveOutWhatNeedsNoAction) {
  EXPECT_THAT(insights_of(with_faults({})), IsEmpty());
  EXPECT_THAT(insights_of(with_faults({{Fault::kGlobalStores, 0.0595}})), IsEmpty());
  EXPECT_THAT(insights_of(with_faults({{Fault::kLaunch, 0.04}})), IsEmpty());
  EXPECT_THAT(insights_of(with_faults({{Fault::kSharedLoads, 0.02}})), IsEmpty()) << "it has no shared loads";
}

TEST(Insights, LaunchOverheadHasNoGainToPromise) {
  const Insight insight = the_insight(with_faults({{Fault::kLaunch, 0.027}}));
  EXPECT_THAT(insight.what, AllOf(IsMessage("insight_launch"), HasArgument("share", "55 %")));
  EXPECT_TRUE(insight.gain.empty());
}

TEST(Insights, TellMisalignedFromUncoalescedAndScattered) {
  lab::Result result = with_faults({{Fault::kGlobalStores, 0.02}});
  LineAccess& store = result.rows[2].accesses.back();
  store.lane_stride_bytes = 4;
  EXPECT_EQ(the_insight(result).kind, "misaligned_stores");
  store.lane_stride_bytes.reset();
  EXPECT_EQ(the_insight(result).kind, "scattered_stores");
}

TEST(Insights, OfARowThatFailedThereAreNone) {
  lab::Result result = with_predictions();
  result.rows[2].verdict = lab::Verdict::kFail;
  EXPECT_EQ(the_insight(result).row, "tiled");
}

TEST(Insights, WithoutAPredictionTheWasteDecides) {
  const std::vector<Insight> insights = insights_of(virtual_transpose());
  ASSERT_EQ(insights.size(), 2u);
  EXPECT_EQ(insights[0].kind, "uncoalesced_stores");
  EXPECT_EQ(insights[1].kind, "bank_conflicts_of_loads");
  EXPECT_TRUE(insights[0].gain.empty());
  EXPECT_FALSE(insights[0].predicted_ms);
}

TEST(Insights, ReferToANextStageOnlyIfItShowsTheRemedy) {
  lab::Result result = with_predictions();
  result.rows[3].prediction->ms = 0.07;  // slower
  EXPECT_THAT(insights_of(result)[0].remedy, IsMessage("insight_remedy"));
  result = with_predictions();
  result.rows[3].prediction->without.push_back({Fault::kGlobalStores, 0.02});  // has the same fault
  EXPECT_THAT(insights_of(result)[0].remedy, IsMessage("insight_remedy"));
  result = with_predictions();
  result.rows[3].useful_bytes *= 2;  // different work
  EXPECT_THAT(insights_of(result)[0].remedy, IsMessage("insight_remedy"));
}

TEST(Insights, OfInstructionsNameTheLine) {
  lab::Result result = with_faults({{Fault::kDivergence, 0.03}});
  EXPECT_THAT(insights_of(result), IsEmpty()) << "no line diverges";
  LineExecution line;
  line.where = {"labs/dot/3a_divergent.cu", 20};
  line.branches = 100, line.divergent_branches = 80, line.barriers = 7;
  result.rows[2].executions = {line};
  Insight insight = the_insight(result);
  EXPECT_THAT(insight.what, AllOf(IsMessage("insight_divergence"), HasArgument("share", "80 %")));
  EXPECT_EQ(insight.cell, InsightCell::kTime);
  result.rows[2].prediction->without = {{Fault::kBarriers, 0.03}};
  insight = the_insight(result);
  EXPECT_EQ(insight.kind, "barrier_waits");
  EXPECT_EQ(insight.where.line, 20);
}

TEST(Insights, OfTheLaunchSayHowFullTheGpuIs) {
  lab::Result result = with_faults({{Fault::kFewBlocks, 0.03}});
  result.rows[2].spec.grid = {33, 1, 1};
  result.rows[2].prediction->occupancy = {
      .blocks = 8, .warps = 24, .most_warps = 64, .limited_by = OccupancyLimit::kShared, .waves = 0.25};
  EXPECT_THAT(the_insight(result).what, AllOf(IsMessage("insight_few_blocks"), HasArgument("share", "25 %")));
  EXPECT_THAT(the_insight(result).remedy, HasArgument("blocks", 132));
  result.rows[2].prediction->without = {{Fault::kOccupancy, 0.03}};
  EXPECT_THAT(insights_of(result), IsEmpty()) << "latency is not what limits it";
  result.rows[2].prediction->limits = {{"latency", 0.9, 1, 1, "clocks"}};
  EXPECT_THAT(the_insight(result).what, AllOf(HasArgument("warps", 24), MentionsMessage("memory_shared")));
  EXPECT_THAT(the_insight(result).remedy, MentionsMessage("remedy_less_shared"));
}

}  // namespace
}  // namespace cudalab::report
