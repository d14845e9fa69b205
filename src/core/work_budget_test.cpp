// Tests progress estimates, announcements of long work, and budgets of processor time.
#include "core/work_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "messages/core.h"

namespace cudalab {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(Pace, EstimatesTheTotalFromTheFirstParts) {
  std::vector<double> told;
  Pace pace([&](double seconds) { told.push_back(seconds); }, 0.05);
  pace.begin(1000, 1);
  const auto began = std::chrono::steady_clock::now();
  while (told.empty()) {
    std::this_thread::sleep_for(10ms);
    pace.one_more();
  }
  const double age = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  EXPECT_GE(age, 0.04);
  EXPECT_GT(told[0], 1000 * 0.009);
  EXPECT_LT(told[0], 1000 * (age + 0.02));
}

TEST(Pace, EstimatesAgainWheneverTheTimeHasDoubled) {
  std::vector<double> told;
  Pace pace([&](double seconds) { told.push_back(seconds); }, 0.02);
  pace.begin(100, 1);
  for (int part = 0; part < 40; ++part) {
    std::this_thread::sleep_for(5ms);
    pace.one_more();
  }
  EXPECT_GE(told.size(), 2u);
  EXPECT_LE(told.size(), 20u);  // of 40 parts; a busy machine may cause more estimates
}

// If 16 parts run in parallel, the first completed one says nothing: the other 15 are almost complete, too.
// And the first 16 may be slower than the others.
TEST(Pace, WaitsForAsManyPartsAsRunInParallel) {
  int told = 0;
  Pace pace([&](double) { ++told; }, 0);
  pace.begin(64, 16);
  for (int part = 0; part < 31; ++part) pace.one_more();
  EXPECT_EQ(told, 0);
  pace.one_more();
  EXPECT_EQ(told, 1);
}

TEST(Pace, LeavesOutASlowFirstPart) {
  std::vector<double> told;
  Pace pace([&](double seconds) { told.push_back(seconds); }, 0.2);
  pace.begin(1000, 1);
  std::this_thread::sleep_for(200ms);
  pace.one_more();
  std::this_thread::sleep_for(10ms);
  for (int part = 0; part < 20; ++part) pace.one_more();
  ASSERT_FALSE(told.empty());
  EXPECT_LT(told.front(), 100);  // not 1000 times the first part
}

TEST(Pace, CanBeRestarted) {
  std::vector<double> told;
  Pace pace([&](double seconds) { told.push_back(seconds); }, 0);
  for (const auto pause : {20ms, 0ms}) {
    pace.begin(10, 1);
    pace.one_more();
    std::this_thread::sleep_for(pause);
    pace.one_more();
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_LT(told[1], told[0]);
}

TEST(Forewarning, ReportsMoreThanAMinuteOnceAndAgainAtTwiceTheTime) {
  std::vector<Message> said;
  Forewarning warning([&](const Message& message) { said.push_back(message); });
  const Message advice = msg::advice_smaller_size();
  for (const double seconds : {59, 100, 190, 300}) warning.expect("k", seconds, advice);
  warning.expect("m", 61, advice);
  EXPECT_THAT(said, ElementsAre(msg::work_takes_long("k", 2, advice), msg::work_takes_long("k", 5, advice),
                                msg::work_takes_long("m", 1, advice)));
}

TEST(Forewarning, AcceptsAnEmptyCallback) { Forewarning({}).expect("k", 1000, {}); }

// Several threads and several pieces of work share one budget. Waiting uses none of it.

// Works until the budget is spent (true) or `at_most` has passed (false).
bool is_spent_by_working(ProcessorBudget& budget, std::chrono::milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (std::chrono::steady_clock::now() < end)
    if (budget.is_spent()) return true;
  return false;
}

TEST(ProcessorBudget, WorkUsesTheBudget) {
  ProcessorBudget budget(0.05);
  const ProcessorBudget::Work work(&budget);
  EXPECT_FALSE(budget.is_spent());
  EXPECT_TRUE(is_spent_by_working(budget, std::chrono::seconds(60)));
  EXPECT_TRUE(budget.is_spent());
}

TEST(ProcessorBudget, WaitingUsesNothing) {
  ProcessorBudget budget(0.05);
  const ProcessorBudget::Work work(&budget);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(budget.is_spent());
}

TEST(ProcessorBudget, AddsUpSeveralPiecesOfWork) {
  ProcessorBudget budget(0.2);
  {
    const ProcessorBudget::Work first(&budget);
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < CLOCKS_PER_SEC / 8) continue;  // 0.125 seconds
    EXPECT_FALSE(budget.is_spent());
  }
  const std::clock_t begin = std::clock();
  while (std::clock() - begin < CLOCKS_PER_SEC / 4) continue;  // does not count against the budget
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

TEST(ProcessorBudget, CountsStepsIndependentOfTheMachine) {
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

TEST(ProcessorBudget, ZeroStepsMeanNoLimit) {
  ProcessorBudget budget(1);
  budget.take_steps(1ull << 62);
  EXPECT_FALSE(budget.has_no_steps_left());
}

}  // namespace
}  // namespace cudalab
