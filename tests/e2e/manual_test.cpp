// The manual page and the completions that packages install, as man and bash read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"

namespace cudalab::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Manual, HasEveryCommandAndNoLineThatTroffWouldObey) {
  const std::string page = cudalab({"manual"}).out;
  for (const char* part :
       {".TH CUDALAB 1", ".SS cudalab transpose\n", ".SS cudalab grade\n", "\\-\\-partition NAME"})
    EXPECT_THAT(page, HasSubstr(part));
  if (run_command({"which", "groff"}).code != 0) GTEST_SKIP() << "no groff";
  Folder folder;
  write_file(folder / "cudalab.1", page);
  const Outcome shown =
      run_command({"groff", "-Kutf8", "-man", "-Tutf8", "-ww", (folder / "cudalab.1").string()});
  EXPECT_EQ(shown.err, "");
}

TEST(Completion, KnowsCommandsLabsAndTheirOptions) {
  const auto completed = [](const std::string& words, int at) {
    const std::string script = std::string("source <(") + CUDALAB_PROGRAM +
                               " manual bash); COMP_WORDS=(cudalab " + words +
                               "); COMP_CWORD=" + std::to_string(at) + "; _cudalab; echo \"${COMPREPLY[@]}\"";
    const Outcome outcome = run_command({"bash", "-c", script});
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  };
  EXPECT_EQ(completed("gra", 1), "grade\n");
  EXPECT_EQ(completed("transp", 1), "transpose\n");
  EXPECT_THAT(completed("transpose --t", 2), AllOf(HasSubstr("--tile"), Not(HasSubstr("--rows"))));
  EXPECT_EQ(completed("grade x --sl", 3), "--slurm\n");
  EXPECT_THAT(completed("transpose --profil", 2), Not(HasSubstr("--profiled"))) << "what is in no help";
}

}  // namespace
}  // namespace cudalab::e2e
