// Durations: timing a CPU version, and summaries of samples.
#include "lab/running/timing.h"

#include <algorithm>
#include <chrono>

namespace cudalab::lab {
namespace {

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TimeSummary summarize(std::vector<double> samples_ms) {
  std::sort(samples_ms.begin(), samples_ms.end());
  const std::size_t count = samples_ms.size();
  const double median = (samples_ms[(count - 1) / 2] + samples_ms[count / 2]) / 2;
  return {median, samples_ms.front(), samples_ms.back(), static_cast<int>(count)};
}

TimeSummary time_cpu(const std::function<void()>& work, const CpuTimingPlan& plan,
                     const std::function<void()>& after_warm_up) {
  const double budget_ms = plan.max_seconds * 1000;
  const double warm_up_ms = milliseconds_of(work);
  if (after_warm_up) after_warm_up();
  const double longest_ms = budget_ms * plan.min_samples;
  if (warm_up_ms > longest_ms) return summarize({warm_up_ms});
  std::vector<double> samples;
  double age_ms = 0;
  const auto goes_on = [&] {
    const auto count = static_cast<int>(samples.size());
    if (count == 0) return true;
    return count < plan.min_samples ? age_ms < longest_ms : count < plan.max_samples && age_ms < budget_ms;
  };
  while (goes_on()) {
    samples.push_back(milliseconds_of(work));
    age_ms += samples.back();
  }
  return summarize(std::move(samples));
}

TimeSummary in_sequence(const TimeSummary& first, const TimeSummary& second) {
  return {first.median + second.median, first.min + second.min, first.max + second.max,
          std::min(first.samples, second.samples)};
}

}  // namespace cudalab::lab
