// What a part of the work says of the whole.
#include "core/pace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace cudalab {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Pace, TakesTheWholeForAsSlowAsItsFirstParts) {
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

TEST(Pace, LooksAgainWhenTwiceTheTimeHasPassed) {
  std::vector<double> told;
  Pace pace([&](double seconds) { told.push_back(seconds); }, 0.02);
  pace.begin(100, 1);
  for (int part = 0; part < 40; ++part) {
    std::this_thread::sleep_for(5ms);
    pace.one_more();
  }
  EXPECT_GE(told.size(), 2u);
  EXPECT_LE(told.size(), 20u);  // of 40 parts; the machine may be busy
}

// The first of 16 that run side by side says nothing: the other 15 are as far.
TEST(Pace, WaitsForAsManyPartsAsGoOnAtOnce) {
  int told = 0;
  Pace pace([&](double) { ++told; }, 0);
  pace.begin(64, 16);
  for (int part = 0; part < 15; ++part) pace.one_more();
  EXPECT_EQ(told, 0);
  pace.one_more();
  EXPECT_EQ(told, 1);
}

TEST(Pace, BeginsAnew) {
  std::vector<double> told;
  Pace pace([&](double seconds) { told.push_back(seconds); }, 0);
  pace.begin(10, 1);
  std::this_thread::sleep_for(20ms);
  pace.one_more();
  pace.begin(10, 1);
  pace.one_more();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_LT(told[1], told[0]);
}

TEST(Forewarning, SpeaksOfMoreThanAMinuteOnceAndAgainOfTwiceAsMuch) {
  std::vector<std::string> said;
  Forewarning warning([&](const std::string& text) { said.push_back(text); });
  warning.expect("k", 59, "a smaller size is quicker");
  warning.expect("k", 100, "a smaller size is quicker");
  warning.expect("k", 190, "a smaller size is quicker");
  warning.expect("k", 300, "a smaller size is quicker");
  warning.expect("m", 61, "a smaller size is quicker");
  EXPECT_THAT(said, ElementsAre(HasSubstr("k will take about 2 minutes, an estimate"), HasSubstr("5 minutes"),
                                HasSubstr("m will take about 1 minute,")));
}

TEST(Forewarning, MayHaveNobodyToTell) { Forewarning({}).expect("k", 1000, "wait"); }

}  // namespace
}  // namespace cudalab
