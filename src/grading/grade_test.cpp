// Tests points for documents: by criterion, for incomplete documents, and after writing and reading a grade
// as JSON.
#include "grading/grade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "grading/sample_grades_testing.h"
#include "grading/submission.h"

namespace cudalab::grading {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const Json kKey = Json::parse(R"({"lab": "transpose", "rubric": {"criteria": [
  {"name": "passes", "points": 2, "run": "padded", "value": "verdict", "equals": "pass"},
  {"name": "no conflicts", "run": "padded", "value": "counters/conflicts", "at_most": 0,
   "says": "{value} conflicts"},
  {"name": "as asked", "points": 0.5, "value": "options/rows", "equals": 1024}],
  "exercise": {"padded-tile": 4}}})");

Json graded_document() {
  return Json::parse(
      R"({"schema": "cudalab.result/1", "lab": "transpose", "student": "ada", "options": {"rows": 1024},
    "runs": [{"name": "cpu", "verdict": "pass", "time_ms": {"median": 1.25}},
             {"name": "padded", "verdict": "pass", "counters": {"conflicts": 31}, "simulation_ms": 3.5,
              "hazards": [{"kind": "shared_race"}, {"kind": "shared_race"}, {"kind": "deadlock"}]}]})");
}

Grade grade_of(const Json& text, const Json& key = kKey) {
  Grade grade{.file = "f.json", .student = "from-file"};
  grade_document(text, rubric_from(key, "test"), grade);
  return grade;
}

TEST(Grade, GivesPointsByCriterion) {
  Grade grade = grade_of(graded_document());
  EXPECT_EQ(grade.points(), 2.5);
  EXPECT_EQ(grade.most(), 3.5);
  EXPECT_EQ(grade.marks[1].outcome, course::Assessment::kMissed);
  EXPECT_EQ(grade.feedback("|"), "no conflicts: 31 conflicts");
  EXPECT_THAT(grade.hazards, ElementsAre("shared_race", "deadlock"));
  EXPECT_EQ(grade.student, "ada");
  EXPECT_FALSE(grade.is_full());
}

Grade grade_by(const Json& criterion, const Json& text, Evidence evidence = Evidence::kAsClaimed) {
  Json key = kKey;
  key["rubric"]["criteria"] = Json::array({criterion});
  Grade grade;
  grade_document(text, rubric_from(key, "test"), grade, evidence);
  return grade;
}

TEST(Grade, BoundsGrowWithTheOptionsOfTheDocument) {
  const Json criterion = Json::parse(
      R"({"name": "few conflicts", "run": "padded", "value": "counters/conflicts", "at_most": "rows / 32"})");
  Json text = graded_document();
  EXPECT_EQ(grade_by(criterion, text).points(), 1) << "31 of 1024 / 32";
  text["options"]["rows"] = 960;
  EXPECT_EQ(grade_by(criterion, text).points(), 0) << "31 of 960 / 32";
  for (const Json& options : {Json(), Json("rows"), Json({{"rows", "many"}})}) {
    text["options"] = options;
    EXPECT_EQ(grade_by(criterion, text).marks[0].outcome, course::Assessment::kNotAssessed) << options;
  }
}

// A criterion may name times and counters in any of its paths.
TEST(Grade, WhatNobodyCanShowLeavesTheMaximum) {
  const auto most = [](const char* statement, const Json& text, Evidence evidence) {
    Json criterion = Json::parse(statement);
    criterion.update({{"name", "c"}, {"run", "padded"}, {"at_most", 100}});
    return grade_by(criterion, text, evidence).most();
  };
  Json gpu = graded_document();
  gpu["evidence"] = "gpu";
  gpu["runs"][1].erase("counters");
  for (const char* times : {R"({"value": "time_ms/median"})", R"({"value": "simulation_ms", "per": "gb_s"})",
                            R"({"value": "simulation_ms + time_ms/median"})",
                            R"({"value": "simulation_ms", "and": [{"value": "gb_s", "at_least": 1}]})"})
    for (const Evidence evidence : {Evidence::kAsClaimed, Evidence::kSeenAgain}) {
      EXPECT_EQ(most(times, graded_document(), evidence), 0) << times;
    }
  for (const char* counters :
       {R"({"value": "counters/a"})", R"({"value": "simulation_ms + counters/a"})",
        R"({"value": "simulation_ms", "and": [{"value": "counters/a", "at_most": 1}]})"})
    EXPECT_EQ(most(counters, gpu, Evidence::kAsClaimed), 0) << counters;
  EXPECT_EQ(most(R"({"value": "simulation_ms"})", gpu, Evidence::kSeenAgain), 1);
}

TEST(Grade, AMissingRunGivesNoPoints) {
  Json text = graded_document();
  text["runs"].erase(1);
  Grade grade = grade_of(text);
  EXPECT_EQ(grade.points(), 0.5);
  EXPECT_EQ(grade.marks[0].outcome, course::Assessment::kNotAssessed);
  EXPECT_THAT(grade.feedback("|"), HasSubstr("there is no run `padded`"));
}

TEST(Grade, ADocumentWithoutRunsGetsNoPointsForRuns) {
  Json text = graded_document();
  text.erase("runs");
  const Grade grade = grade_of(text);
  EXPECT_EQ(grade.points(), 0.5);  // for the options criterion
  EXPECT_TRUE(grade.hazards.empty());
}

TEST(Grade, AcceptsDocumentsWithWrongTypes) {
  for (const char* run :
       {R"({"name": 3})", R"({"name": "padded", "verdict": [], "hazards": {}, "counters": "x"})",
        R"({"name": "padded", "hazards": [1, {"kind": 4}, null], "time_ms": []})"}) {
    Json text = graded_document();
    text["runs"] = Json::array({Json::parse(run)});
    text["student"] = 17;
    Grade grade = grade_of(text);
    EXPECT_EQ(grade.points(), 0.5) << run;
    EXPECT_EQ(grade.student, "from-file");
    EXPECT_TRUE(grade.hazards.empty());
  }
}

TEST(Grade, GoesByTheFilesNameWhereTheRubricSaysSo) {
  Json key = kKey;
  key["rubric"]["identifies"] = "file";
  EXPECT_EQ(grade_of(graded_document(), key).student, "from-file");
}

TEST(Grade, TheFingerprintIsOfTheTimesAndNothingElse) {
  Json edited = graded_document();
  edited["student"] = "eve";
  edited["runs"][1]["counters"]["conflicts"] = 0;
  EXPECT_EQ(grade_of(edited).fingerprint, grade_of(graded_document()).fingerprint);
  edited["runs"][0]["time_ms"]["median"] = 1.26;
  EXPECT_NE(grade_of(edited).fingerprint, grade_of(graded_document()).fingerprint);
}

TEST(Grade, UntrustedTextCannotControlTheTerminal) {
  Json text = graded_document();
  text["student"] = "\x1b[2Jada\n\xc2\x9b";
  text["runs"][1]["counters"]["conflicts"] = "\x1b]0;owned\x07";
  Grade grade = grade_of(text);
  EXPECT_EQ(grade.student, "?[2Jada ?");
  EXPECT_EQ(grade.feedback("\n").find('\x1b'), std::string::npos);
}

TEST(Grade, IsUnchangedByWritingAndReadingJson) {
  for (const Grade& grade : small_class()) {
    Grade back = grade_from(nlohmann::ordered_json::parse(
        to_json(grade).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
    EXPECT_EQ(to_json(back), to_json(grade));
  }
  EXPECT_THROW(grade_from(nlohmann::ordered_json::parse(R"({"file": 3})")),
               nlohmann::ordered_json::exception);
}

TEST(Grade, EverybodysMaximumIsTheSame) {
  std::vector<Grade> grades = small_class();
  for (const Grade& grade : grades) EXPECT_EQ(grade.most(), 3.5);
  EXPECT_EQ(grades[2].points(), 0);
  EXPECT_EQ(grades[2].feedback("|"), "ends in the middle: it is truncated");
}

TEST(Grade, AThirdOfAPointThreeTimesIsAPoint) {
  Grade grade;
  for (const char* name : {"a", "b", "c"})
    grade.marks.push_back({name, 0.1, 0.1, course::Assessment::kMet, ""});
  EXPECT_EQ(grade.points(), 0.3);
  EXPECT_EQ(grade.most(), 0.3);
  EXPECT_TRUE(grade.is_full());
}

TEST(Grade, IsFullOnlyWithEveryPointAndNothingToLookAt) {
  EXPECT_TRUE(full_grade().is_full());
  EXPECT_FALSE(partial_grade().is_full());
  Grade flagged = full_grade(), broken = full_grade();
  flagged.flags = {"copied"};
  broken.problem = "does not match";
  EXPECT_FALSE(flagged.is_full());
  EXPECT_FALSE(broken.is_full());
}

// An unreadable file has the maximum of its lab; if its lab is unknown, the highest maximum of all labs.
TEST(Grade, TheMaximumOfABrokenFileIsItsLabs) {
  Grade dot = full_grade(), broken_dot = broken_grade();
  dot.lab = broken_dot.lab = "dot";
  dot.marks = {{"a", 1, 1, course::Assessment::kMet, ""}};
  std::vector<Grade> grades{full_grade(), dot, broken_dot, broken_grade()};
  level_maxima(grades);
  EXPECT_EQ(grades[2].most(), 1);
  EXPECT_EQ(grades[3].most(), 3.5);
  EXPECT_EQ(grades[2].points() + grades[3].points(), 0);
}

TEST(Grade, AForfeitTakesEveryPoint) {
  Grade grade = full_grade();
  forfeit(grade, "does not match");
  EXPECT_EQ(grade.points(), 0);
  EXPECT_EQ(grade.most(), 3.5);
  EXPECT_EQ(grade.feedback("|"), "does not match");
}

Message refusal(const char* rubric) {
  return refused([&] {
    rubric_from({{"lab", "dot"}, {"rubric", Json::parse(rubric)}}, "expected/dot.json");
  });
}

TEST(Rubric, IsReadWhole) {
  Rubric rubric = rubric_from(kKey, "test");
  EXPECT_EQ(rubric.lab, "transpose");
  EXPECT_EQ(rubric.most(), 3.5);
  EXPECT_EQ(rubric.exercises.at("padded-tile").points, 4);
}

TEST(Rubric, WeighsThePartsOfAnExercise) {
  Json key = kKey;
  key["rubric"]["exercise"]["padded-tile"] = {{"points", 10}, {"weights", {{"right results", 7}}}};
  const ExercisePoints points = rubric_from(key, "test").exercises.at("padded-tile");
  EXPECT_EQ(points.points, 10);
  EXPECT_EQ(points.weights.at("right results"), 7);
}

TEST(Rubric, RefusesWhatIsNone) {
  EXPECT_THAT(refusal(R"({"exercise": {"x": {"weight": 1}}})"),
              MentionsMessage("rubric_exercise_key_unknown", {{"exercise", "x"}, {"key", "weight"}}));
  EXPECT_THAT(refusal(R"({"exercise": {"x": {"weights": {"a": -1}}}})"),
              MentionsMessage("rubric_weight_wrong", {{"exercise", "x"}, {"part", "a"}}));
  EXPECT_THAT(
      refusal(R"({"criterions": []})"),
      MentionsMessage("rubric_key_unknown", {{"place", "expected/dot.json: rubric"}, {"key", "criterions"}}));
  EXPECT_THAT(refusal(R"({"identifies": "email"})"), MentionsMessage("rubric_identifies_wrong"));
  EXPECT_THAT(refusal(R"({"exercise": {"x": -1}})"),
              MentionsMessage("rubric_points_missing", {{"exercise", "x"}}));
  const std::string one = R"({"name": "a", "value": "v", "equals": 1})";
  EXPECT_THAT(refusal(("{\"criteria\": [" + one + ", " + one + "]}").c_str()),
              MentionsMessage("rubric_criterion_twice", {{"criterion", "a"}}));
  EXPECT_THAT(refusal("[]"), MentionsMessage("rubric_not_object"));
  EXPECT_THROW(rubric_from(Json::parse(R"({"lab": "dot"})"), "test"), Error);
}

}  // namespace
}  // namespace cudalab::grading
