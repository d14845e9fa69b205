// When enough has been measured: the rules of repeated timing, apart from what is timed.
#pragma once

#include <span>
#include <vector>

#include "core/measurement.h"
#include "device/device.h"

namespace cudalab::device {

// Collects the samples of one measurement until their spread is small.
class Sampler {
 public:
  // The interquartile range, as a share of the median, at which the samples agree.
  static constexpr double kSmallSpread = 0.02;

  explicit Sampler(const TimingPlan& plan) : plan_(plan) {}
  void add(double time_ms) { times_ms_.push_back(time_ms); }
  // After `seconds` of sampling. Never before min_samples; always at max_samples or max_seconds.
  bool enough(double seconds) const;
  TimeSummary summary() const;

 private:
  TimingPlan plan_;
  std::vector<double> times_ms_;
};

// The value below which the share `part` of the samples lies, interpolated. `sorted` must not be empty.
double quantile(std::span<const double> sorted, double part);

// Warming up: whether the last batches took the same time, as they do once the clocks stay the same.
bool is_steady(std::span<const double> batch_ms);

// How many runs to time together so that starting the first of them does not count: about a millisecond's
// worth.
int batch_size(double single_ms);

}  // namespace cudalab::device
