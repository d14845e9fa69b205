// Tests rates, shares of the peak, speed-ups and verdicts of hand-made results.
#include "lab/running/summary.h"

#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"

namespace cudalab::lab {

// Counters of launches, and the rows that they are assigned to.

namespace {

Counters loads(double requests) {
  Counters counters;
  counters.set(Counter::kGlobalLoadRequests, requests);
  return counters;
}

Result two_rows() {
  Result result;
  result.rows.resize(3);
  result.rows[1].launches = 1;
  result.rows[2].launches = 2;
  return result;
}

TEST(Profile, LaunchesOfARowAddUp) {
  Result result = two_rows();
  const Counters kernels[] = {loads(5), loads(7), loads(11)};
  add_profile(result, kernels);
  EXPECT_FALSE(result.rows[0].counters) << "a CPU version launches nothing";
  EXPECT_FALSE(result.rows[0].is_profiled);
  EXPECT_EQ(result.rows[1].counters->get(Counter::kGlobalLoadRequests), 5);
  EXPECT_EQ(result.rows[2].counters->get(Counter::kGlobalLoadRequests), 18);
  EXPECT_TRUE(result.rows[2].is_profiled);
}

TEST(Profile, AnotherNumberOfKernelsIsRefused) {
  Result result = two_rows();
  const Counters kernels[] = {loads(5), loads(7)};
  EXPECT_THROW(add_profile(result, kernels), Error);
  EXPECT_FALSE(result.rows[1].counters);
}

using Row = Row;

Row run(std::string name, RowKind kind, std::optional<double> ms, Verdict verdict = Verdict::kPass) {
  Row made;
  made.name = std::move(name);
  made.kind = kind;
  made.verdict = verdict;
  made.useful_bytes = 4e9;
  if (ms) made.time_ms = TimeSummary{*ms, *ms, *ms, 11};
  return made;
}

Row cpu(int threads, double ms) {
  Row made = run("cpu", RowKind::kCpu, ms);
  made.threads = threads;
  return made;
}

TEST(Summary, RatesUseTenToTheNine) {
  Result result;
  result.rows = {run("copy", RowKind::kCeiling, 1), run("naive", RowKind::kKernel, 4)};
  summarize(result);
  EXPECT_DOUBLE_EQ(*result.rows[0].gb_s, 4000);
  EXPECT_DOUBLE_EQ(*result.rows[1].gb_s, 1000);
  EXPECT_DOUBLE_EQ(*result.rows[0].percent_of_ceiling, 100);
  EXPECT_DOUBLE_EQ(*result.rows[1].percent_of_ceiling, 25);
  EXPECT_FALSE(result.rows[1].gflop_s);
}

TEST(Summary, OperationsAreComparedWithOperations) {
  Result result;
  result.rows = {run("cublas", RowKind::kLibrary, 1), run("tiled", RowKind::kKernel, 2)};
  for (Row& one : result.rows) one.useful_flops = 8e9;
  summarize(result);
  EXPECT_DOUBLE_EQ(*result.rows[1].gflop_s, 4000);
  EXPECT_DOUBLE_EQ(*result.rows[1].percent_of_ceiling, 50);
}

TEST(Summary, SpeedupsAreAgainstTheFastestVersions) {
  Result result;
  result.host_threads = 2;
  result.rows = {cpu(1, 100), cpu(2, 60), cpu(1, 80), cpu(2, 40), run("naive", RowKind::kKernel, 2)};
  summarize(result);
  EXPECT_DOUBLE_EQ(*result.rows[4].speedup_1_thread, 40);
  EXPECT_DOUBLE_EQ(*result.rows[4].speedup_all_threads, 20);
  EXPECT_FALSE(result.rows[0].speedup_1_thread);
}

TEST(MeasuredTime, IsTheMinimumOfACpuVersionAndTheMedianOfAKernel) {
  Row version = cpu(1, 0), kernel = run("naive", RowKind::kKernel, 0);
  version.time_ms = kernel.time_ms = TimeSummary{30, 20, 900, 11};
  EXPECT_EQ(measured_ms(version), 20);
  EXPECT_EQ(measured_ms(kernel), 30);
  EXPECT_EQ(measured_ms(Row()), std::nullopt);
}

TEST(MeasuredTime, IsDisturbedWhereMostSamplesTookTwiceTheMinimum) {
  Row version = cpu(1, 0), kernel = run("naive", RowKind::kKernel, 0);
  version.time_ms = TimeSummary{40, 20, 900, 11};
  EXPECT_FALSE(is_disturbed(version)) << "a few slow samples occur on an idle machine";
  version.time_ms = kernel.time_ms = TimeSummary{41, 20, 900, 11};
  EXPECT_TRUE(is_disturbed(version));
  EXPECT_FALSE(is_disturbed(kernel));
  EXPECT_FALSE(is_disturbed(Row()));
}

TEST(Summary, CpuVersionsCountWithTheirMinimum) {
  Result result;
  result.host_threads = 2;
  result.rows = {cpu(1, 100), cpu(2, 50), run("naive", RowKind::kKernel, 2)};
  result.rows[0].time_ms->median = result.rows[1].time_ms->median = 90;
  result.rows[1].time_ms->max = 1000;
  summarize(result);
  EXPECT_DOUBLE_EQ(*result.rows[1].gb_s, 80);
  EXPECT_DOUBLE_EQ(*result.rows[2].speedup_1_thread, 50);
  EXPECT_DOUBLE_EQ(*result.rows[2].speedup_all_threads, 25);
  EXPECT_TRUE(result.notes.empty());
}

TEST(Summary, OnABusyMachineANoteReplacesTheSpeedups) {
  Result result;
  result.host_threads = 2;
  result.rows = {cpu(1, 100), cpu(2, 50), cpu(2, 60), run("naive", RowKind::kKernel, 2),
                 run("tiled", RowKind::kKernel, {})};
  result.rows[2].time_ms->median = 130;
  result.rows[4].prediction = Prediction{.card = "h200", .ms = 4};
  summarize(result);
  EXPECT_DOUBLE_EQ(*result.rows[3].speedup_1_thread, 50);
  EXPECT_FALSE(result.rows[3].speedup_all_threads) << "which version is the fastest is not known";
  EXPECT_DOUBLE_EQ(*result.rows[4].predicted.speedup_1_thread, 25);
  EXPECT_FALSE(result.rows[4].predicted.speedup_all_threads);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_THAT(result.notes[0], IsMessage("note_machine_busy"));
  EXPECT_THAT(result.notes[0], HasArgument("stages", Argument::List{"cpu"}));
}

TEST(Summary, PredictedTimesAreComparedWithPredictedOnes) {
  Result result;
  result.host_threads = 1;
  result.rows = {cpu(1, 100), run("copy", RowKind::kCeiling, {}), run("naive", RowKind::kKernel, {})};
  result.rows[1].prediction = Prediction{.card = "h200", .ms = 1};
  result.rows[2].prediction = Prediction{.card = "h200", .ms = 4};
  summarize(result);
  EXPECT_DOUBLE_EQ(*result.rows[2].predicted.gb_s, 1000);
  EXPECT_DOUBLE_EQ(*result.rows[2].predicted.percent_of_ceiling, 25);
  EXPECT_DOUBLE_EQ(*result.rows[2].predicted.speedup_1_thread, 25);
  EXPECT_FALSE(result.rows[2].gb_s);
  EXPECT_FALSE(result.rows[2].percent_of_ceiling);
  EXPECT_FALSE(result.rows[2].speedup_1_thread);
}

TEST(Summary, WithoutATimeThereIsNoRate) {
  Result result;
  result.host_threads = 1;
  result.rows = {cpu(1, 100), run("naive", RowKind::kKernel, {})};
  summarize(result);
  EXPECT_FALSE(result.rows[1].gb_s);
  EXPECT_FALSE(result.rows[1].percent_of_ceiling);
  EXPECT_FALSE(result.rows[1].speedup_1_thread);
}

TEST(Summary, ACeilingThatFailedMeasuresNothing) {
  Result result;
  result.rows = {run("copy", RowKind::kCeiling, 1, Verdict::kFail), run("naive", RowKind::kKernel, 4)};
  summarize(result);
  EXPECT_FALSE(result.rows[1].percent_of_ceiling);
}

Verdict verdict_of(std::vector<Verdict> verdicts) {
  Result result;
  for (const Verdict one : verdicts) result.rows.push_back(run("r", RowKind::kKernel, {}, one));
  summarize(result);
  return result.verdict;
}

TEST(Summary, TheWholePassesWhenARunPassedAndNoneFailed) {
  EXPECT_EQ(verdict_of({Verdict::kPass, Verdict::kNotAssessed}), Verdict::kPass);
  EXPECT_EQ(verdict_of({Verdict::kPass, Verdict::kFail}), Verdict::kFail);
  EXPECT_EQ(verdict_of({Verdict::kNotAssessed}), Verdict::kNotAssessed);
  EXPECT_EQ(verdict_of({}), Verdict::kNotAssessed);
}

}  // namespace
}  // namespace cudalab::lab
