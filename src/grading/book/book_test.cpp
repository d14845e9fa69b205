// Tests deadlines, penalties, manual changes, totals and comparisons on hand-made grades.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "grading/book/changes.h"
#include "grading/book/totals.h"
#include "grading/formats.h"

namespace cudalab::grading {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

Grade attempt_of(const std::string& student, const std::string& exercise, double points) {
  Grade grade{.student = student, .exercise = exercise};
  grade.marks.push_back({"right results", points, 6,
                         points > 0 ? course::Assessment::kMet : course::Assessment::kMissed, "said"});
  grade.content = student + exercise;
  return grade;
}

std::int64_t utc(std::string_view text) { return moment_from(text, DayMeans::kItsBeginning).value_or(-1); }

// ---- moments -------------------------------------------------------------------------------------------

TEST(Moment, IsReadAsPlatformsAndPeopleWriteIt) {
  EXPECT_EQ(utc("1970-01-02T00:00:00Z"), 86'400);
  EXPECT_EQ(utc("2026-01-31T17:05:00.125-08:00"), utc("2026-02-01 01:05 UTC"));
  EXPECT_EQ(utc("2026-01-31T17:05+0530"), utc("2026-01-31T11:35Z"));
  EXPECT_EQ(*moment_from("2026-02-01Z", DayMeans::kItsEnd) - utc("2026-02-01Z"), 86'399);
  EXPECT_EQ(utc("2026-02-01 18:00") - utc("2026-02-01"),
            18 * 3600);  // local time may have an offset from UTC
  for (const char* none :
       {"", "now", "2026-02-30", "2026-13-01", "2026-02-01T25:00", "1.2.2026", "2026-02-01x"})
    EXPECT_FALSE(moment_from(none, DayMeans::kItsEnd)) << none;
}

TEST(Moment, SpansAreInWholeUnits) {
  EXPECT_EQ(span_in_words(1), "1 second");
  EXPECT_EQ(span_in_words(125), "2 minutes");
  EXPECT_EQ(span_in_words(26 * 3600), "26 hours");
  EXPECT_EQ(span_in_words(49 * 3600), "2 days");
}

// ---- lateness ------------------------------------------------------------------------------------------

LateRules ten_percent_a_day() {
  return {deadlines_from("2026-02-01T12:00Z,norm=2026-03-01T12:00Z"), late_penalty_from("10")};
}

Grade handed_in(const std::string& when, const LateRules& rules, const Submission& as = {}) {
  std::vector<Grade> grades{attempt_of("ada", "dot", 6)};
  grades[0].submitted = when;
  apply_lateness(rules, {as}, grades);
  return grades[0];
}

TEST(Lateness, DeductsAShareForEachStartedUnit) {
  EXPECT_EQ(handed_in("2026-02-01T12:00:00Z", ten_percent_a_day()).points(), 6);
  EXPECT_DOUBLE_EQ(handed_in("2026-02-01T12:00:01Z", ten_percent_a_day()).points(), 5.4);
  EXPECT_DOUBLE_EQ(handed_in("2026-02-02T12:00:00Z", ten_percent_a_day()).points(), 5.4);
  EXPECT_DOUBLE_EQ(handed_in("2026-02-02T12:00:01Z", ten_percent_a_day()).points(), 4.8);
  EXPECT_EQ(handed_in("2027-02-02", ten_percent_a_day()).points(), 0);
  const Grade grade = handed_in("2026-02-02T14:00:00Z", ten_percent_a_day());
  EXPECT_THAT(grade.feedback("; "),
              HasSubstr("late: -1.2: handed in 26 hours after 2026-02-01T12:00Z: 20 % less"));
  EXPECT_TRUE(grade.flags.empty());
}

TEST(Lateness, UsesTheDeadlineOfTheWork) {
  LateRules rules = ten_percent_a_day();
  rules.deadlines["dot"] = rules.deadlines["norm"];
  EXPECT_EQ(handed_in("2026-02-20", rules).points(), 6);
}

TEST(Lateness, DeductsNothingIfTheTimeIsUnknown) {
  for (const char* when : {"", "yesterday"}) {
    const Grade grade = handed_in(when, ten_percent_a_day());
    EXPECT_EQ(grade.points(), 6);
    EXPECT_THAT(grade.flags, ElementsAre(HasSubstr("when it was handed in is not known")));
  }
}

TEST(Lateness, IsFlaggedIfThereIsNoPenalty) {
  const Grade grade = handed_in("2026-02-02T14:00:00Z", {deadlines_from("2026-02-01T12:00Z"), std::nullopt});
  EXPECT_EQ(grade.points(), 6);
  EXPECT_THAT(grade.flags, ElementsAre("handed in 26 hours after 2026-02-01T12:00Z"));
}

TEST(Lateness, UsesThePlatformsStatusAndDeadline) {
  const LateRules rules{{}, late_penalty_from("50/once")};
  EXPECT_EQ(handed_in("", rules, {.is_late = true}).points(), 3);
  EXPECT_EQ(handed_in("2026-02-05Z", rules, {.due = "2026-02-04T00:00:00Z"}).points(), 3);
  EXPECT_EQ(handed_in("2026-02-05Z", rules, {.due = "2026-02-06T00:00:00Z"}).points(), 6);
}

TEST(Lateness, UsesTheRostersTimeOfTheWork) {
  const Submission as{.submitted_of = {{"dot", "2026-02-01T13:00Z"}, {"norm", "2026-09-01"}}};
  EXPECT_DOUBLE_EQ(handed_in("", ten_percent_a_day(), as).points(), 5.4);
}

TEST(Lateness, RefusesMalformedRules) {
  for (const char* wrong : {"", "much", "10/year", "101", "-1", "nan", "/day"})
    EXPECT_THAT(refused([&] { late_penalty_from(wrong); }), IsMessage("late_malformed", {{"text", wrong}}));
  EXPECT_THAT(refused([] { deadlines_from("dot=soon"); }),
              IsMessage("deadline_malformed", {{"text", "soon"}}));
}

// ---- manual changes ------------------------------------------------------------------------------------

Grade changed(const std::string& rows, const LateRules& late = {}) {
  std::vector<Grade> grades{attempt_of("ada", "dot", 4)};
  grades[0].marks.push_back({"coalesced", 0, 2, course::Assessment::kMissed, "no"});
  grades[0].submitted = "2026-02-01T12:00:01Z";
  const Changes changes = changes_from(rows, "c.csv");
  require_changeable(changes, grades);
  apply_to_criteria(changes, grades);
  apply_lateness(late, {{}}, grades);
  apply_to_wholes(changes, grades);
  return grades[0];
}

TEST(Changes, AddOrSetPointsAndNeverGoBelowZero) {
  EXPECT_EQ(changed("ada,dot,,add 1,seen\n").points(), 5);
  EXPECT_EQ(changed("ada,dot,,+1,seen\nada,dot,,-2,late again\n").points(), 3);
  EXPECT_EQ(changed("student,work,criterion,change,reason\nada,dot,,set 2.5,seen\n").points(), 2.5);
  EXPECT_EQ(changed("ada,dot,,add -9,seen\n").points(), 0);
  EXPECT_EQ(changed("ada,dot,coalesced,set 2,our mistake\n").points(), 6);
  EXPECT_EQ(changed("ada,dot,coalesced,add -1,no\n").points(), 4);
}

TEST(Changes, GiveTheirReasonAndKeepTheOriginalMark) {
  const Grade grade = changed("ada,dot,coalesced,set 2,\"our mistake, sorry\"\n");
  EXPECT_EQ(grade.marks[1].points, 0);
  EXPECT_THAT(grade.feedback("; "), HasSubstr("changed by hand: coalesced: +2: our mistake, sorry"));
  EXPECT_EQ(grade_from(to_json(grade)).points(), 6);
}

TEST(Changes, OfCriteriaApplyBeforeThePenaltyAndOfTheTotalAfterIt) {
  EXPECT_DOUBLE_EQ(changed("ada,dot,coalesced,set 2,x\n", ten_percent_a_day()).points(), 5.4);
  EXPECT_DOUBLE_EQ(changed("ada,dot,,add 1,x\n", ten_percent_a_day()).points(), 4.6);
  EXPECT_EQ(changed("ada,dot,late,set 0,was ill\n", ten_percent_a_day()).points(), 4);
}

TEST(Changes, RefuseMalformedRowsAndUnknownStudentsOrCriteria) {
  const auto refusal = [](const char* rows) { return refused([&] { changed(rows); }); };
  EXPECT_THAT(refusal("ada,dot,,3,x\n"),
              IsMessage("change_malformed", {{"file", "c.csv"}, {"row", 1}, {"text", "3"}}));
  EXPECT_THAT(refusal("ada,dot,,add 1,\n"), IsMessage("change_needs_five_cells", {{"row", 1}}));
  EXPECT_THAT(refusal("ada,dot,,set -1,x\n"), IsMessage("change_malformed", {{"text", "set -1"}}));
  EXPECT_THAT(refusal("ada,dot,,add many,x\n"), IsMessage("change_malformed", {{"text", "add many"}}));
  EXPECT_THAT(refusal("ada,dot,,add 1,x\neve,dot,,add 1,x\n"),
              IsMessage("change_without_submission",
                        {{"file", "c.csv"}, {"row", 2}, {"student", "eve"}, {"work", "dot"}}));
  EXPECT_THAT(refusal("ada,dot,nothing such,add 1,x\n"),
              IsMessage("change_criterion_unknown", {{"work", "dot"}, {"criterion", "nothing such"}}));
}

TEST(Changes, UseTheRostersIds) {
  Changes changes = changes_from("Ada Lovelace,dot,,add 1,x\n", "c.csv");
  name_by_roster({{"17", "Ada Lovelace", "ada", ""}}, changes);
  EXPECT_EQ(changes.rows[0].student, "17");
}

// ---- attempts and totals -------------------------------------------------------------------------------

std::vector<Grade> two_attempts(const std::string& first, const std::string& second) {
  std::vector<Grade> grades{attempt_of("ada", "dot", 6), attempt_of("ada", "dot", 2)};
  grades[0].submitted = first;
  grades[1].submitted = second;
  return grades;
}

double total_by(Attempt attempt, std::vector<Grade> grades) {
  choose_attempts(attempt, grades);
  return totals_of(grades).students.at(0).points;
}

TEST(Attempts, TheBestOrTheLastCounts) {
  EXPECT_EQ(total_by(Attempt::kBest, two_attempts("2026-02-01", "2026-02-02")), 6);
  EXPECT_EQ(total_by(Attempt::kLast, two_attempts("2026-02-01", "2026-02-02")), 2);
  EXPECT_EQ(total_by(Attempt::kLast, two_attempts("2026-02-02", "2026-02-01")), 6);
}

TEST(Attempts, TheBestCountsIfTheLastIsUnknown) {
  for (const char* second : {"", "2026-02-01"}) {
    std::vector<Grade> grades = two_attempts("2026-02-01", second);
    choose_attempts(Attempt::kLast, grades);
    EXPECT_TRUE(grades[0].counts);
    EXPECT_FALSE(grades[1].counts);
    EXPECT_THAT(grades[0].flags, ElementsAre(HasSubstr("which attempt was the last is not known")));
  }
}

TEST(Totals, SumWorksAndIncludeStudentsWithoutSubmissions) {
  const std::vector<Grade> grades{attempt_of("ada", "dot", 6), attempt_of("ada", "norm", 3),
                                  attempt_of("bob", "dot", 2)};
  const std::vector<std::string> expected{"ada", "eve"};
  EXPECT_EQ(totals_text(grades, expected),
            "identifier,points,maximum,dot,norm\r\nada,9,12,6,3\r\nbob,2,12,2,\r\neve,0,12,,\r\n");
  EXPECT_THAT(table_text(grades, {}, {0, expected, {}}), HasSubstr("nothing for dot, norm"));
}

TEST(Totals, LeaveOutWorksThatDoNotCount) {
  std::vector<Grade> grades{attempt_of("ada", "norm", 2), attempt_of("ada", "dot", 1),
                            attempt_of("bob", "dot", 3)};
  const std::vector<std::string> works{"norm"};
  fix_works(works, grades);
  const Totals totals = totals_of(grades);
  EXPECT_EQ(totals.works, works);
  ASSERT_EQ(totals.students.size(), 2u) << "also those without a work that counts";
  EXPECT_EQ(totals.students[0].points, 2);
  EXPECT_EQ(totals.students[1].points, 0);
}

TEST(Totals, AFileWithoutAWorkBelongsToTheOnlyWorkOrToNoTotal) {
  std::vector<Grade> grades{attempt_of("ada", "dot", 6), attempt_of("bob", "", 0)};
  EXPECT_EQ(totals_of(grades).students[1].most, 6);
  grades.push_back(attempt_of("ada", "norm", 1));
  EXPECT_EQ(totals_of(grades).students[1].most, 12);
}

// ---- earlier runs --------------------------------------------------------------------------------------

EarlierRun run_of(const std::vector<Grade>& grades) {
  return earlier_run_from(json_text(grades, {17, {}, {}}), "old.json");
}

TEST(Earlier, ReportsChangedPointsAndMissingGrades) {
  const EarlierRun before =
      run_of({attempt_of("ada", "dot", 2), attempt_of("bob", "dot", 6), attempt_of("eve", "dot", 6)});
  EXPECT_EQ(before.seed, 17u);
  std::vector<Grade> now{attempt_of("bob", "dot", 0), attempt_of("ada", "dot", 6)};
  const std::vector<Grade> gone = compare_with(before, now);
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].student, "eve");
  EXPECT_THAT(now[0].flags, ElementsAre("6 points before, 0 now"));
  EXPECT_THAT(now[1].earlier->differences, ElementsAre("right results: 2 before, 6 now"));
  EXPECT_THAT(now[1].feedback("; "), HasSubstr("graded again: 2 of 6 points before, 6 of 6 now"));
  EXPECT_TRUE(now[1].flags.empty());
}

TEST(Earlier, MatchesAttemptsByContent) {
  std::vector<Grade> before = two_attempts("", "");
  before[0].content = "one";
  before[1].content = "two";
  std::vector<Grade> now{before[1], before[0]};
  EXPECT_TRUE(compare_with(run_of(before), now).empty());
  EXPECT_TRUE(now[0].earlier->differences.empty());
  EXPECT_TRUE(now[1].earlier->differences.empty());
}

TEST(Earlier, ReportsAManualChangeThatIsGone) {
  const Grade with = changed("ada,dot,,add 1,seen\n");
  Grade without = with;
  without.adjustments.clear();
  std::vector<Grade> now{without};
  compare_with(run_of({with}), now);
  EXPECT_THAT(now[0].earlier->differences, ElementsAre("changed by hand: 1 before, nothing now"));
}

TEST(Earlier, RefusesOtherDocuments) {
  for (const char* wrong : {"", "[]", "{}", R"({"schema": "cudalab.grades/1"})",
                            R"({"schema": "cudalab.grades/1", "grades": [{}]})"})
    EXPECT_THAT(refused([&] { earlier_run_from(wrong, "old.json"); }),
                AnyOf(IsMessage("grades_not_a_list", {{"file", "old.json"}}),
                      IsMessage("grades_entry_unreadable", {{"file", "old.json"}})))
        << wrong;
}

// ---- undecided grades ----------------------------------------------------------------------------------

Grade undecided_attempt(const std::string& student, const std::string& exercise) {
  Grade grade = attempt_of(student, exercise, 0);
  forfeit(grade, kNotVerified + "took more than 60 seconds");
  grade.is_undecided = true;
  return grade;
}

TEST(NoMark, IsNoPointsOfNoneUntilAPersonSetsThem) {
  std::vector<Grade> grades{undecided_attempt("ada", "dot")};
  apply_to_wholes(changes_from("ada,dot,,add 2,for trying\n", "c.csv"), grades);
  EXPECT_TRUE(grades[0].is_undecided) << "nobody knows what two points are added to";
  EXPECT_EQ(grades[0].points() + grades[0].most(), 0);
  apply_to_wholes(changes_from("ada,dot,,set 3,looked at\n", "c.csv"), grades);
  EXPECT_EQ(grades[0].points(), 3);
  EXPECT_EQ(grades[0].most(), 6);
  EXPECT_FALSE(grades[0].is_undecided);
}

TEST(NoMark, MakesTheTotalUndecided) {
  const std::vector<Grade> grades{undecided_attempt("ada", "dot"), attempt_of("ada", "norm", 6)};
  const Totals totals = totals_of(grades);
  EXPECT_EQ(totals.students[0].points_in_words("-"), "-");
  EXPECT_THAT(totals.students[0].undecided, ElementsAre("dot"));
  EXPECT_EQ(totals.students[0].points, 6);
  EXPECT_EQ(totals.students[0].most, 6);
  EXPECT_EQ(totals.students[0].at_stake, 12);
}

TEST(NoMark, IsPassedOverWhereAnotherAttemptHasPoints) {
  std::vector<Grade> grades{undecided_attempt("ada", "dot"), attempt_of("ada", "dot", 2)};
  choose_attempts(Attempt::kBest, grades);
  EXPECT_TRUE(grades[1].counts);
  EXPECT_THAT(grades[0].flags, ElementsAre(HasSubstr("another attempt counts as long as")));
  std::vector<Grade> without{attempt_of("bob", "dot", 0), undecided_attempt("bob", "dot")};
  choose_attempts(Attempt::kBest, without);
  EXPECT_TRUE(without[1].counts) << "it may have points";
}

TEST(NoMark, FlagsLatenessWithoutADeduction) {
  std::vector<Grade> grades{undecided_attempt("ada", "dot")};
  grades[0].submitted = "2026-02-02T14:00:00Z";
  apply_lateness(ten_percent_a_day(), {Submission{}}, grades);
  EXPECT_TRUE(grades[0].adjustments.empty());
  EXPECT_THAT(grades[0].flags, ElementsAre(HasSubstr("handed in 26 hours after")));
}

TEST(NoMark, IsNoLossAgainstAnEarlierRun) {
  const EarlierRun earlier{"old.json", std::nullopt, {attempt_of("ada", "dot", 6)}};
  std::vector<Grade> now{undecided_attempt("ada", "dot")};
  compare_with(earlier, now);
  EXPECT_TRUE(now[0].flags.empty());
  EXPECT_THAT(now[0].feedback("; "), HasSubstr("6 of 6 points before, no mark now: not verified now"));
}

}  // namespace
}  // namespace cudalab::grading
