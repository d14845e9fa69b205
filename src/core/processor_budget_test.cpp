// Work of several threads and several pieces of work draw on one budget; waiting does not.
#include "core/processor_budget.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace cudalab {
namespace {

// True once it is spent, false after a while without.
bool is_spent_by_working(ProcessorBudget& budget, std::chrono::milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (std::chrono::steady_clock::now() < end)
    if (budget.is_spent()) return true;
  return false;
}

TEST(ProcessorBudget, IsSpentByWork) {
  ProcessorBudget budget(0.05);
  const ProcessorBudget::Work work(&budget);
  EXPECT_FALSE(budget.is_spent());
  EXPECT_TRUE(is_spent_by_working(budget, std::chrono::seconds(60)));
  EXPECT_TRUE(budget.is_spent());
}

TEST(ProcessorBudget, IsNotSpentByWaiting) {
  ProcessorBudget budget(0.05);
  const ProcessorBudget::Work work(&budget);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(budget.is_spent());
}

TEST(ProcessorBudget, AddsUpWhatIsTakenFromIt) {
  ProcessorBudget budget(0.2);
  {
    const ProcessorBudget::Work first(&budget);
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < CLOCKS_PER_SEC / 8) continue;  // 0.125 seconds
    EXPECT_FALSE(budget.is_spent());
  }
  const std::clock_t begin = std::clock();
  while (std::clock() - begin < CLOCKS_PER_SEC / 4) continue;  // not from the budget
  const ProcessorBudget::Work second(&budget);
  EXPECT_FALSE(budget.is_spent());
  const std::clock_t again = std::clock();
  EXPECT_TRUE(is_spent_by_working(budget, std::chrono::seconds(60)));
  EXPECT_LT(std::clock() - again, CLOCKS_PER_SEC / 8);
}

TEST(ProcessorBudget, CountsAllThreads) {
  ProcessorBudget budget(0.05);
  const ProcessorBudget::Work work(&budget);
  std::jthread([] {
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < CLOCKS_PER_SEC / 10) continue;
  }).join();
  EXPECT_TRUE(budget.is_spent());
}

TEST(ProcessorBudget, CountsStepsThatAreTheSameOnEveryMachine) {
  ProcessorBudget budget(ProcessorBudget::kAnyTime, 100);
  budget.take_steps(60);
  const std::uint64_t before = budget.steps_taken();
  budget.take_steps(40);
  EXPECT_FALSE(budget.has_no_steps_left());
  budget.take_steps(1);
  EXPECT_TRUE(budget.has_no_steps_left());
  budget.give_back_to(before);
  EXPECT_EQ(budget.steps_taken(), 60u);
  EXPECT_FALSE(budget.has_no_steps_left());
}

TEST(ProcessorBudget, HasAnySteps) {
  ProcessorBudget budget(1);
  budget.take_steps(1ull << 62);
  EXPECT_FALSE(budget.has_no_steps_left());
}

}  // namespace
}  // namespace cudalab
