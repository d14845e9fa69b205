// Tests summaries of samples, and how many samples a CPU version gets.
#include "lab/running/stage_gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace cudalab::lab {

namespace {

TEST(Summarize, MedianMinMax) {
  const TimeSummary odd = summarize({3, 1, 2});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 3);
  EXPECT_EQ(odd.samples, 3);
  EXPECT_EQ(summarize({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(summarize({7}).median, 7);
}

TEST(InSequence, Adds) {
  const TimeSummary both = in_sequence({2, 1, 3, 11}, {20, 10, 30, 7});
  EXPECT_EQ(both.median, 22);
  EXPECT_EQ(both.min, 11);
  EXPECT_EQ(both.max, 33);
  EXPECT_EQ(both.samples, 7);
}

// Work that takes these seconds on its own clock; the last duration repeats.
class FakeWork {
 public:
  explicit FakeWork(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
  TimeSummary time(const CpuTimingPlan& plan) {
    return time_cpu([this] { now_ += seconds_[std::min(calls++, seconds_.size() - 1)]; }, plan, {},
                    [this] { return now_; });
  }
  std::size_t calls = 0;

 private:
  std::vector<double> seconds_;
  double now_ = 0;
};

TEST(TimeCpu, AQuickVersionGetsAllSamplesAndAWarmUp) {
  FakeWork work({0.001});
  EXPECT_EQ(work.time({5, 11, 10.0}).samples, 11);
  EXPECT_EQ(work.calls, 12u);
}

TEST(TimeCpu, SummarizesTheSamplesWithoutTheWarmUp) {
  const TimeSummary time = FakeWork({0.5, 4, 2, 3}).time({3, 3, 10.0});
  EXPECT_DOUBLE_EQ(time.min, 2000);
  EXPECT_DOUBLE_EQ(time.median, 3000);
  EXPECT_DOUBLE_EQ(time.max, 4000);
}

TEST(TimeCpu, SamplingStopsWithTheBudgetButNotBelowTheMinimum) {
  EXPECT_EQ(FakeWork({2}).time({5, 100, 3}).samples, 5);
  EXPECT_EQ(FakeWork({2}).time({5, 100, 15}).samples, 8);
}

// Five samples of 3 budgets each would take 15 budgets; the limit is 5.
TEST(TimeCpu, ASlowVersionGetsAsManySamplesAsFitIntoFiveBudgets) {
  EXPECT_EQ(FakeWork({3}).time({5, 11, 1}).samples, 2);
}

TEST(TimeCpu, AVerySlowVersionRunsOnce) {
  FakeWork work({20});
  const TimeSummary time = work.time({5, 11, 1});
  EXPECT_EQ(time.samples, 1);
  EXPECT_DOUBLE_EQ(time.min, 20000);
  EXPECT_EQ(work.calls, 1u);
}

TEST(BlocksToRun, AreAllWhereThatTakesSeconds) {
  EXPECT_EQ(blocks_to_run({1000, kMostInSeconds}), 0);
  EXPECT_EQ(blocks_to_run({4096, 4 * kMostInSeconds}), 128) << "1/32 of the instructions";
  EXPECT_EQ(blocks_to_run({256, 1e15}), 8) << "at least so many";
}

}  // namespace
}  // namespace cudalab::lab
