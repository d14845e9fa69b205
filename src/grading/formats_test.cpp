// Tests details of formats in C++. tests/e2e/grade_formats_test checks the documented structure of each
// format.
#include "grading/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/sample_grades_testing.h"

namespace cudalab::grading {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(Formats, TheTableHasALinePerSubmissionAndASummary) {
  std::string table = table_text(small_class(), {.colour = false, .width = 100});
  EXPECT_THAT(table, HasSubstr("ada"));
  EXPECT_THAT(table, HasSubstr("missed: no bank conflicts"));
  EXPECT_THAT(table, HasSubstr("truncated"));
  EXPECT_THAT(table, HasSubstr("bob: the same bytes as class/eve/result.json"));
  EXPECT_THAT(table,
              HasSubstr("3 submissions: 1 with full points, 1 could not be graded; 5.5 of 10.5 points"));
}

TEST(Formats, OneSubmissionIsSingular) {
  const std::vector<Grade> one{full_grade()};
  EXPECT_THAT(table_text(one, {.colour = false, .width = 100}),
              HasSubstr("\n1 submission: 1 with full points"));
  EXPECT_THAT(mistakes_text({}, 1, 100), testing::StartsWith("1 submission\n"));
  EXPECT_THAT(mistakes_text({}, 2, 100), testing::StartsWith("2 submissions\n"));
}

TEST(Formats, NamesAndFlagsCannotReachTheTerminal) {
  Grade grade = partial_grade();
  grade.student = "\x1b[2Jbob";
  grade.flags = {"not verified: \x1b]0;owned\x07"};
  const std::string table = table_text(std::vector<Grade>{grade}, {.colour = false, .width = 100});
  EXPECT_THAT(table, HasSubstr("  ?[2Jbob: not verified: ?]0;owned?\n"));
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
}

TEST(Formats, CsvIsQuotedAndContainsNoFormulas) {
  std::string csv = csv_text(small_class());
  EXPECT_THAT(csv, testing::StartsWith(
                       "identifier,points,maximum,feedback,lab,file,flags,counts,total,total_maximum\r\n"
                       "ada,3.5,3.5,,transpose,"));
  EXPECT_THAT(
      csv,
      HasSubstr("bob,2,3.5,\"no bank conflicts: 31 conflicts, \"\"a column\"\", lie in <one> bank & cost\","
                "transpose,class/bob/result.json,the same bytes as class/eve/result.json,yes,2,3.5\r\n"));
  EXPECT_THAT(csv, HasSubstr("\r\n\"'=HYPERLINK(\"\"evil\"\")\",0,3.5,"));
  EXPECT_EQ(csv_cell("@SUM(1)"), "'@SUM(1)");
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a\nb"), "a b");
}

TEST(Formats, PointsHaveNoRoundingErrors) {
  EXPECT_EQ(points_text(4), "4");
  EXPECT_EQ(points_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(points_text(4.0 / 3), "1.333");
}

TEST(Formats, GradescopeAddsUpAndHidesFlagsFromStudents) {
  Json document = Json::parse(gradescope_text(partial_grade()));
  EXPECT_EQ(document["score"], 2);
  double sum = 0;
  for (const Json& test : document["tests"]) sum += test["score"].get<double>();
  EXPECT_EQ(sum, 2);
  EXPECT_EQ(document["tests"][1]["status"], "failed");
  EXPECT_THAT(document["tests"].dump(), Not(HasSubstr("same bytes")));
  EXPECT_THAT(document["extra_data"].dump(), HasSubstr("same bytes"));
}

TEST(Formats, StudentsDoNotReadTheGradersPaths) {
  for (const bool is_broken : {false, true}) {
    const Grade grade = grade_with_paths(is_broken);
    for (const std::string& text : {gradescope_text(grade), classroom_text(grade),
                                    junit_text(std::vector<Grade>{grade}, "2026-01-31T17:05:00")})
      EXPECT_THAT(text, AllOf(HasSubstr("mine.cu:3"), Not(HasSubstr(kFoldersOfTheGrader))));
  }
}

TEST(Formats, ClassroomSaysPassFailOrError) {
  EXPECT_EQ(Json::parse(classroom_text(full_grade()))["status"], "pass");
  EXPECT_EQ(Json::parse(classroom_text(partial_grade()))["status"], "fail");
  EXPECT_EQ(Json::parse(classroom_text(small_class()[2]))["status"], "error");
  EXPECT_EQ(Json::parse(classroom_text(partial_grade()))["max_score"], 3.5);
}

TEST(Formats, AnUndecidedGradeHasNoMarkInAnyFormat) {
  const std::vector<Grade> grades{full_grade(), undecided_grade()};
  const std::string table = table_text(grades, {.colour = false, .width = 120});
  EXPECT_THAT(
      table,
      HasSubstr("bob      transpose       -  3.5  not verified: took more than 60 seconds: no mark yet"));
  EXPECT_THAT(table, HasSubstr("0 could not be graded, 1 not graded yet; 3.5 of 3.5 points in total"));
  EXPECT_THAT(csv_text(grades),
              HasSubstr("\r\nbob,,3.5,not verified: took more than 60 seconds: it gets a mark "
                        "when it is graded again or decided by hand,transpose,"));
  EXPECT_THAT(csv_text(grades), HasSubstr(",yes,,3.5\r\n"));
  EXPECT_THAT(totals_text(grades, {}), HasSubstr("\r\nbob,,3.5,\r\n"));
  const Json json = Json::parse(json_text(grades, {}));
  EXPECT_EQ(json["grades"][1]["not_verified"], true);
  EXPECT_EQ(json["grades"][1]["most"], 0);
  EXPECT_EQ(json["totals"][1]["not_verified"], Json({"transpose"}));
  EXPECT_FALSE(json["grades"][0].contains("not_verified"));
}

TEST(Formats, PlatformsGetNoScoreForAnUndecidedGrade) {
  EXPECT_THAT(gradescope_text(undecided_grade()), Not(HasSubstr("score\"")));
  const Json classroom = Json::parse(classroom_text(undecided_grade()));
  EXPECT_EQ(classroom["max_score"], 0);
  EXPECT_EQ(classroom["status"], "error");
  const std::string junit = junit_text(std::vector<Grade>{undecided_grade()}, "2026-01-31T17:05:00");
  EXPECT_THAT(junit, HasSubstr("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\""));
}

TEST(Formats, JUnitEscapesWhatXmlForbids) {
  std::string xml = junit_text(small_class(), "2026-01-31T17:05:00");
  EXPECT_THAT(
      xml, HasSubstr("message=\"31 conflicts, &quot;a column&quot;, lie in &lt;one&gt; bank &amp; cost\""));
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
}

TEST(ClassReport, SortsMistakesByFrequency) {
  std::vector<Grade> grades{full_grade(), partial_grade(), partial_grade(), broken_grade(), broken_grade()};
  grades[2].marks[0].outcome = course::Assessment::kMissed;
  grades[4].problem = "is not JSON (at byte 17)";
  std::vector<CommonMistake> mistakes = common_mistakes(grades);
  ASSERT_EQ(mistakes.size(), 5u);
  EXPECT_EQ(mistakes[0].name, "no bank conflicts");
  EXPECT_EQ(mistakes[0].students, 2u);
  EXPECT_EQ(mistakes[0].of, 3u);
  EXPECT_EQ(mistakes[1].name, "padded passes");
  EXPECT_EQ(mistakes[2].name, "shared_race");
  EXPECT_EQ(mistakes[2].students, 2u);
  EXPECT_EQ(mistakes[4].name, "is not JSON");
  std::string text = mistakes_text(mistakes, 5, 100);
  EXPECT_THAT(text, HasSubstr("  2 of 3    transpose: no bank conflicts\n"));
  EXPECT_THAT(text, HasSubstr("Hazards\n     2 of 3    transpose: shared_race"));
  EXPECT_THAT(mistakes_csv(mistakes), HasSubstr("hazard,transpose,shared_race,2,3,\r\n"));
}

TEST(ClassReport, IsEmptyIfAllCriteriaAreMet) {
  std::vector<Grade> grades{full_grade()};
  EXPECT_TRUE(common_mistakes(grades).empty());
  EXPECT_THAT(mistakes_text({}, 1, 100), HasSubstr("Nobody missed anything"));
}

}  // namespace
}  // namespace cudalab::grading
