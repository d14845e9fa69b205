// Tests that each limit stops a process that exceeds it, reports the reason, and does not affect other
// processes.
#include "core/processes/child_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/files.h"
#include "core/processes/interruption.h"
#include "core/processes/syscall_filter.h"
#include "core/temporary_folder_testing.h"

namespace cudalab {

// Checks the limits of a program in the sandbox. Skipped with a message if no sandbox can be created.

namespace {

using testing::HasSubstr;
using testing::Not;

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (const Message objection = objection_to_sandbox(); !objection.empty())
      GTEST_SKIP() << objection.text();
    std::ofstream(folder_ / "given.txt") << "given\n";
    hand_over(folder_.path());
    plan_.folder = folder_.path();
  }
  ChildEnd shell(const std::string& command) {
    ChildPool pool({.cpu_seconds = 20, .wall_seconds = 20});
    pool.start(0, in_sandbox(plan_, {"/bin/sh", "-c", command}), "/");
    return pool.wait().second;
  }
  static bool ends_well(const std::vector<std::string>& command) {
    ChildPool pool({.cpu_seconds = 20, .wall_seconds = 20});
    pool.start(0, command, "/");
    return pool.wait().second.exit_code == 0;
  }
  TemporaryFolder folder_;
  SandboxPlan plan_;
};

TEST_F(Sandbox, ShowsItsFolderAndWritesOnlyWhereAllowed) {
  EXPECT_EQ(shell("cat given.txt").output, "given\n");
  EXPECT_NE(shell("echo a > made.txt").exit_code, 0);
  plan_.may_write = true;
  EXPECT_EQ(shell("echo a > made.txt").exit_code, 0);
  EXPECT_EQ(read_file(folder_ / "made.txt"), "a\n");
}

TEST_F(Sandbox, ShowsFurtherFoldersAndWritesToThoseThatItMay) {
  const TemporaryFolder shown, kept;
  std::ofstream(shown / "a.txt") << "a\n";
  hand_over(shown.path());
  hand_over(kept.path());
  plan_.shown = {{shown.path(), "/some/deep/place"}};
  plan_.writable = {{kept.path(), "/other/place"}};
  EXPECT_EQ(shell("cat /some/deep/place/a.txt").output, "a\n");
  EXPECT_NE(shell("echo b > /some/deep/place/b.txt").exit_code, 0);
  EXPECT_EQ(shell("echo b > /other/place/b.txt").exit_code, 0);
  EXPECT_EQ(read_file(kept / "b.txt"), "b\n");
}

TEST_F(Sandbox, HasNoOtherFolders) {
  const TemporaryFolder other;
  std::ofstream(other / "secret.txt") << "secret\n";
  const ChildEnd end = shell("cat " + (other / "secret.txt").string() + "; ls /home /root; ls ~; true");
  EXPECT_THAT(end.output, Not(HasSubstr("secret\n")));
  EXPECT_THAT(end.output, HasSubstr("'/home'"));
  EXPECT_THAT(end.output, HasSubstr("'/root'"));
}

TEST_F(Sandbox, CannotWriteToTheSystem) {
  for (const char* place : {"/a", "/usr/a", "/etc/a", "/dev/a", "/bin/a"})
    EXPECT_NE(shell(std::string("echo > ") + place).exit_code, 0) << place;
  EXPECT_EQ(shell("echo > /tmp/a && cat /tmp/a && echo > /dev/null").exit_code, 0);
  EXPECT_NE(shell("head -c 100000000 /dev/zero > /tmp/a").exit_code, 0) << "no more than 64 MiB";
}

TEST_F(Sandbox, RunsAsAnUnprivilegedUser) {
  const ChildEnd end = shell("id -u; grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status");
  EXPECT_THAT(end.output, Not(testing::StartsWith("0\n")));
  EXPECT_THAT(end.output, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(end.output, HasSubstr("NoNewPrivs:\t1"));
}

TEST_F(Sandbox, HasNoNetworkAndSeesNoProcesses) {
  EXPECT_THAT(shell("cat /proc/net/dev").output, Not(HasSubstr("eth")));
  EXPECT_THAT(shell("ls -d /proc/[0-9]* | wc -l").output, testing::MatchesRegex("[1-6]\n"));
}

TEST_F(Sandbox, CannotCreateUserNamespaces) {
  if (::geteuid() == 0) GTEST_SKIP() << "root's sandbox has no user namespace of its own";
  EXPECT_EQ(shell("/usr/bin/true").exit_code, 0);
  if (!ends_well(
          {"/usr/bin/bwrap", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "/usr/bin/true"}))
    GTEST_SKIP() << "this bubblewrap cannot disable user namespaces";
  EXPECT_NE(shell("/usr/bin/unshare -U /usr/bin/true").exit_code, 0);
}

TEST_F(Sandbox, FiltersSystemCalls) {
  if (syscall_filter().empty()) GTEST_SKIP() << "no filter for this processor";
  EXPECT_THAT(shell("grep Seccomp: /proc/self/status").output, HasSubstr("2"));
  EXPECT_NE(shell("/usr/bin/unshare -U /usr/bin/true").exit_code, 0);
  EXPECT_EQ(shell("(echo a) | cat; /bin/sh -c /usr/bin/true").exit_code, 0);
}

TEST_F(Sandbox, HasOnlyTheGivenEnvironment) {
  ::setenv("CUDALAB_SECRET_OF_A_TEST", "secret", 1);
  plan_.environment = {{"GIVEN", "this"}};
  const std::string seen = shell("env").output;
  EXPECT_THAT(seen, HasSubstr("GIVEN=this\n"));
  EXPECT_THAT(seen, Not(HasSubstr("secret")));
  ::unsetenv("CUDALAB_SECRET_OF_A_TEST");
}

TEST_F(Sandbox, StopsAForkBombAtItsLimit) {
  plan_.processes = 20;
  const auto began = std::chrono::steady_clock::now();
  const ChildEnd end =
      shell("bomb() { bomb | bomb & }; bomb; for i in $(seq 60); do sleep 0.2 & done; echo all");
  EXPECT_THAT(end.output, HasSubstr("annot fork"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(25));
}

TEST_F(Sandbox, LimitsMemoryAndTime) {
  plan_.memory_bytes = 64u << 20;
  EXPECT_NE(shell("head -c 200000000 /dev/zero | tail -c 150000000 > /dev/null").exit_code, 0);
  plan_.processor_seconds = 1;
  EXPECT_NE(shell("while :; do :; done").exit_code, 0);
}

ChildEnd end_of(const std::string& script, ChildLimits limits = {}) {
  TemporaryFolder folder;
  ChildPool pool(limits);
  pool.start(7, {"/bin/sh", "-c", script}, folder.path());
  auto [id, end] = pool.wait();
  EXPECT_EQ(id, 7u);
  EXPECT_EQ(pool.running(), 0u);
  return end;
}

TEST(ChildPool, ReturnsOutputAndExitCode) {
  ChildEnd end = end_of("echo out; echo err >&2; exit 3");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.output, "out\nerr\n");
  EXPECT_TRUE(end.stopped.empty());
  EXPECT_GT(end.peak_memory_bytes, 0u);
}

TEST(ChildPool, ReportsWhyNothingWasStarted) {
  const auto end_of_start = [](const std::string& program, const std::filesystem::path& folder) {
    ChildPool pool{ChildLimits{}};
    pool.start(0, {program}, folder);
    return pool.wait().second;
  };
  const ChildEnd no_program = end_of_start("/proc/nonexistent/program", "/");
  EXPECT_EQ(no_program.exit_code, 127);
  EXPECT_EQ(no_program.output, "cannot start /proc/nonexistent/program: No such file or directory\n");
  const ChildEnd no_folder = end_of_start("/bin/true", "/proc/nonexistent");
  EXPECT_EQ(no_folder.exit_code, 126);
  EXPECT_EQ(no_folder.output, "cannot work in /proc/nonexistent: No such file or directory\n");
}

TEST(ChildPool, RunsInTheFolderWithEmptyInput) {
  EXPECT_THAT(end_of("cat; pwd").output, HasSubstr("/cudalab-"));
}

TEST(ChildPool, StopsAnEndlessLoop) {
  EXPECT_THAT(end_of("while :; do :; done", {.cpu_seconds = 1}).stopped,
              testing::AllOf(IsMessage("child_took_processor_time"), HasArgument("seconds", 1)));
}

TEST(ChildPool, EndsAProcessThatWaitsForEver) {
  EXPECT_THAT(end_of("exec sleep 1000", {.wall_seconds = 0.3}).stopped,
              testing::AllOf(IsMessage("child_took_time"), HasArgument("seconds", 0.3)));
}

TEST(ChildPool, StopsEndlessOutput) {
  ChildEnd end = end_of("exec yes", {.output_bytes = 100'000});
  EXPECT_THAT(end.stopped, testing::AllOf(IsMessage("child_wrote_output"), HasArgument("bytes", 100000)));
  EXPECT_EQ(end.output.size(), 100'000u);
}

TEST(ChildPool, AllowsOutputUpToTheLimit) {
  ChildEnd end = end_of("head -c 1000 /dev/zero", {.output_bytes = 1000});
  EXPECT_TRUE(end.stopped.empty());
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.output.size(), 1000u);
  EXPECT_THAT(end_of("head -c 1001 /dev/zero", {.output_bytes = 1000}).stopped,
              testing::AllOf(IsMessage("child_wrote_output"), HasArgument("bytes", 1000)));
}

TEST(ChildPool, EndsAProcessThatWritesAnEndlessFile) {
  ChildEnd end = end_of("exec head -c 10000000 /dev/zero > file", {.file_bytes = 1'000'000});
  EXPECT_THAT(end.stopped, testing::AllOf(IsMessage("child_wrote_file"), HasArgument("bytes", 1000000)));
}

TEST(ChildPool, RefusesMemoryBeyondTheLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs the address space";
#endif
  ChildEnd end =
      end_of("x=$(head -c 300000000 /dev/zero | tr '\\0' x); echo has ${#x}", {.memory_bytes = 100u << 20});
  EXPECT_THAT(end.output, testing::Not(HasSubstr("has 300000000")));
}

TEST(ChildPool, NamesTheSignalOfACrash) {
  EXPECT_THAT(end_of("kill -SEGV $$").stopped,
              testing::AllOf(IsMessage("child_crashed"), HasArgument("signal", "Segmentation fault")));
}

TEST(ChildPool, KeepsChildrenApart) {
  TemporaryFolder folder;
  ChildPool pool({.cpu_seconds = 1});
  for (std::size_t i = 0; i < 4; ++i)
    pool.start(i, {"/bin/sh", "-c", i == 2 ? "while :; do :; done" : "echo " + std::to_string(i)},
               folder.path());
  for (int ended = 0; ended < 4; ++ended) {
    auto [id, end] = pool.wait();
    if (id == 2)
      EXPECT_FALSE(end.stopped.empty());
    else
      EXPECT_EQ(end.output, std::to_string(id) + "\n");
  }
}

TEST(ChildPool, LeavesNothingRunning) {
  TemporaryFolder folder;
  ChildPool pool({});
  pool.start(0, {"/bin/sh", "-c", "exec sleep 1000"}, folder.path());
}

}  // namespace
}  // namespace cudalab
