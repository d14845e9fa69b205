// Work budgets: a steady clock, progress estimates, and limits on processor time, memory and threads.
#include "core/work_budget.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "messages/core.h"

namespace cudalab {
namespace {

constexpr double kMinute = 60;  // seconds
constexpr double kNsPerSecond = 1e9;
constexpr std::int64_t kLongFirstParts = 5'000'000'000;  // nanoseconds

}  // namespace

Pace::Pace(Tell tell, double first_look_seconds)
    : tell_(std::move(tell)), first_look_ns_(static_cast<std::int64_t>(first_look_seconds * kNsPerSecond)) {}

void Pace::begin(std::uint64_t parts, std::uint64_t at_once) {
  parts_ = parts;
  at_once_ = at_once;
  began_ns_ = coarse_now_ns();
  done_ = 0;
  first_parts_ns_ = 0;
  next_look_ns_ = first_look_ns_;
}

void Pace::one_more() {
  const std::uint64_t done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::int64_t age = coarse_now_ns() - began_ns_;
  if (done == at_once_) first_parts_ns_.store(age, std::memory_order_relaxed);
  const std::int64_t first = first_parts_ns_.load(std::memory_order_relaxed);
  const std::uint64_t wanted = first >= kLongFirstParts ? at_once_ : std::min(2 * at_once_, parts_);
  std::int64_t look = next_look_ns_.load(std::memory_order_relaxed);
  if (age < look || done < wanted) return;
  if (!next_look_ns_.compare_exchange_strong(look, 2 * std::max<std::int64_t>(age, 1))) return;
  const bool has_others = done > at_once_;
  const std::int64_t from = has_others ? first : 0;
  const std::uint64_t before = has_others ? at_once_ : 0;
  const double each = static_cast<double>(age - from) / static_cast<double>(done - before);
  tell_((static_cast<double>(from) + each * static_cast<double>(parts_ - before)) / kNsPerSecond);
}

void Forewarning::expect(const Argument& work, double seconds, const Message& advice) {
  if (seconds <= kMinute || !say_) return;
  const std::lock_guard lock(mutex_);
  double& said = said_[shown_in_english(work)];
  if (seconds < 2 * said) return;
  said = seconds;
  say_(msg::work_takes_long(work, std::llround(seconds / kMinute), advice));
}

namespace {

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

bool ProcessorBudget::is_spent() {
  const std::int64_t tick = coarse_now_ns();
  if (looked_at_.exchange(tick, std::memory_order_relaxed) == tick)
    return spent_.load(std::memory_order_relaxed);
  if (used_before_ + processor_seconds() - began_ >= seconds_) spent_ = true;
  return spent_;
}

ProcessorBudget::Work::Work(ProcessorBudget* budget) : budget_(budget) {
  if (budget_) budget_->began_ = processor_seconds();
}

ProcessorBudget::Work::~Work() {
  if (budget_) budget_->used_before_ += processor_seconds() - budget_->began_;
}

}  // namespace cudalab
