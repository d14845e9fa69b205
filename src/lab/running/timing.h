// Durations: timing a CPU version, and summaries of samples.
#pragma once

#include <functional>
#include <vector>

#include "core/measurement.h"

namespace cudalab::lab {

struct CpuTimingPlan {
  int min_samples = 5;
  int max_samples = 11;
  double max_seconds =
      0.1;  // sampling stops at this age once min_samples are there, at min_samples times it anyway
};

// Runs `work` once to warm up, then repeatedly. A warm-up that alone takes longer than the plan's max_seconds
// times min_samples is the only sample: `samples` then says 1. `after_warm_up` is called once, before the
// samples.
TimeSummary time_cpu(const std::function<void()>& work, const CpuTimingPlan& plan,
                     const std::function<void()>& after_warm_up = {});

// The median of an even number of samples is the mean of the middle two. At least one sample.
TimeSummary summarize(std::vector<double> samples_ms);

// One after the other: the sum of each figure, and the smaller number of samples.
TimeSummary in_sequence(const TimeSummary& first, const TimeSummary& second);

}  // namespace cudalab::lab
