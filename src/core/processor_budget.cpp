// The clock of the process's processor time is a system call; the coarse clock, which is none, says when to
// look at it.
#include "core/processor_budget.h"

#include <ctime>

#include "core/clock.h"

namespace cudalab {
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
