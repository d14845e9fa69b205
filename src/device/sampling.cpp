// Computes medians, spreads and the stopping rules of device/sampling.h.
#include "device/sampling.h"

#include <algorithm>
#include <cmath>

namespace cudalab::device {
namespace {

constexpr std::size_t kSteadyBatches = 4;
constexpr double kSteadySpread = 0.02;
constexpr double kBatchMs = 1.0;
constexpr int kLargestBatch = 500;

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

double quantile(std::span<const double> sorted, double part) {
  const double position = part * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

bool Sampler::enough(double seconds) const {
  const int samples = static_cast<int>(times_ms_.size());
  if (samples == 0 || samples < plan_.min_samples) return false;
  if (samples >= plan_.max_samples || seconds >= plan_.max_seconds) return true;
  const auto times = sorted(times_ms_);
  return quantile(times, 0.75) - quantile(times, 0.25) <= kSmallSpread * quantile(times, 0.5);
}

TimeSummary Sampler::summary() const {
  if (times_ms_.empty()) return {};
  const auto times = sorted(times_ms_);
  return {quantile(times, 0.5), times.front(), times.back(), static_cast<int>(times.size())};
}

bool is_steady(std::span<const double> batch_ms) {
  if (batch_ms.size() < kSteadyBatches) return false;
  const auto [least, most] = std::minmax_element(batch_ms.end() - kSteadyBatches, batch_ms.end());
  return *most - *least <= kSteadySpread * *least;
}

int batch_size(double single_ms) {
  if (!(single_ms > 0)) return kLargestBatch;
  return static_cast<int>(std::clamp(std::ceil(kBatchMs / single_ms), 1.0, double{kLargestBatch}));
}

}  // namespace cudalab::device
