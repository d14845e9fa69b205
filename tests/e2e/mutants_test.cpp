// The list of mutations keeps up with the sources: every row still applies, and one that does not is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;

const std::string kScript = CUDALAB_SOURCE_DIR "/scripts/mutants";

class Mutants : public testing::Test {
 protected:
  void SetUp() override {
    if (run_command({"python3", "--version"}).code != 0) GTEST_SKIP() << "python3 is not installed";
  }
  // What the script says of a list with this row.
  Outcome list(const std::string& row) {
    write_file(folder.path() / "rows.txt", "# a comment\n\n" + row + "\n");
    return run_command({"python3", kScript, "--list", "--rows", (folder.path() / "rows.txt").string()});
  }
  Folder folder;
};

TEST_F(Mutants, EveryRowStillAppliesToItsFile) {
  const Outcome outcome = run_command({"python3", kScript, "--list"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_GT(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 60);
}

TEST_F(Mutants, ARowThatAppliesIsListed) {
  const std::string row = "src/core/error.h  |  #pragma once  |  (nothing)  |  core_tests";
  EXPECT_EQ(list(row).out, row + "\n");
  EXPECT_EQ(list(row + "  |  equivalent: nobody includes it twice").code, 0);
}

TEST_F(Mutants, ARowThatDoesNotApplyIsAnErrorThatNamesIt) {
  for (const auto& [row, complaint] :
       {std::pair<std::string, std::string>{"src/core/error.h  |  no such text  |  x  |  core_tests",
                                            "rows.txt:3: `no such text` does not occur in src/core/error.h"},
        {"src/core/absent.h  |  x  |  y  |  core_tests", "rows.txt:3: there is no file src/core/absent.h"},
        {"src/core/error.h  |  ;  |  ,  |  core_tests", "rows.txt:3: `;` occurs"},
        {"src/core/error.h#999  |  ;  |  ,  |  core_tests", "rows.txt:3: `;` occurs"},
        {"src/core/error.h  |  x  |  y", "rows.txt:3: has 3 fields, not 4 or 5"},
        {"src/core/error.h  |  #pragma once  |  y  |  core_tests  |  why not",
         "rows.txt:3: the fifth field is"}}) {
    const Outcome outcome = list(row);
    EXPECT_EQ(outcome.code, 2) << row;
    EXPECT_THAT(outcome.err, HasSubstr(complaint));
  }
}

}  // namespace
}  // namespace cudalab::e2e
