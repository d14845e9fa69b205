// Tests the files for gradebooks of Moodle and Canvas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/formats.h"
#include "grading/sample_grades_testing.h"

namespace cudalab::grading {
namespace {

using testing::HasSubstr;
using testing::Not;

Grade grade_of(const std::string& student, const std::string& exercise, double points,
               const std::string& sentence = "") {
  Grade grade;
  grade.student = student;
  grade.exercise = exercise;
  const auto outcome = points > 0 ? course::Assessment::kMet : course::Assessment::kMissed;
  grade.marks.push_back({"right results", points, 6, outcome, sentence});
  grade.flags.push_back("the same file as eve.cu");
  return grade;
}

const std::vector<Grade> kClass{grade_of("ada", "dot", 0, "wrong, in row 3"), grade_of("ada", "dot", 6),
                                grade_of("=bob", "dot", 0, "wrong \"there\""), grade_of("ada", "norm", 2)};

TEST(Gradebooks, MoodleGetsARowPerStudentWithTheBestAttemptAndNoFlags) {
  EXPECT_EQ(moodle_text(kClass),
            "username,dot,dot (feedback),norm,norm (feedback)\r\n"
            "ada,6,,2,\r\n"
            "'=bob,0,\"right results: wrong \"\"there\"\"\",,\r\n");
}

TEST(Gradebooks, MoodlesWorksheetHasItsColumnsAndNamesParticipantsByNumber) {
  EXPECT_EQ(
      moodle_worksheet_text(std::vector<Grade>{grade_of("1234567", "dot", 0, "wrong, in row 3"),
                                               grade_of("1234567", "norm", 6), grade_of("ada", "dot", 6)}),
      "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
      "Last modified (grade),Online text,Last modified (submission),Feedback comments\r\n"
      "Participant 1234567,1234567,,,6,12,Yes,,,,\"right results: wrong, in row 3\"\r\n"
      ",ada,,,6,12,Yes,,,,\r\n");
}

TEST(Gradebooks, FeedbackNamesNoFolderOfTheGrader) {
  for (const bool is_broken : {false, true})
    EXPECT_THAT(moodle_text(std::vector<Grade>{grade_with_paths(is_broken)}),
                AllOf(HasSubstr("mine.cu:3"), Not(HasSubstr(kFoldersOfTheGrader))));
}

TEST(Gradebooks, CanvasGetsItsColumnsAndThePointsPossible) {
  EXPECT_EQ(canvas_text(kClass),
            "Student,ID,SIS User ID,SIS Login ID,Section,dot,norm\r\n"
            "    Points Possible,,,,,6,6\r\n"
            "ada,,,ada,,6,2\r\n"
            "'=bob,,,'=bob,,0,\r\n");
}

TEST(Gradebooks, CanvasIdentifiesStudentsByNumberOrLogin) {
  EXPECT_EQ(canvas_text(std::vector<Grade>{grade_of("4711", "dot", 6), grade_of("ada17", "dot", 6)}),
            "Student,ID,SIS User ID,SIS Login ID,Section,dot\r\n"
            "    Points Possible,,,,,6\r\n"
            "4711,4711,,,,6\r\n"
            "ada17,,,ada17,,6\r\n");
}

// An empty cell leaves the gradebook's entry unchanged.
TEST(Gradebooks, AnUndecidedGradeHasAnEmptyCell) {
  Grade undecided = undecided_grade();
  undecided.exercise = "dot";
  const std::vector<Grade> grades{undecided, grade_of("bob", "norm", 2)};
  EXPECT_THAT(moodle_text(grades), HasSubstr("\r\nbob,,not verified: "));
  EXPECT_THAT(moodle_worksheet_text(grades), HasSubstr(",bob,,,,9.5,Yes,,,,not verified: "));
  EXPECT_THAT(canvas_text(grades), HasSubstr("Points Possible,,,,,3.5,6\r\nbob,,,bob,,,2\r\n"));
}

TEST(Gradebooks, AnUnreadableFileCountsForTheOnlyItem) {
  Grade unreadable;
  unreadable.student = "eve";
  unreadable.problem = "is empty";
  EXPECT_EQ(moodle_text(std::vector<Grade>{grade_of("ada", "dot", 6), unreadable}),
            "username,dot,dot (feedback)\r\nada,6,\r\neve,0,is empty\r\n");
}

TEST(Gradebooks, CanvasRubricHasARowPerCriterion) {
  EXPECT_EQ(canvas_rubric_text(kClass[1]),
            "Rubric Name,Criteria Name,Criteria Description,Criteria Enable Range,"
            "Rating Name,Rating Description,Rating Points,Rating Name,Rating Description,Rating Points\r\n"
            "cudalab dot,right results,,false,met,,6,missed,,0\r\n");
}

}  // namespace
}  // namespace cudalab::grading
