// Tests the contents of the course's screens, and that text in a kernel cannot send control sequences to the
// terminal.
#include "course/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "course/sample_exercise_testing.h"

namespace cudalab::course {
namespace {

using testing::HasSubstr;
using testing::Not;

const ScreenStyle kByIds{.wording = Wording::of_ids()};

class Screen : public testing::Test {
 protected:
  Screen() : exercise(exercise_from(doubling_exercise(), doubling_lab(), Message::verbatim("here"))) {
    exercise.name = "twice-each";
  }
  ExerciseCheck wrong_result() const {
    ExerciseCheck check;
    check.seed = 42;
    check.rejected_by = "wrong result";
    check.parts = {{"compiles", CheckPart::kMet},
                   {"right results",
                    CheckPart::kMissed,
                    Message::verbatim("1 element is wrong"),
                    Message::verbatim("look there"),
                    SourceLine{"mine.cu", 2},
                    {},
                    {},
                    exercise.cases[1]},
                   {"few requests"}};
    return check;
  }
  Exercise exercise;
};

TEST_F(Screen, ShowsTheMistakeItsLineAndAdvice) {
  EXPECT_EQ(check_text(exercise, wrong_result(), "one\ntwo\nthree\nfour\n", "mine.cu", kByIds),
            "twice-each  Twice\n\n"
            "part_with_case(part=  NO    check_right_results(), case=count 67, type f32)\n"
            "        1 element is wrong.\n"
            "        mine.cu:2\n"
            "             1 | one\n"
            "        >    2 | two\n"
            "             3 | three\n"
            "        Look there.\n"
            "  ok    check_compiles()\n"
            "  -     few requests\n\n"
            "verdict_not_yet()  next_look_at_case()\n"
            "         cudalab double --kernel mine.cu --as plain --count=67 --type=f32 --seed=42\n");
}

TEST_F(Screen, ShowsTheAdviceOfAPartThatIsMet) {
  ExerciseCheck check = wrong_result();
  check.parts[0].advice = Message::verbatim("as far as is known");
  EXPECT_THAT(check_text(exercise, check, "", "mine.cu", kByIds),
              HasSubstr("  ok    check_compiles()\n        As far as is known.\n  -     few requests"));
}

TEST_F(Screen, OffersToStepThroughTheFailingCase) {
  ExerciseCheck check = wrong_result();
  check.parts[1].warp = WarpPlace{{4, 1, 0}, 3};
  const std::string text = check_text(exercise, check, "", "double/twice-each.cu", kByIds);
  EXPECT_THAT(
      text,
      HasSubstr("         next_see_steps()\n"
                "         cudalab step double/twice-each.cu --case=2 --seed=42 --block=4,1 --warp=3\n"));
  exercise.is_program = true;
  EXPECT_THAT(check_text(exercise, check, "", "double/twice-each.cu", {}), Not(HasSubstr("cudalab step")));
}

TEST_F(Screen, ShowsBothLinesOfARace) {
  ExerciseCheck check = wrong_result();
  check.parts[1].other = SourceLine{"mine.cu", 5};
  const std::string text = check_text(exercise, check, "1\n2\n3\n4\nfive\n6\n", "mine.cu", {});
  EXPECT_THAT(text, HasSubstr("        mine.cu:2\n"));
  EXPECT_THAT(text, HasSubstr("        mine.cu:5\n             4 | 4\n        >    5 | five\n"));
}

TEST_F(Screen, HasColoursOnlyOnRequest) {
  EXPECT_THAT(check_text(exercise, wrong_result(), "", "mine.cu", {}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(check_text(exercise, wrong_result(), "", "mine.cu", {.colour = true}), HasSubstr("\x1b["));
}

TEST_F(Screen, ShowsNoControlCharactersOfAKernel) {
  ExerciseCheck check = wrong_result();
  check.printed = "a\x1b]0;title\x07\xc2\x9b\n";
  const std::string text = check_text(exercise, check, "\x1b[2J\n\x1b[2J\n", "mine.cu", {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("a?]0;title??"));
}

TEST_F(Screen, CutsLongOutputOfAKernel) {
  ExerciseCheck check = wrong_result();
  for (int i = 0; i < 100; ++i) check.printed += "line\n";
  EXPECT_THAT(check_text(exercise, check, "", "mine.cu", kByIds), Says("more_lines", {{"count", 88}}));
}

TEST_F(Screen, CommandsCanBePastedIntoAShell) {
  EXPECT_EQ(command_for(exercise, "my kernel.cu", {{"type", std::string("exp(-x*x)")}, {"fast", true}}),
            "cudalab double --kernel 'my kernel.cu' --as plain --type='exp(-x*x)' --fast");
}

TEST_F(Screen, ShowsOneMoreHintEachTime) {
  EXPECT_THAT(hints_text(exercise, 1, kByIds), Not(Says("hint_shown", {{"number", 2}})));
  EXPECT_THAT(hints_text(exercise, 2, kByIds),
              Says("hint_shown", {{"number", 2}, {"count", 3}, {"hint", "a number to itself"}}));
}

TEST_F(Screen, MarksTheStateOfEachExercise) {
  Exercise second = exercise, third = exercise;
  second.name = "second";
  third.name = "third";
  Workspace workspace;
  workspace.exercises["twice-each"] = {"double", "d", "d", 2, 1, ""};
  workspace.exercises["second"] = {"double", "d", "", 1, 3, "d"};
  const std::vector<Exercise> course{exercise, second, third};
  EXPECT_EQ(course_text(course, workspace, &third, kByIds),
            "double\n"
            "  [x] twice-each  ★★☆ time_minutes(minutes=15)  Twice  effort_checks(count=2), "
            "effort_hints(count=1)\n"
            "  [s] second      ★★☆ time_minutes(minutes=15)  Twice  effort_checks(count=1), "
            "effort_hints(count=3)\n"
            "> [ ] third       ★★☆ time_minutes(minutes=15)  Twice  effort_none()\n");
  EXPECT_EQ(progress_line(course, workspace, Wording::of_ids()),
            "exercises_passed_given_up(passed=1, count=3, given_up=1)");
  workspace.path = CoursePath{"short", {{"Week 1", {"twice-each"}}, {"Week 2", {"third"}}}};
  EXPECT_EQ(progress_line(course, workspace, Wording::of_ids()), "exercises_passed(passed=1, count=2)");
  EXPECT_EQ(path_line(course, workspace, {}), "");
  workspace.exercises["third"].started = "d";
  EXPECT_EQ(path_line(course, workspace, {}), "Path short, 2 of 2: Week 2");
}

TEST_F(Screen, ATaskSaysHowHardItIs) {
  EXPECT_THAT(task_text(exercise, {}), HasSubstr("twice-each  Twice  ★★☆ 15 min\n\n  Double every"));
}

TEST_F(Screen, ShowsBegunConceptsInATableAndNamesTheOthers) {
  const CourseConcept races{"races", "races", {}}, scans{"scans", "scans", {}}, banks{"banks", "banks", {}};
  const std::vector<Standing> standings{{.about = &races,
                                         .exercises = 4,
                                         .passed = 1,
                                         .mistakes = 2,
                                         .hints = 1,
                                         .is_begun = true,
                                         .weak_in = &exercise,
                                         .trouble = 3},
                                        {.about = &scans, .exercises = 2},
                                        {.about = &banks, .exercises = 3, .passed = 3, .is_begun = true}};
  EXPECT_EQ(standings_text(standings, {}),
            "Concepts\n"
            "  races  1 of 4 passed  2 mistakes, 1 hint, practise again\n"
            "  banks  3 of 3 passed\n"
            "  To come: scans\n");
  EXPECT_EQ(standings_text(std::span(standings).subspan(1, 1), {}), "");
}

TEST_F(Screen, TheNextStepHasAReason) {
  Workspace workspace;
  workspace.exercises["twice-each"].checks = 3;
  NextStep step{.why = NextStep::kContinue, .exercise = &exercise};
  EXPECT_EQ(reason_text(step, workspace, kByIds), "");
  workspace.exercises["twice-each"].checks = 4;
  EXPECT_EQ(reason_text(step, workspace, kByIds), "next_take_hint(checks=4)\n");
  workspace.exercises["twice-each"].hints = kHints;
  EXPECT_EQ(reason_text(step, workspace, kByIds), "next_walk_again(checks=4, lab=double)\n");
  const CourseConcept races{"races", "races", {}};
  step = {.why = NextStep::kPractise,
          .exercise = &exercise,
          .practises = Standing{.about = &races, .weak_in = &exercise, .trouble = 5}};
  EXPECT_EQ(reason_text(step, workspace, {}),
            "Practise races once more: twice-each took 5 mistakes and hints.\n");
  step = {.why = NextStep::kInOrder, .exercise = &exercise, .is_first_of_lab = true};
  EXPECT_EQ(reason_text(step, workspace, kByIds), "next_walk_first(lab=double)\n");
  step.is_first_of_lab = false;
  EXPECT_EQ(reason_text(step, workspace, kByIds), "");
}

}  // namespace
}  // namespace cudalab::course
