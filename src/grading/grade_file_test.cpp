// Tests the sentences on similarities between submissions.
#include "grading/grade_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudalab::grading {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Grade grade_with(const std::string& file, const std::string& content) {
  Grade grade{.file = file, .student = file, .lab = "transpose"};
  grade.content = content;
  grade.fingerprint = "same";
  return grade;
}

std::vector<Grade> flagged(std::vector<Grade> grades) {
  flag_copies(grades);
  return grades;
}

TEST(FlagCopies, SaysOfKernelsThatBlanksAloneDiffer) {
  const std::vector<Grade> grades = flagged({grade_with("a.cu", "1"), grade_with("b.cu", "2")});
  EXPECT_THAT(grades[0].flags, ElementsAre("the same, apart from blanks, as b.cu"));
  EXPECT_THAT(grades[1].flags, ElementsAre("the same, apart from blanks, as a.cu"));
}

TEST(FlagCopies, ReportsDocumentsWithEqualTimes) {
  const std::vector<Grade> grades = flagged({grade_with("a.json", "1"), grade_with("b.json", "2")});
  EXPECT_THAT(grades[0].flags, ElementsAre("with all times to the last digit as in b.json"));
}

TEST(FlagCopies, ReportsIdenticalFilesOnce) {
  const std::vector<Grade> grades = flagged({grade_with("a.cu", "1"), grade_with("b.cu", "1")});
  EXPECT_THAT(grades[0].flags, ElementsAre("the same bytes as b.cu"));
  EXPECT_THAT(flagged({grade_with("a.cu", "1"), grade_with("b.json", "2")})[0].flags, IsEmpty());
}

}  // namespace
}  // namespace cudalab::grading
