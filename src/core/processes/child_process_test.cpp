// Tests that no started process outlives the process that started it.
#include "core/processes/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/files.h"
#include "core/processes/interruption.h"
#include "core/temporary_folder_testing.h"

namespace cudalab {
namespace {
using namespace std::chrono_literals;

constexpr const char* kTree = "echo $$ > child; sleep 1000 & echo $! > grandchild; wait";

bool is_alive(pid_t process) {
  const std::string status = read_file("/proc/" + std::to_string(process) + "/status").value_or("");
  return !status.empty() && status.find("\nState:\tZ") == std::string::npos;
}

bool ends(pid_t process) {
  for (int tries = 0; tries < 500 && is_alive(process); ++tries) std::this_thread::sleep_for(10ms);
  return !is_alive(process);
}

pid_t number_in(const TemporaryFolder& folder, const char* name) {
  for (int tries = 0; tries < 500; ++tries) {
    const std::string text = read_file(folder / name).value_or("");
    if (text.ends_with("\n")) return std::stoi(text);
    std::this_thread::sleep_for(10ms);
  }
  return 0;
}

pid_t start_tree(const TemporaryFolder& folder) {
  return start_child({.words = {"/bin/sh", "-c", kTree}, .folder = folder.path(), .has_guard = true}, {});
}

TEST(Child, ReadsAndWritesTheStreamsOfThePlan) {
  const TemporaryFolder folder;
  std::ofstream(folder / "in") << "given";
  const Descriptor in(::open((folder / "in").c_str(), O_RDONLY)),
      out(::open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600)),
      err(::open((folder / "err").c_str(), O_WRONLY | O_CREAT, 0600));
  const pid_t child = start_child({.words = {"/bin/sh", "-c", "cat; echo said >&2"},
                                   .output = out.number(),
                                   .errors = err.number(),
                                   .input = in.number()},
                                  {});
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(read_file(folder / "out"), "given");
  EXPECT_EQ(read_file(folder / "err"), "said\n");
}

// This includes descriptors that were open when this process began.
TEST(Child, InheritsOnlyTheDescriptorsOfThePlan) {
  const TemporaryFolder folder;
  const Descriptor out(::open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)),
      left_open(::open((folder / "secret").c_str(), O_WRONLY | O_CREAT, 0600)),
      named(::open((folder / "named").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::string command = "echo forged >&" + std::to_string(left_open.number()) + "; echo meant >&" +
                              std::to_string(named.number());
  const pid_t child = start_child(
      {.words = {"/bin/bash", "-c", command}, .output = out.number(), .inherited = named.number()}, {});
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(read_file(folder / "secret"), "");
  EXPECT_EQ(read_file(folder / "named"), "meant\n");
}

void expect_its_end_with_its_parent(pid_t (*start)(const TemporaryFolder&)) {
  const TemporaryFolder folder;
  const pid_t parent = ::fork();
  if (parent == 0) {
    start(folder);
    ::pause();
  }
  const pid_t child = number_in(folder, "child"), grandchild = number_in(folder, "grandchild");
  EXPECT_TRUE(is_alive(child) && is_alive(grandchild));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(ends(child));
  EXPECT_TRUE(ends(grandchild));
}

TEST(ChildWithAGuard, EndsItsProgramsWhenTheParentIsKilled) { expect_its_end_with_its_parent(start_tree); }

TEST(ChildWithAGuard, EndsItsProgramsWhenItIsEnded) {
  const TemporaryFolder folder;
  const pid_t guard = start_tree(folder);
  const pid_t child = number_in(folder, "child"), grandchild = number_in(folder, "grandchild");
  end_child(guard, true);
  ::waitpid(guard, nullptr, 0);
  EXPECT_TRUE(ends(child));
  EXPECT_TRUE(ends(grandchild));
}

TEST(ChildWithAGuard, EndsWithTheStatusOfTheChild) {
  const auto status_of = [](const char* script) {
    int status = 0;
    ::waitpid(start_child({.words = {"/bin/sh", "-c", script}, .has_guard = true}, {}), &status, 0);
    return status;
  };
  EXPECT_EQ(WEXITSTATUS(status_of("exit 7")), 7);
  const int killed = status_of("kill -SEGV $$");
  EXPECT_TRUE(WIFSIGNALED(killed));
  EXPECT_EQ(WTERMSIG(killed), SIGSEGV);
}

TEST(ChildWithAGuard, LeavesNothingRunningWhenItEndsByItself) {
  const TemporaryFolder folder;
  const pid_t guard = start_child({.words = {"/bin/sh", "-c", "sleep 1000 & echo $! > grandchild"},
                                   .folder = folder.path(),
                                   .has_guard = true},
                                  {});
  ::waitpid(guard, nullptr, 0);
  EXPECT_TRUE(ends(number_in(folder, "grandchild")));
}

// The grandchild leaves its parent and the group. The program changes to another folder.
constexpr const char* kScatteredTree =
    "cd \"$FOLDER\"; echo $$ > child; (setsid sleep 1000 & echo $! > grandchild); wait; sleep 1000";

pid_t start_scattered_tree(const TemporaryFolder& folder) {
  return start_alongside({"sh", "-c", kScatteredTree}, {{"FOLDER", folder.path().string()}});
}

TEST(ProgramAlongside, EndsItsProgramsWhenTheParentIsKilled) {
  expect_its_end_with_its_parent(start_scattered_tree);
}

TEST(ProgramAlongside, EndsItsProgramsWhenItIsEnded) {
  const TemporaryFolder folder;
  const pid_t keeper = start_scattered_tree(folder);
  const pid_t child = number_in(folder, "child"), grandchild = number_in(folder, "grandchild");
  end_child(keeper, true);
  int status = 0;
  ::waitpid(keeper, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(ends(child));
  EXPECT_TRUE(ends(grandchild));
}

TEST(ProgramAlongside, MayReactInItsOwnWayWhenAskedToEnd) {
  const TemporaryFolder folder;
  const pid_t keeper = start_alongside(
      {"sh", "-c", "trap 'exit 5' TERM; echo $$ > \"$FOLDER/child\"; while :; do sleep 0.01; done"},
      {{"FOLDER", folder.path().string()}});
  EXPECT_GT(number_in(folder, "child"), 0);
  ask_to_end(keeper);
  int status = 0;
  ::waitpid(keeper, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(ProgramAlongside, HasTheProgramsStatusAndLeavesItsChildrenRunning) {
  const TemporaryFolder folder;
  int status = 0;
  ::waitpid(start_alongside({"sh", "-c", "sleep 1000 & echo $! > \"$FOLDER/left\"; exit 7"},
                            {{"FOLDER", folder.path().string()}}),
            &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  const pid_t left = number_in(folder, "left");
  EXPECT_TRUE(is_alive(left));
  ::kill(left, SIGKILL);
  ::waitpid(start_alongside({"sh", "-c", "kill -SEGV $$"}, {}), &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  ::waitpid(start_alongside({"/nowhere/program"}, {}), &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 127);
}

TEST(Interruption, EndsTheChildrenAndRemovesTheFolders) {
  const TemporaryFolder outer;
  ::setenv("TMPDIR", outer.path().c_str(), 1);
  const pid_t interrupted = ::fork();
  if (interrupted == 0) {
    const TemporaryFolder folder;
    std::signal(SIGTERM, [](int) {
      leave_nothing_behind();
      ::_exit(4);
    });
    const EndOnInterrupt on_interrupt(start_tree(folder), true);
    number_in(folder, "grandchild");
    ::rename((folder / "grandchild").c_str(), (outer / "grandchild").c_str());
    ::pause();
  }
  ::unsetenv("TMPDIR");
  const pid_t grandchild = number_in(outer, "grandchild");
  ::kill(interrupted, SIGTERM);
  int status = 0;
  ::waitpid(interrupted, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_TRUE(ends(grandchild));
  EXPECT_EQ(names_in(outer), std::vector<std::string>{"grandchild"});
}

}  // namespace
}  // namespace cudalab
