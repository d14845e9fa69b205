// What is shown at once, what later, and what no longer.
#include "lab/running/ticker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace cudalab::lab {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::StartsWith;

TEST(Ticker, SaysAtOnceWhatIsDoneAndLaterForHowLong) {
  std::vector<std::string> shown;
  {
    Ticker ticker([&](const std::string& text) { shown.push_back(text); }, milliseconds(20));
    ticker.say("compiling");
    ticker.say("running");
    std::this_thread::sleep_for(milliseconds(150));
  }
  const std::size_t count = shown.size();
  ASSERT_GE(count, 3u);
  EXPECT_EQ(shown[0], "compiling");
  EXPECT_EQ(shown[1], "running");
  EXPECT_EQ(shown[2], "running, 0 s");
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(shown.size(), count) << "nothing is said after the end";
}

TEST(Ticker, AQuickRunSaysNoTimes) {
  std::vector<std::string> shown;
  {
    Ticker ticker([&](const std::string& text) { shown.push_back(text); });
    ticker.say("compiling");
    ticker.say("running");
  }
  EXPECT_THAT(shown, ElementsAre("compiling", "running"));
}

TEST(Ticker, WithoutAnybodyToTellItIsSilent) {
  Ticker ticker({});
  ticker.say("running");
}

}  // namespace
}  // namespace cudalab::lab
