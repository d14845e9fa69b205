// Tests the standing with each concept, and the next step: from mistakes, hints and exercises that were given
// up.
#include "course/learner/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudalab::course {
namespace {

Exercise exercise_on(const std::string& name, std::vector<std::string> concepts,
                     const std::string& lab = "one") {
  Exercise exercise;
  exercise.name = name;
  exercise.lab = lab;
  exercise.concepts = std::move(concepts);
  return exercise;
}

class Standings : public testing::Test {
 protected:
  Standings() {
    for (const Exercise& exercise : course) workspace.exercises[exercise.name].started = "2026-01-01 09:00";
  }
  Progress& of(const std::string& name) { return workspace.exercises[name]; }
  void pass(const std::string& name, const std::string& date) {
    of(name).checks = 1;
    of(name).checked = of(name).passed = date;
  }
  Standing with(const std::string& name) const {
    for (const Standing& one : standings(course, workspace, plan))
      if (one.about->name == name) return one;
    return {};
  }
  NextStep next() const { return next_step(course, workspace, plan); }

  CoursePlan plan{.labs = {},
                  .exercises = {},
                  .concepts = {{"indexing", "indices", {"hazard: out_of_bounds"}},
                               {"coalescing", "coalescing", {"coalesced loads"}},
                               {"races", "races", {"hazard: shared_race"}}}};
  std::vector<Exercise> course{exercise_on("first", {"indexing"}), exercise_on("second", {"coalescing"}),
                               exercise_on("third", {"races"}, "two"),
                               exercise_on("fourth", {"coalescing", "races"}, "two"),
                               exercise_on("fifth", {"indexing", "coalescing"}, "two")};
  Workspace workspace;
};

TEST_F(Standings, CountExercisesMistakesAndHints) {
  pass("second", "2026-01-02 10:00");
  of("second").hints = 1;
  of("second").mistakes = {{"coalesced loads", 1}, {"hazard: out_of_bounds", 5}, {"wrong result", 1}};
  const Standing coalescing = with("coalescing"), indexing = with("indexing");
  EXPECT_EQ(coalescing.exercises, 3);
  EXPECT_EQ(coalescing.passed, 1);
  EXPECT_EQ(coalescing.mistakes, 2) << "a wrong result counts for the main concept";
  EXPECT_EQ(coalescing.hints, 1);
  EXPECT_TRUE(coalescing.is_begun);
  EXPECT_EQ(indexing.mistakes, 5);
  EXPECT_EQ(indexing.hints, 0);
  EXPECT_FALSE(indexing.is_begun);
  EXPECT_FALSE(with("races").is_begun);
}

TEST_F(Standings, IgnoreCompileErrors) {
  pass("first", "2026-01-02 10:00");
  of("first").mistakes = {{"does not compile", 9}};
  EXPECT_EQ(with("indexing").mistakes, 0);
  EXPECT_EQ(with("indexing").weak_in, nullptr);
}

TEST_F(Standings, TheLastExerciseDecidesWhetherAConceptIsWeak) {
  pass("second", "2026-01-02 10:00");
  of("second").hints = 2;
  EXPECT_EQ(with("coalescing").weak_in, nullptr);
  of("second").mistakes = {{"coalesced loads", 1}};
  ASSERT_NE(with("coalescing").weak_in, nullptr);
  EXPECT_EQ(with("coalescing").weak_in->name, "second");
  EXPECT_EQ(with("coalescing").trouble, 3);
  pass("fifth", "2026-01-03 10:00");
  EXPECT_EQ(with("coalescing").weak_in, nullptr) << "it went well the next time";
}

TEST_F(Standings, ARepeatedMistakeCountsALimitedNumberOfTimes) {
  pass("second", "2026-01-02 10:00");
  of("second").mistakes = {{"coalesced loads", 40}};
  EXPECT_EQ(with("coalescing").mistakes, 40);
  EXPECT_EQ(with("coalescing").trouble, kMostRepeats);
}

TEST_F(Standings, AnExerciseThatWasGivenUpIsHard) {
  of("third").gave_up = "2026-01-02 10:00";
  EXPECT_EQ(with("races").trouble, 3);
}

TEST_F(Standings, NextFollowsTheOrderOfTheCourse) {
  EXPECT_EQ(next().why, NextStep::kInOrder);
  EXPECT_EQ(next().exercise->name, "first");
  EXPECT_TRUE(next().is_first_of_lab);
  pass("first", "2026-01-02 10:00");
  EXPECT_EQ(next().exercise->name, "second");
  EXPECT_FALSE(next().is_first_of_lab);
  pass("second", "2026-01-02 10:00");
  EXPECT_TRUE(next().is_first_of_lab) << "of the lab two";
  workspace.quizzes["two"] = {1, 2, "2026-01-02 11:00"};
  EXPECT_FALSE(next().is_first_of_lab);
}

TEST_F(Standings, NextIsTheExerciseCheckedLast) {
  of("third").checks = of("second").checks = 2;
  of("second").checked = "2026-01-02 10:00";
  of("third").checked = "2026-01-02 11:00";
  EXPECT_EQ(next().why, NextStep::kContinue);
  EXPECT_EQ(next().exercise->name, "third");
  of("second").checked = "2026-01-02 11:00";
  EXPECT_EQ(next().exercise->name, "second") << "the first of two in the same minute";
}

TEST_F(Standings, NextPractisesAWeakConceptWithoutNewOnes) {
  pass("first", "2026-01-02 10:00");
  pass("second", "2026-01-02 11:00");
  of("second").mistakes = {{"coalesced loads", 2}};
  of("second").hints = 2;
  EXPECT_EQ(next().why, NextStep::kPractise);
  EXPECT_EQ(next().exercise->name, "fifth") << "the fourth needs races, which are new";
  EXPECT_EQ(next().practises->about->name, "coalescing");
  EXPECT_EQ(next().practises->weak_in->name, "second");
  pass("fifth", "2026-01-02 12:00");
  EXPECT_EQ(next().why, NextStep::kInOrder);
  EXPECT_EQ(next().exercise->name, "third");
}

TEST_F(Standings, NextIsInOrderIfNoExercisePractisesTheWeakConcept) {
  pass("first", "2026-01-02 10:00");
  of("first").mistakes = {{"hazard: shared_race", 3}};
  EXPECT_EQ(next().why, NextStep::kPractise);
  EXPECT_EQ(next().exercise->name, "third");
  workspace.exercises.erase("third");
  EXPECT_EQ(next().exercise->name, "second") << "the fourth needs coalescing, which is new";
  EXPECT_EQ(next().why, NextStep::kInOrder);
}

TEST_F(Standings, NothingIsNextIfAllIsDone) {
  for (const Exercise& exercise : course) pass(exercise.name, "2026-01-02 10:00");
  EXPECT_EQ(next().why, NextStep::kAllDone);
  EXPECT_EQ(next().exercise, nullptr);
}

}  // namespace
}  // namespace cudalab::course
