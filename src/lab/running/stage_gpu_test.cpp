// Summaries of samples, and how many samples a CPU version gets.
#include "lab/running/stage_gpu.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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

TEST(TimeCpu, AQuickVersionGetsAllSamplesAndAWarmUp) {
  int calls = 0;
  EXPECT_EQ(time_cpu([&] { ++calls; }, {5, 11, 10.0}).samples, 11);
  EXPECT_EQ(calls, 12);
}

TEST(TimeCpu, SamplingStopsWithTheBudgetButNotBelowTheMinimum) {
  const auto nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  const TimeSummary time = time_cpu(nap, {5, 100, 0.002});
  EXPECT_GE(time.samples, 1);
  EXPECT_LE(time.samples, 6);
  EXPECT_GE(time.min, 2);
}

// Five samples of what takes as long as three budgets would take fifteen.
TEST(TimeCpu, ASlowVersionGetsAsManySamplesAsFitIntoFiveBudgets) {
  const auto nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); };
  const TimeSummary time = time_cpu(nap, {5, 11, 0.01});
  EXPECT_GE(time.samples, 1);
  EXPECT_LE(time.samples, 2);
}

TEST(TimeCpu, AVerySlowVersionRunsOnce) {
  int calls = 0;
  const auto nap = [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  EXPECT_EQ(time_cpu(nap, {5, 11, 0.001}).samples, 1);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace cudalab::lab
