// No output is lost silently: full disks, closed streams, file size limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

Outcome shell(const std::string& command, const fs::path& folder = {}) {
  return run_command({"/bin/sh", "-c", command}, {.folder = folder});
}

const std::string kProgram = CUDALAB_PROGRAM;

TEST(Output, ThatCannotBeWrittenIsAnErrorHoweverLong) {
  for (const char* words :
       {"list", "--help", "transpose --rows 64 --cols 64 --json", "transpose --rows 64 --cols 64"}) {
    const Outcome full = shell(kProgram + " " + words + " > /dev/full");
    EXPECT_EQ(full.code, 3) << words;
    EXPECT_THAT(full.err, HasSubstr("cannot write to standard output: No space left on device")) << words;
    EXPECT_EQ(shell(kProgram + " " + words + " >&-").code, 3) << words;
  }
}

TEST(Output, AReaderThatWentAwayIsNoError) {
  EXPECT_EQ(shell("{ " + kProgram + " transpose --rows 64 --cols 64 --json; echo $? >&2; } | true").err,
            "0\n");
}

TEST(Output, AnErrorThatCannotBeToldKeepsItsExitCode) {
  EXPECT_EQ(shell(kProgram + " nothing 2>&-").code, 2);
  EXPECT_EQ(shell(kProgram + " nothing 2>/dev/full").code, 2);
  EXPECT_EQ(shell(kProgram + " nothing >&- 2>&- <&-").code, 2);
}

TEST(Output, ALimitOnFilesLeavesNothingBehind) {
  Folder folder;
  const Outcome limited =
      shell("ulimit -f 1; " + kProgram + " transpose --rows 64 --cols 64 --json=result.json", folder.path());
  EXPECT_EQ(limited.code, 2);
  EXPECT_THAT(limited.err, HasSubstr("cannot write result.json: File too large"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Output, AJournalThatCannotBeWrittenIsSaid) {
  Folder folder;
  write_file(folder / "ada.cu", "not even a kernel");
  const Outcome outcome = by_ids(
      {"grade", (folder / "ada.cu").string(), "--exercise", "first-transpose", "--journal", "/dev/full"},
      {.folder = folder.path()});
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_THAT(outcome.err,
              Says("journal_not_writable", {{"file", "/dev/full"}, {"why", "No space left on device"}}));
  EXPECT_TRUE(fs::exists("/dev/full"));
}

TEST(Output, APipeThatNobodyReadsIsNotWaitedFor) {
  Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  write_file(folder / "ada.cu", "not even a kernel");
  const std::vector<std::string> grade{"grade",           "ada.cu",    "--exercise",
                                       "first-transpose", "--journal", "pipe"};
  const std::vector<std::string> lab{"transpose", "--stage", "naive",    "--rows",  "32",
                                     "--cols",    "32",      "--device", "virtual", "--json=pipe"};
  for (const auto& words : {lab, grade}) {
    const Outcome outcome = by_ids(words, {.folder = folder.path()});
    EXPECT_EQ(outcome.code, 2) << words[0];
    EXPECT_THAT(outcome.err, AnyOf(Says("pipe_without_reader", {{"file", "pipe"}}),
                                   Says("journal_not_writable", {{"file", "pipe"}})));
  }
  EXPECT_EQ(
      shell(
          "cat pipe >read & " + kProgram +
              " transpose --stage naive --rows 32 --cols 32 --device virtual --json=pipe; wait; test -s read",
          folder.path())
          .code,
      0);
}

TEST(Output, AJournalThatCouldNotBeBegunIsNotLeft) {
  Folder folder;
  write_file(folder / "ada.cu", "not even a kernel");
  EXPECT_EQ(
      shell("ulimit -f 0; " + kProgram + " grade ada.cu --exercise first-transpose --journal j >&- 2>&-",
            folder.path())
          .code,
      3);
  EXPECT_FALSE(fs::exists(folder / "j"));
}

}  // namespace
}  // namespace cudalab::e2e
