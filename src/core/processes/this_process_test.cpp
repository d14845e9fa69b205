// Whose process has ended, and what is no mark.
#include "core/processes/this_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cudalab {

namespace {

TEST(ProcessMark, IsOfAProcessThatLives) { EXPECT_FALSE(is_gone(own_mark())); }

TEST(ProcessMark, IsGoneWithTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_gone(std::to_string(child) + "-1"));
}

// Its files are nobody's, however long whoever started it waits before it asks how it ended.
TEST(ProcessMark, IsGoneBeforeAnybodyAsksHowItEnded) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_gone(std::to_string(child) + "-0"));
  ::waitpid(child, nullptr, 0);
}

// The number of one that ended may be another's by now.
TEST(ProcessMark, IsGoneWhereAnotherHasTheNumber) {
  EXPECT_TRUE(is_gone(std::to_string(::getpid()) + "-1"));
  EXPECT_FALSE(is_gone(std::to_string(::getpid()) + "-0"));  // the system did not say
}

TEST(ProcessMark, IsNothingElse) {
  for (const char* text : {"", "-", "1", "x-1", "1-x", "-5-1", "0-1", "99999999999-1", "1-1-1"})
    EXPECT_FALSE(is_gone(text)) << text;
}

}  // namespace
}  // namespace cudalab
