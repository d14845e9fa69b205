// Shell completions and the manual page: completions are complete, and man(1) has no complaints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;

bool is_installed(const std::string& program) {
  return run_command({"sh", "-c", "command -v " + program}).code == 0;
}

// What bash offers after these words, the last of which is incomplete.
std::string completed(const std::vector<std::string>& words) {
  Folder folder;
  write_file(folder.path() / "completions", cudalab({"completions", "bash"}).out);
  std::string script = "source '" + (folder.path() / "completions").string() + "'\nCOMP_WORDS=(cudalab";
  for (const std::string& word : words) script += " '" + word + "'";
  script += ")\nCOMP_CWORD=" + std::to_string(words.size()) + "\n_cudalab\necho \"${COMPREPLY[*]}\"\n";
  const Outcome outcome = run_command({"bash", "-c", script});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out.substr(0, outcome.out.size() - 1);
}

struct Completion {
  std::vector<std::string> words;
  std::string offered;
};

TEST(Completions, OfBash) {
  const std::vector<Completion> cases{
      {{"transp"}, "transpose"},
      {{"wat"}, "watch"},
      {{"transpose", "--sta"}, "--stage"},
      {{"transpose", "--stage", "na"}, "naive"},
      {{"transpose", "--stage", "=", "pad"}, "padded"},
      {{"transpose", "--device", "v"}, "virtual"},
      {{"check", "padded"}, "padded-tile"},
      {{"check", "--format", ""}, "screen gcc"},
      {{"learn", "transp"}, "transpose"},
      {{"run", "--card", "rtx4"}, "rtx4090"},
      {{"run", "mine.cu", "--show", "lan"}, "lanes"},
      {{"completions", "f"}, "fish"},
      {{"help", "transp"}, "transpose"},
      {{"nothing", "--x"}, ""},
  };
  for (const Completion& each : cases)
    EXPECT_EQ(completed(each.words), each.offered) << testing::PrintToString(each.words);
}

// Completions offer every option of every command that its help shows.
TEST(Completions, LackNoOption) {
  const std::string script = cudalab({"completions", "bash"}).out,
                    fish = cudalab({"completions", "fish"}).out;
  for (const char* option : {"--instructions", "--editor", "--roofline", "--seed", "--max-steps"}) {
    EXPECT_THAT(script, HasSubstr(option));
    EXPECT_THAT(fish, HasSubstr(" -l " + std::string(option).substr(2) + " "));
    EXPECT_THAT(cudalab({"completions", "zsh"}).out, HasSubstr(option));
  }
}

TEST(Completions, AreWhatTheShellsTake) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    if (!is_installed(shell)) continue;
    Folder folder;
    const std::string file = (folder.path() / "completions").string();
    write_file(file, cudalab({"completions", shell}).out);
    EXPECT_EQ(run_command({shell, "-n", file}).code, 0) << shell;
  }
}

TEST(Completions, OfAnUnknownShell) {
  const Outcome outcome = by_ids({"completions", "tcsh"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, Says("option_not_a_choice", {{"choices", "bash, zsh, fish"}, {"text", "tcsh"}}));
}

TEST(ManPage, IsFormattedWithoutAComplaint) {
  if (!is_installed("man") || run_command({"man", "--version"}).code != 0)
    GTEST_SKIP() << "man is not installed";
  Folder folder;
  const std::string file = (folder.path() / "cudalab.1").string();
  write_file(file, cudalab({"man"}).out);
  const Outcome page = run_command({"man", "--warnings", "-l", file},
                                   {.environment = {{"MANPAGER", "cat"}, {"MANWIDTH", "200"}}});
  EXPECT_EQ(page.code, 0);
  EXPECT_EQ(page.err, "");
  EXPECT_THAT(page.out, HasSubstr("--max-steps N"));
  EXPECT_THAT(page.out, HasSubstr("cudalab transpose --tile 32 --pad"));
  EXPECT_THAT(page.out, HasSubstr("an internal error: a bug in cudalab"));
  EXPECT_THAT(page.out, HasSubstr("CUDALAB_CACHE_DIR"));
  if (!is_installed("mandoc")) return;
  EXPECT_EQ(run_command({"mandoc", "-T", "lint", "-W", "error", file}).code, 0);
}

}  // namespace
}  // namespace cudalab::e2e
