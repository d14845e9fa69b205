// Marks of living and ended processes, and texts that are not marks.
#include "core/processes/this_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cudalab {

namespace {

TEST(ProcessMark, LivesWithItsProcess) { EXPECT_FALSE(is_gone(own_mark())); }

TEST(ProcessMark, IsGoneWithItsProcess) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_gone(std::to_string(child) + "-1"));
}

// The process has ended, even if its parent waits for it much later.
TEST(ProcessMark, IsGoneBeforeTheParentWaits) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_gone(std::to_string(child) + "-0"));
  ::waitpid(child, nullptr, 0);
}

// The id of an ended process may have been reused.
TEST(ProcessMark, IsGoneIfAnotherProcessHasTheId) {
  EXPECT_TRUE(is_gone(std::to_string(::getpid()) + "-1"));
  EXPECT_FALSE(is_gone(std::to_string(::getpid()) + "-0"));  // 0: the system did not provide a start
}

TEST(ProcessMark, TextsThatAreNotMarksAreRejected) {
  for (const char* text : {"", "-", "1", "x-1", "1-x", "-5-1", "0-1", "99999999999-1", "1-1-1"})
    EXPECT_FALSE(is_gone(text)) << text;
}

}  // namespace
}  // namespace cudalab
