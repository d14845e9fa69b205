// Reading exercise.json: what it becomes, and that every mistake in it is named.
#include "course/exercise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/refusal_testing.h"
#include "course/sample_exercise_testing.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const lab::Lab kLab = doubling_lab();

std::string exercise_refusal(const Json& text) {
  return refusal_of([&] { exercise_from(text, kLab, "here"); });
}

Json with(const std::string& key, const Json& value) {
  Json text = doubling_exercise();
  text[key] = value;
  return text;
}

TEST(Exercise, IsReadWhole) {
  const Exercise exercise = exercise_from(doubling_exercise(), kLab, "here");
  EXPECT_EQ(exercise.lab, "double");
  EXPECT_EQ(exercise.order, 10);
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
  EXPECT_EQ(describe(exercise_from(text, kLab, "here").criteria.at(0).judged_on), "count 67, type f32");
}

TEST(Exercise, IsAProgramWhereItsStageIs) {
  lab::Lab lab = kLab;
  lab.stages.push_back("whole");
  lab.programs = {"whole"};
  Json text = with("stage", "whole");
  text["kernel"] = "plain";
  const Exercise program = exercise_from(text, lab, "here");
  EXPECT_TRUE(program.is_program);
  EXPECT_EQ(program.kernel_stage, "plain");
  EXPECT_FALSE(exercise_from(doubling_exercise(), lab, "here").is_program);
  for (const char* stage : {"whole", "cpu", "nothing"}) {
    text["kernel"] = stage;
    EXPECT_THAT(refusal_of([&] { exercise_from(text, lab, "here"); }),
                HasSubstr("no stage of double that is one kernel"));
  }
}

TEST(Exercise, OptionsTakeTheTypeThatTheLabGivesThem) {
  const Exercise exercise = exercise_from(
      with("cases", Json::parse(R"([{"scale": 2, "fast": true, "type": "f64"}])")), kLab, "here");
  const Case& options = exercise.cases[0];
  ASSERT_EQ(options.size(), 3u);
  EXPECT_EQ(describe(options), "type f64, scale 2, fast on");
  EXPECT_TRUE(std::holds_alternative<double>(options[1].second));
}

TEST(Exercise, MistakesAreNamed) {
  EXPECT_THAT(exercise_refusal(Json::array()), HasSubstr("here: an object"));
  EXPECT_THAT(exercise_refusal(with("colour", 1)), HasSubstr("here: there is no key `colour`"));
  EXPECT_THAT(exercise_refusal(with("order", "first")), HasSubstr("`order` must be a whole number"));
  EXPECT_THAT(exercise_refusal(with("hints", Json::array({"one"}))),
              HasSubstr("`hints` holds 1 texts, and must hold three"));
  EXPECT_THAT(exercise_refusal(with("stage", "best")),
              HasSubstr("`stage` is best, which is no stage of double"));
  EXPECT_THAT(exercise_refusal(with("stage", "cpu")), HasSubstr("which is no stage of double with a kernel"));
  EXPECT_THAT(exercise_refusal(with("cases", Json::array())), HasSubstr("at least one case"));
  EXPECT_THAT(exercise_refusal(with("cases", Json::parse(R"([{"rows": 1}])"))),
              HasSubstr("the lab double has no option `rows`"));
  EXPECT_THAT(exercise_refusal(with("cases", Json::parse(R"([{"count": "7"}])"))),
              HasSubstr("option `count` cannot be \"7\""));
  EXPECT_THAT(exercise_refusal(with("cases", Json::parse(R"([{"count": 0}])"))),
              HasSubstr("here: --count is 0; it must be 1 to 10000"));
  EXPECT_THAT(exercise_refusal(with("criteria", Json::parse(R"([{"name": "x"}])"))), HasSubstr("criterion"));
  EXPECT_THAT(exercise_refusal(with("criteria", Json::parse(R"([{"name": "x", "value": "v", "equals": 1,
                                                                  "matters": "luck"}])"))),
              HasSubstr("\"matters\" must be \"exchanges\" or \"shared loads\""));
  Json without = doubling_exercise();
  without.erase("title");
  EXPECT_THAT(exercise_refusal(without), HasSubstr("the key `title` is missing"));
}

TEST(LoadCourse, GoesByOrderAndFindsByName) {
  TemporaryFolder folder;
  write_course(folder.path());
  write_text(folder / "double/exercise/earlier/exercise.json", with("order", 5).dump());
  const std::vector<lab::Lab> labs{kLab};
  const std::vector<Exercise> course = load_course(folder.path(), labs);
  ASSERT_EQ(course.size(), 2u);
  EXPECT_EQ(course[0].name, "earlier");
  EXPECT_EQ(find_exercise(course, "twice-each"), &course[1]);
  EXPECT_EQ(find_exercise(course, "twice"), nullptr);
  write_text(folder / "double/exercise/earlier/exercise.json", "{");
  EXPECT_THROW(load_course(folder.path(), labs), Error);
}

}  // namespace
}  // namespace cudalab::course
