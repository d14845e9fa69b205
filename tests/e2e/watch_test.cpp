// The course on a terminal: `watch`, its keys, and what a check shows while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/e2e/course_testing.h"
#include "tests/e2e/terminal_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kOurMark = "watch_test, which looks for its compilers";

TEST_F(Course, TheProgramAloneSaysWhatIsNext) {
  Terminal outside({}, home.path());
  EXPECT_EQ(outside.wait(), 0);
  EXPECT_THAT(outside.everything(), HasSubstr("cudalab start --path first-course"));
  learner({"start", "padded-tile"});
  Terminal inside({}, home / "cudalab-course" / "transpose");
  EXPECT_EQ(inside.wait(), 0);
  EXPECT_THAT(inside.everything(), HasSubstr("Edit:   padded-tile.cu"));
}

TEST_F(Course, WatchChecksOnSaveAndObeysItsKeys) {
  learner({"start", "transpose"});
  Terminal watch({"watch", "padded-tile"}, home / "cudalab-course");
  watch.read_until("NOT YET");
  watch.read_until("q quit");
  solve();
  watch.read_until("PASSED");
  watch.read_until("q quit");
  watch.type("h");
  watch.read_until("Hint 1 of 3");
  watch.type("l");
  watch.read_until("exercises passed");
  watch.read_until("[x]");
  watch.read_until("q quit");
  watch.type("x");
  watch.read_until("y confirms");
  watch.type("y");
  watch.read_until("reset to its starting state");
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), read_file(kTile / "starter.cu"));
  watch.type("r");
  watch.read_until("NOT YET");
  watch.type("n");
  watch.read_until("Your file:");
  watch.type("p");
  watch.read_until("padded-tile.cu");
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
}

// The text on the screen since it was last cleared.
std::string last_screen(const std::string& everything) {
  constexpr std::string_view kClear = "\x1b[H\x1b[2J";
  return everything.substr(everything.rfind(kClear) + kClear.size());
}

TEST_F(Course, WatchFitsALowTerminalAndBeginsWithWhatIsWrong) {
  learner({"start", "padded-tile"});
  Terminal watch({"watch"}, home / "cudalab-course", 80, "xterm", 24);
  watch.read_until("q quit");
  const std::string first = last_screen(watch.everything());
  EXPECT_LE(std::ranges::count(first, '\n'), 23);
  EXPECT_THAT(first, HasSubstr("NO "));
  EXPECT_THAT(first, HasSubstr("padded-tile.cu:"));
  EXPECT_THAT(first, HasSubstr("lines 1 to "));
  EXPECT_THAT(first, Not(HasSubstr("NOT YET")));
  watch.type("\x1b[F");  // End
  watch.read_until("q quit");
  EXPECT_THAT(last_screen(watch.everything()), Not(HasSubstr("NO ")));
  watch.type("\x1b[H");  // Home
  watch.read_until("q quit");
  EXPECT_EQ(last_screen(watch.everything()), first);
  watch.resize(80, 60);
  watch.read_until("NOT YET");
  watch.read_until("q quit");
  EXPECT_THAT(last_screen(watch.everything()), Not(HasSubstr("lines 1 to ")));
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
}

// The text of a file in /proc; empty if the process has ended.
std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The compiler processes among those that this test started.
std::vector<pid_t> compilers() {
  std::vector<pid_t> found;
  for (const auto& process : fs::directory_iterator("/proc"))
    if (text_of(process.path() / "cmdline").find("--serve-compiler") != std::string::npos &&
        text_of(process.path() / "environ").find(kOurMark) != std::string::npos)
      found.push_back(std::atoi(process.path().filename().c_str()));
  return found;
}

TEST_F(Course, WatchKeepsItsCompilerWarmAndReplacesOneThatEnded) {
  learner({"start", "padded-tile"});
  ::setenv("CUDALAB_TEST_MARK", kOurMark, 1);
  Terminal watch({"watch"}, home / "cudalab-course");
  ::unsetenv("CUDALAB_TEST_MARK");
  watch.read_until("q quit");
  const std::vector<pid_t> first = compilers();
  ASSERT_EQ(first.size(), 1u);
  watch.type("r");
  watch.read_until("q quit");
  EXPECT_EQ(compilers(), first);
  ::kill(first.front(), SIGKILL);
  solve();
  watch.read_until("PASSED");
  EXPECT_NE(compilers(), first);
  watch.signal(SIGKILL);
  EXPECT_EQ(watch.wait(), 128 + SIGKILL);
  for (int i = 0; i < 500 && !compilers().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(compilers().empty());
}

TEST_F(Course, WatchBeginsAnewOnlyAfterAYes) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), "mine");
  Terminal watch({"watch"}, home / "cudalab-course");
  watch.read_until("q quit");
  for (const char* key : {"x", "h", "q", "n", "\n", "\x1b[A"}) {
    watch.type("x");
    watch.read_until("y confirms");
    watch.type(key);
    watch.read_until("stays as it is");
  }
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), "mine");
  EXPECT_EQ(progress()["hints"], 0);
  watch.type("y");  // has no meaning at this point
  watch.type("h");
  watch.read_until("Hint 1 of 3");
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), "mine");
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
}

TEST_F(Course, WatchEndsACheckAtASaveAndForgetsTheKeysOfTheMeantime) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), kEndless);
  Terminal watch({"watch", "--timeout", "0"}, home / "cudalab-course");
  watch.read_until("1 s  running yours");
  watch.type("hhxyn");
  watch.read_until("2 s  running yours");
  solve();
  watch.read_until("PASSED");
  watch.read_until("q quit");
  watch.type("l");
  EXPECT_THAT(watch.read_until("exercises passed"), Not(HasSubstr("Hint")));
  EXPECT_EQ(progress()["hints"], 0);
  EXPECT_EQ(progress()["checks"], 1);
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), read_file(kTile / "solution.cu"));
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
}

TEST_F(Course, WatchEndsAtOnceWhileItChecks) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), kEndless);
  for (const char* key : {"q", "\x03"}) {  // Ctrl-C
    Terminal watch({"watch", "--timeout", "0"}, home / "cudalab-course");
    const tcflag_t before = watch.settings().c_lflag;
    watch.read_until("1 s  running yours");
    watch.type(key);
    EXPECT_EQ(watch.wait(), 0);
    EXPECT_EQ(watch.settings().c_lflag, before);
  }
  EXPECT_EQ(progress()["checks"], 0);
}

// This kernel omits the last row: wrong results without a hazard.
constexpr const char* kWrongRow = "wrong/off_by_one.cu";

TEST_F(Course, WatchAddsTheLineOfAMistakeBelowTheAnswer) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), read_file(kTile / kWrongRow));
  Terminal watch({"watch", "--seed", "1"}, home / "cudalab-course", 80, "xterm", 24);
  watch.read_until("Searching for the line");
  watch.read_until("q quit");
  watch.type("\x1b[F");  // End: the position stays when the text becomes longer
  watch.read_until("q quit");
  const std::string last = last_screen(watch.everything());
  watch.read_until("q quit");
  const std::string found = last_screen(watch.everything());
  EXPECT_THAT(found, Not(HasSubstr("Searching")));
  EXPECT_EQ(found.substr(0, found.find('\n')), last.substr(0, last.find('\n')));
  watch.type("\x1b[F");
  watch.read_until("line 17 is where to look");
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
}

TEST_F(Course, WatchShowsTheLineAndThenTheEditAfterAllHints) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), read_file(kTile / kWrongRow));
  Terminal watch({"watch", "--no-search"}, home / "cudalab-course");
  watch.read_until("q quit");
  for (const char* hint : {"Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3"}) {
    watch.type("h");
    watch.read_until(hint);
    watch.read_until("q quit");
  }
  EXPECT_THAT(last_screen(watch.everything()), HasSubstr("Press h again"));
  watch.type("h");
  watch.read_until("line 17 is where to look");
  watch.read_until("q quit");
  watch.type("h");
  watch.read_until("line 17: write `row + 1 <= columns");
  watch.read_until("q quit");
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
}

// One compiler process serves the checks, and one per thread serves the variants of a search.
TEST_F(Course, WatchEndsASearchAtASaveAndWhenItQuits) {
  learner({"start", "padded-tile"});
  ::setenv("CUDALAB_TEST_MARK", kOurMark, 1);
  Terminal watch({"watch", "--seed", "1"}, home / "cudalab-course");
  ::unsetenv("CUDALAB_TEST_MARK");
  watch.read_until("q quit");
  write_file(file("transpose/padded-tile.cu"), read_file(kTile / kWrongRow));
  watch.read_until("Searching for the line");
  solve();
  watch.read_until("PASSED");
  watch.read_until("q quit");
  EXPECT_EQ(compilers().size(), 1u);
  watch.type("l");
  EXPECT_THAT(watch.read_until("exercises passed"), Not(HasSubstr("is where to look")));
  write_file(file("transpose/padded-tile.cu"), read_file(kTile / kWrongRow));
  watch.read_until("Searching for the line");
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
  EXPECT_TRUE(compilers().empty());
  EXPECT_EQ(progress()["checks"], 4);
}

TEST_F(Course, ACheckShowsItsSecondsAndEndsAtCtrlC) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), kEndless);
  Terminal check({"check", "--timeout", "0"}, home / "cudalab-course");
  check.read_until("1 s  running yours");
  check.type("\x03");
  EXPECT_EQ(check.wait(), 4);
  EXPECT_EQ(progress()["checks"], 0);
}

TEST_F(Course, WatchNoticesASaveWithoutEventsToo) {
  learner({"start", "transpose"});
  Terminal watch({"watch", "padded-tile", "--poll"}, home / "cudalab-course");
  watch.read_until("q quit");
  solve();
  watch.read_until("PASSED");
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
}

// As after a change of the clock, or when an older version is restored.
TEST_F(Course, WatchNoticesASaveWhoseTimeIsInThePastOrTheFuture) {
  learner({"start", "transpose"});
  Terminal watch({"watch", "padded-tile"}, home / "cudalab-course");
  watch.read_until("q quit");
  solve();
  const auto now = fs::file_time_type::clock::now();
  for (const int years : {-20, 20}) {
    fs::last_write_time(file("transpose/padded-tile.cu"), now + years * std::chrono::hours(24 * 365));
    watch.read_until("PASSED");
    watch.read_until("q quit");
  }
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
}

TEST_F(Course, WatchLeavesTheTerminalAsItWas) {
  learner({"start", "padded-tile"});
  for (const int number : {0, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    Terminal watch({"watch", "--poll"}, home / "cudalab-course");
    const tcflag_t before = watch.settings().c_lflag;
    watch.read_until("q quit");
    EXPECT_EQ(watch.settings().c_lflag & (ICANON | ECHO), 0u);
    if (number == 0)
      watch.type("q");
    else
      watch.signal(number);
    watch.wait();
    EXPECT_EQ(watch.settings().c_lflag, before) << number;
  }
}

}  // namespace
}  // namespace cudalab::e2e
