// Tests the stopping rules with made-up samples.
#include "device/sampling.h"

#include <gtest/gtest.h>

namespace cudalab::device {
namespace {

TEST(Quantile, InterpolatesBetweenSamples) {
  const std::vector<double> sorted{1, 2, 3, 5};
  EXPECT_DOUBLE_EQ(quantile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(sorted, 1), 5);
}

TEST(Sampler, StopsAtMinSamplesWhenTheyAgree) {
  Sampler sampler({.min_samples = 10});
  for (int i = 0; i < 9; ++i) sampler.add(1.0);
  EXPECT_FALSE(sampler.enough(100)) << "never before min_samples, however late it is";
  sampler.add(1.01);
  EXPECT_TRUE(sampler.enough(0));
}

TEST(Sampler, ContinuesWhileTheSpreadIsLarge) {
  Sampler sampler({.min_samples = 4, .max_samples = 8, .max_seconds = 2});
  for (const double time : {1.0, 2.0, 1.0, 2.0}) sampler.add(time);
  EXPECT_FALSE(sampler.enough(1));
  EXPECT_TRUE(sampler.enough(2)) << "time is up";
  for (const double time : {1.0, 2.0, 1.0, 2.0}) sampler.add(time);
  EXPECT_TRUE(sampler.enough(1)) << "max_samples";
}

TEST(Sampler, OneSlowSampleDoesNotProlongTheMeasurement) {
  Sampler sampler({.min_samples = 10});
  for (int i = 0; i < 9; ++i) sampler.add(1.0);
  sampler.add(50.0);
  EXPECT_TRUE(sampler.enough(0));
  EXPECT_DOUBLE_EQ(sampler.summary().median, 1.0);
  EXPECT_DOUBLE_EQ(sampler.summary().max, 50.0);
}

TEST(Sampler, SummarizesAllSamples) {
  Sampler sampler({});
  for (const double time : {3.0, 1.0, 2.0}) sampler.add(time);
  const TimeSummary summary = sampler.summary();
  EXPECT_DOUBLE_EQ(summary.median, 2);
  EXPECT_DOUBLE_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.max, 3);
  EXPECT_EQ(summary.samples, 3);
}

TEST(Settling, NeedsFourBatchesThatAgree) {
  EXPECT_FALSE(is_steady(std::vector<double>{1.0, 1.0, 1.0}));
  EXPECT_TRUE(is_steady(std::vector<double>{9.0, 1.0, 1.01, 1.0, 1.0}));
  EXPECT_FALSE(is_steady(std::vector<double>{1.2, 1.1, 1.05, 1.0})) << "still getting faster";
}

TEST(BatchSize, GroupsShortKernelsIntoAMillisecond) {
  EXPECT_EQ(batch_size(0.004), 250);
  EXPECT_EQ(batch_size(0.3), 4);
  EXPECT_EQ(batch_size(20), 1);
  EXPECT_EQ(batch_size(0), 500);
}

}  // namespace
}  // namespace cudalab::device
