// Decides when repeated timing has enough samples. Independent of what is timed.
#pragma once

#include <span>
#include <vector>

#include "core/measurement.h"
#include "device/device.h"

namespace cudalab::device {

// Collects the samples of one measurement until their spread is small.
class Sampler {
 public:
  // The spread at which sampling can stop: the interquartile range as a fraction of the median.
  static constexpr double kSmallSpread = 0.02;

  explicit Sampler(const TimingPlan& plan) : plan_(plan) {}
  void add(double time_ms) { times_ms_.push_back(time_ms); }
  // Whether sampling can stop after `seconds`: never before min_samples, always at max_samples or
  // max_seconds.
  bool enough(double seconds) const;
  TimeSummary summary() const;

 private:
  TimingPlan plan_;
  std::vector<double> times_ms_;
};

// The quantile `part` of the samples, interpolated. `sorted` must not be empty.
double quantile(std::span<const double> sorted, double part);

// Warm-up: whether the last batches took the same time, which means that the clock frequency is stable.
bool is_steady(std::span<const double> batch_ms);

// The number of runs to time together, about a millisecond of work, so the overhead of the first launch is
// negligible.
int batch_size(double single_ms);

}  // namespace cudalab::device
