// Tests the HTML pages: the class page, and student pages without information about other students.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/formats.h"
#include "grading/sample_grades_testing.h"

namespace cudalab::grading {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ClassPage, ShowsPointsCriteriaAndMistakes) {
  const std::string page = class_page(small_class());
  EXPECT_THAT(page, HasSubstr("3 submissions"));
  EXPECT_THAT(page, HasSubstr("transpose: no bank conflicts</text>"));
  EXPECT_THAT(page, HasSubstr("1 of 2</text>")) << "of those who could be graded";
  EXPECT_THAT(page, HasSubstr("shared_race"));
  EXPECT_THAT(page, HasSubstr("the same bytes as class/eve/result.json"));
}

TEST(ClassPage, TakesNamesAsText) {
  Grade grade = full_grade();
  grade.student = "<script>alert(1)</script>";
  EXPECT_THAT(class_page(std::vector<Grade>{grade}), Not(HasSubstr("<script>alert")));
}

TEST(StudentPage, ShowsOnlyTheStudentsOwnMarks) {
  const std::string page = student_page("bob", std::vector<Grade>{partial_grade()});
  EXPECT_THAT(page, HasSubstr("2 of 3.5 points"));
  EXPECT_THAT(page, HasSubstr("lie in &lt;one&gt; bank &amp; cost"));
  EXPECT_THAT(page, HasSubstr("Hazards: shared_race."));
  EXPECT_THAT(page, Not(HasSubstr("class/eve"))) << "a flag names another submission";
  EXPECT_THAT(page, Not(HasSubstr("ada")));
}

TEST(StudentPage, NamesNoFolderOfTheGrader) {
  for (const bool is_broken : {false, true})
    EXPECT_THAT(student_page("bob", std::vector<Grade>{grade_with_paths(is_broken)}),
                AllOf(HasSubstr("mine.cu:3"), Not(HasSubstr(kFoldersOfTheGrader))));
}

TEST(StudentPage, ShowsNoMarkForAnUndecidedGrade) {
  Grade grade = undecided_grade();
  EXPECT_THAT(student_page("bob", std::vector<Grade>{grade}),
              AllOf(HasSubstr("<strong>- of 3.5 points"), HasSubstr("it gets a mark when")));
  EXPECT_THAT(class_page(std::vector<Grade>{full_grade(), grade}), HasSubstr("100 % of all points"));
  grade.is_undecided = false;
  grade.adjustments = {{"changed by hand", 3, "looked at in the lab"}};
  EXPECT_THAT(student_page("bob", std::vector<Grade>{grade}),
              AllOf(HasSubstr("<strong>3 of 3.5 points"), HasSubstr("looked at in the lab")));
}

TEST(StudentPage, GivesTheReasonWhyAFileIsNotGraded) {
  EXPECT_THAT(student_page("eve", std::vector<Grade>{broken_grade()}), HasSubstr("it is truncated"));
}

}  // namespace
}  // namespace cudalab::grading
