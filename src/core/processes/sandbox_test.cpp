// What a program in the sandbox can and cannot do. Skipped by name where no sandbox can be made.
#include "core/processes/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/temporary_folder.h"

namespace cudalab {
namespace {

using testing::HasSubstr;
using testing::Not;

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string objection = objection_to_sandbox(); !objection.empty()) GTEST_SKIP() << objection;
    std::ofstream(folder_ / "given.txt") << "given\n";
    hand_over(folder_.path());
    plan_.folder = folder_.path();
  }
  ChildEnd shell(const std::string& command) {
    ChildPool pool({.cpu_seconds = 20, .wall_seconds = 20});
    pool.start(0, in_sandbox(plan_, {"/bin/sh", "-c", command}), "/");
    return pool.wait().second;
  }
  TemporaryFolder folder_;
  SandboxPlan plan_;
};

TEST_F(Sandbox, ShowsItsFolderAndWritesOnlyWhereItMay) {
  EXPECT_EQ(shell("cat given.txt").output, "given\n");
  EXPECT_NE(shell("echo a > made.txt").exit_code, 0);
  plan_.may_write = true;
  EXPECT_EQ(shell("echo a > made.txt").exit_code, 0);
  EXPECT_EQ(read_file(folder_ / "made.txt"), "a\n");
}

TEST_F(Sandbox, HasNoOtherFolders) {
  const TemporaryFolder other;
  std::ofstream(other / "secret.txt") << "secret\n";
  const ChildEnd end = shell("cat " + (other / "secret.txt").string() + "; ls /home /root; ls ~; true");
  EXPECT_THAT(end.output, Not(HasSubstr("secret\n")));
  EXPECT_THAT(end.output, HasSubstr("'/home'"));
  EXPECT_THAT(end.output, HasSubstr("'/root'"));
}

TEST_F(Sandbox, CannotWriteTheSystem) {
  for (const char* place : {"/a", "/usr/a", "/etc/a", "/dev/a", "/bin/a"})
    EXPECT_NE(shell(std::string("echo > ") + place).exit_code, 0) << place;
  EXPECT_EQ(shell("echo > /tmp/a && cat /tmp/a && echo > /dev/null").exit_code, 0);
  EXPECT_NE(shell("head -c 100000000 /dev/zero > /tmp/a").exit_code, 0) << "no more than 64 MiB";
}

TEST_F(Sandbox, IsNobodyAndHasNoRights) {
  const ChildEnd end = shell("id -u; grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status");
  EXPECT_THAT(end.output, Not(testing::StartsWith("0\n")));
  EXPECT_THAT(end.output, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(end.output, HasSubstr("NoNewPrivs:\t1"));
}

TEST_F(Sandbox, HasNoNetworkAndSeesNoProcesses) {
  EXPECT_THAT(shell("cat /proc/net/dev").output, Not(HasSubstr("eth")));
  EXPECT_THAT(shell("ls -d /proc/[0-9]* | wc -l").output, testing::MatchesRegex("[1-6]\n"));
}

TEST_F(Sandbox, HasOnlyTheEnvironmentThatItIsGiven) {
  ::setenv("CUDALAB_SECRET_OF_A_TEST", "secret", 1);
  plan_.environment = {{"GIVEN", "this"}};
  const std::string seen = shell("env").output;
  EXPECT_THAT(seen, HasSubstr("GIVEN=this\n"));
  EXPECT_THAT(seen, Not(HasSubstr("secret")));
  ::unsetenv("CUDALAB_SECRET_OF_A_TEST");
}

TEST_F(Sandbox, EndsAForkBombAtItsLimit) {
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

}  // namespace
}  // namespace cudalab
