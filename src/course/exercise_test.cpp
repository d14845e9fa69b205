// Tests reading exercise.json: the resulting exercise, and that errors name the mistake.
#include "course/exercise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "course/sample_exercise_testing.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;
using testing::AllOf;

const lab::Lab kLab = doubling_lab();

Message exercise_refusal(const Json& text) {
  return refused([&] { exercise_from(text, kLab, Message::verbatim("here")); });
}

Json with(const std::string& key, const Json& value) {
  Json text = doubling_exercise();
  text[key] = value;
  return text;
}

TEST(Exercise, ReadsEveryKey) {
  const Exercise exercise = exercise_from(doubling_exercise(), kLab, Message::verbatim("here"));
  EXPECT_EQ(exercise.lab, "double");
  EXPECT_EQ(exercise.difficulty, 2);
  EXPECT_EQ(exercise.minutes, 15);
  EXPECT_THAT(exercise.concepts, testing::ElementsAre("doubling"));
  EXPECT_EQ(exercise.task.size(), 2u);
  EXPECT_EQ(exercise.stage, "plain");
  ASSERT_EQ(exercise.cases.size(), 2u);
  EXPECT_EQ(describe(exercise.cases[1]), "count 67, type f32");
  EXPECT_EQ(describe(exercise.criteria.at(0).judged_on), "count 1000");
  EXPECT_EQ(exercise.hints[2], "out[i] = in[i] + in[i]");
  EXPECT_EQ(exercise.wrong.at("thrice.cu"), "wrong result");
}

TEST(Exercise, ACriterionWithoutACaseIsJudgedOnTheLast) {
  Json text = doubling_exercise();
  text["criteria"][0].erase("case");
  EXPECT_EQ(describe(exercise_from(text, kLab, Message::verbatim("here")).criteria.at(0).judged_on),
            "count 67, type f32");
}

TEST(Exercise, IsAProgramIfItsStageIsOne) {
  lab::Lab lab = kLab;
  lab.stages.push_back("whole");
  lab.programs = {"whole"};
  Json text = with("stage", "whole");
  text["kernel"] = "plain";
  const Exercise program = exercise_from(text, lab, Message::verbatim("here"));
  EXPECT_TRUE(program.is_program);
  EXPECT_EQ(program.kernel_stage, "plain");
  EXPECT_FALSE(exercise_from(doubling_exercise(), lab, Message::verbatim("here")).is_program);
  for (const char* stage : {"whole", "cpu", "nothing"}) {
    text["kernel"] = stage;
    EXPECT_THAT(refused([&] { exercise_from(text, lab, Message::verbatim("here")); }),
                MentionsMessage("stage_is_no_single_kernel", {{"stage", stage}, {"lab", "double"}}));
  }
}

TEST(Exercise, OptionsTakeTheTypeThatTheLabGivesThem) {
  const Exercise exercise =
      exercise_from(with("cases", Json::parse(R"([{"scale": 2, "fast": true, "type": "f64"}])")), kLab,
                    Message::verbatim("here"));
  const Case& options = exercise.cases[0];
  ASSERT_EQ(options.size(), 3u);
  EXPECT_EQ(describe(options), "type f64, scale 2, fast on");
  EXPECT_TRUE(std::holds_alternative<double>(options[1].second));
}

TEST(Exercise, MistakesAreNamed) {
  EXPECT_THAT(exercise_refusal(Json::array()),
              AllOf(IsMessage("at_place", {{"place", "here"}}), MentionsMessage("object_expected")));
  EXPECT_THAT(exercise_refusal(with("colour", 1)),
              AllOf(IsMessage("at_place", {{"place", "here"}}),
                    MentionsMessage("exercise_key_unknown", {{"key", "colour"}})));
  for (const Json& value : {Json(0), Json(4), Json("easy")})
    EXPECT_THAT(exercise_refusal(with("difficulty", value)),
                AllOf(MentionsMessage("exercise_key_wrong", {{"key", "difficulty"}}),
                      MentionsMessage("kind_number_up_to", {{"most", 3}})));
  EXPECT_THAT(exercise_refusal(with("minutes", 0)),
              MentionsMessage("exercise_key_wrong", {{"key", "minutes"}}));
  EXPECT_THAT(
      exercise_refusal(with("concepts", Json::array())),
      AllOf(MentionsMessage("exercise_key_wrong", {{"key", "concepts"}}), MentionsMessage("kind_concepts")));
  EXPECT_THAT(exercise_refusal(with("hints", Json::array({"one"}))),
              MentionsMessage("hints_wrong_count", {{"count", 1}}));
  for (const char* stage : {"best", "cpu"})
    EXPECT_THAT(exercise_refusal(with("stage", stage)),
                MentionsMessage("stage_has_no_kernel", {{"stage", stage}, {"lab", "double"}}));
  EXPECT_THAT(exercise_refusal(with("cases", Json::array())), MentionsMessage("cases_missing"));
  EXPECT_THAT(exercise_refusal(with("cases", Json::parse(R"([{"rows": 1}])"))),
              MentionsMessage("lab_lacks_option", {{"lab", "double"}, {"option", "rows"}}));
  EXPECT_THAT(exercise_refusal(with("cases", Json::parse(R"([{"count": "7"}])"))),
              MentionsMessage("option_cannot_be", {{"option", "count"}, {"value", "\"7\""}}));
  EXPECT_THAT(exercise_refusal(with("cases", Json::parse(R"([{"count": 0}])"))),
              AllOf(IsMessage("at_place", {{"place", "here"}}),
                    MentionsMessage("option_out_of_range",
                                    {{"option", "count"}, {"value", 0}, {"from", 1}, {"to", 10000}})));
  EXPECT_THAT(exercise_refusal(with("criteria", Json::parse(R"([{"name": "x"}])"))),
              MentionsMessage("criterion_lacks_text", {{"key", "value"}}));
  EXPECT_THAT(exercise_refusal(with("criteria", Json::parse(R"([{"name": "x", "value": "verdict",
                                                                  "equals": "pass", "matters": "luck"}])"))),
              MentionsMessage("matters_wrong"));
  Json unknown = doubling_exercise();
  unknown["criteria"][0]["value"] = "counters/ptx_barrier";
  EXPECT_THAT(
      exercise_refusal(unknown),
      AllOf(MentionsMessage("criterion_of", {{"place", "here"}, {"criterion", "few requests"}}),
            MentionsMessage("run_value_unknown", {{"lab", "double"}, {"path", "counters/ptx_barrier"}})));
  Json without = doubling_exercise();
  without.erase("title");
  EXPECT_THAT(exercise_refusal(without), MentionsMessage("exercise_key_missing", {{"key", "title"}}));
}

TEST(LoadCourse, OrdersByThePlanThenByNameAndFindsByName) {
  TemporaryFolder folder;
  write_course(folder.path());
  for (const char* name : {"zero", "other"})
    write_text(folder / "double/exercise" / name / "exercise.json", doubling_exercise().dump());
  write_text(folder / "course/course.json",
             R"({"labs": [], "exercises": ["zero", "absent"], "concepts": []})");
  const std::vector<lab::Lab> labs{kLab};
  const std::vector<Exercise> course = load_course(folder.path(), labs);
  ASSERT_EQ(course.size(), 3u);
  EXPECT_EQ(course[0].name, "zero");
  EXPECT_EQ(course[1].name, "other");
  EXPECT_EQ(find_exercise(course, "twice-each"), &course[2]);
  EXPECT_EQ(find_exercise(course, "twice"), nullptr);
  write_text(folder / "double/exercise/other/exercise.json", "{");
  EXPECT_THROW(load_course(folder.path(), labs), Error);
}

}  // namespace
}  // namespace cudalab::course
