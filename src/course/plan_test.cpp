// Tests reading the plan of the course.
#include "course/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "course/sample_exercise_testing.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

const Json kText = Json::parse(R"({
  "labs": [{"name": "program", "minutes": 60}, {"name": "transpose", "minutes": 75}],
  "exercises": ["vector-add", "padded-tile"],
  "concepts": [{"name": "races", "title": "races and barriers", "shown_by": ["hazard: shared_race"]}]})");

TEST(Plan, ReadsEveryKey) {
  const CoursePlan plan = plan_from(kText, Message::verbatim("here"));
  EXPECT_THAT(names_of_labs(plan), testing::ElementsAre("program", "transpose"));
  EXPECT_EQ(minutes_of_lab(plan, "transpose"), 75);
  EXPECT_EQ(minutes_of_lab(plan, "dot"), 0);
  EXPECT_THAT(plan.exercises, testing::ElementsAre("vector-add", "padded-tile"));
  ASSERT_NE(find_concept(plan, "races"), nullptr);
  EXPECT_EQ(find_concept(plan, "races")->title, "races and barriers");
  EXPECT_THAT(find_concept(plan, "races")->shown_by, testing::ElementsAre("hazard: shared_race"));
  EXPECT_EQ(find_concept(plan, "coalescing"), nullptr);
}

TEST(Plan, NamesTheFileOfAMistake) {
  for (const char* key : {"labs", "exercises", "concepts"}) {
    Json text = kText;
    text[key] = 5;
    EXPECT_THAT(refused([&] { plan_from(text, Message::verbatim("here")); }),
                IsMessage("plan_malformed", {{"file", "here"}}))
        << key;
  }
  TemporaryFolder folder;
  write_text(folder / "course/course.json", "{");
  EXPECT_THAT(refused([&] { load_plan(folder.path()); }), IsMessage("file_no_json"));
}

TEST(Plan, IsEmptyIfTheLabsHaveNone) {
  TemporaryFolder folder;
  EXPECT_TRUE(load_plan(folder.path()).labs.empty());
}

}  // namespace
}  // namespace cudalab::course
