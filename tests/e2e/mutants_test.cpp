// The script for mutation tests reads its rows, and names those that do not apply.
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
  // The script's output for a list with this row.
  Outcome list(const std::string& row) {
    write_file(folder.path() / "rows.txt", "# a comment\n\n" + row + "\n");
    return run_command({"python3", kScript, "--list", "--rows", (folder.path() / "rows.txt").string()});
  }
  Folder folder;
};

TEST_F(Mutants, ARowThatAppliesIsListed) {
  const std::string row = "src/core/error.h  |  #pragma once  |  (nothing)  |  core_tests";
  EXPECT_EQ(list(row).out, row + "\n");
  EXPECT_EQ(list(row + "  |  equivalent: nobody includes it twice").code, 0);
}

TEST_F(Mutants, NamesRowsThatDoNotApplyOrCannotBeRead) {
  struct Case {
    std::string row, complaint;
    int code;
  };
  for (const Case& each :
       {Case{"src/core/error.h  |  no such text  |  x  |  core_tests",
             "rows.txt:3: `no such text` does not occur in src/core/error.h", 1},
        Case{"src/core/absent.h  |  x  |  y  |  core_tests", "rows.txt:3: there is no file src/core/absent.h",
             1},
        Case{"src/core/error.h  |  ;  |  ,  |  core_tests", "rows.txt:3: `;` occurs", 1},
        Case{"src/core/error.h#999  |  ;  |  ,  |  core_tests", "rows.txt:3: `;` occurs", 1},
        Case{"src/core/error.h  |  x  |  y", "rows.txt:3: has 3 fields, not 4 or 5", 2},
        Case{"src/core/error.h  |  #pragma once  |  y  |  core_tests  |  why not",
             "rows.txt:3: the fifth field is", 2}}) {
    const Outcome outcome = list(each.row);
    EXPECT_EQ(outcome.code, each.code) << each.row;
    EXPECT_THAT(outcome.err, HasSubstr(each.complaint));
  }
}

}  // namespace
}  // namespace cudalab::e2e
