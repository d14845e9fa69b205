#include "course/own_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/files.h"

namespace cudalab::course {
namespace {

class Complaints : public testing::TestWithParam<const char*> {};
TEST_P(Complaints, AreFound) { EXPECT_TRUE(complaint_in(GetParam())) << GetParam(); }
INSTANTIATE_TEST_SUITE_P(Lines, Complaints,
                         testing::Values("Result = FAIL", "Test failed!", "FAILED: y[17] is 3, expected 4",
                                         "Max error: 3.000000", "max abs err\nmax error = 1.25e+02",
                                         "errors: 12", "3 mismatches", "12 elements differ",
                                         "Results do not match", "correct: no", "passed? false",
                                         "error at element 5", "Mismatch at 3", "difference is nan",
                                         "The sum is wrong", "1 failed, 3 passed", "results are not equal",
                                         "row 0 is wrong", "check: 3 of 500 points with a wrong label",
                                         "5 tests run 2 failed", "Row 0 differs", "found 7 wrong values"));

class NoComplaints : public testing::TestWithParam<const char*> {};
TEST_P(NoComplaints, AreIgnored) { EXPECT_FALSE(complaint_in(GetParam())) << *complaint_in(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Lines, NoComplaints,
                         testing::Values("Result = PASS", "Test passed", "Max error: 0.000000", "errors: 0",
                                         "max error = 1.19e-07", "0 mismatches", "No errors",
                                         "no mismatch found", "0 failed, 4 passed", "time difference: 12 ms",
                                         "pi = 3.14, error 0.003", "correct: yes", "everything matches",
                                         "the sum is 5050", "All results are correct, without an error",
                                         "k-means: 0 points with a wrong label",
                                         "0 of 500 particles wrong -> GOOD", "500 elements checked, 0 wrong",
                                         "5 tests run 0 failed", "nothing differs",
                                         "(0 mismatches in 100 rows)"));

TEST(Complaint, IsTheFirstLineOfItsKind) {
  EXPECT_EQ(complaint_in("sum 5\n  2 errors\nfailed\n"), "2 errors");
}

TEST(Complaint, IsNotInWhatRightProgramsPrint) {
  const std::set<std::string> wrong{"assertion", "illegal_access", "launch_error", "blas_errors",
                                    "driver_entry_points"};
  for (const auto& file : std::filesystem::directory_iterator(CUDALAB_SOURCE_DIR "/tests/programs/expected"))
    if (!wrong.contains(file.path().stem().string())) {
      const auto found = complaint_in(read_text(file.path()));
      EXPECT_FALSE(found) << file.path() << ": " << *found;
    }
}

TEST(Complaint, IsExpectedFromSourcesWithSuchTexts) {
  EXPECT_TRUE(may_complain("int main() { printf(\"%d errors\\n\", wrong); }"));
  EXPECT_FALSE(may_complain("int main() { int error = 0; printf(\"%d\\n\", error); }"));
}

}  // namespace
}  // namespace cudalab::course
