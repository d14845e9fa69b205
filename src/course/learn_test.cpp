// Reading a walk through a lab, and taking it.
#include "course/learn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/refusal_testing.h"
#include "core/temporary_folder_testing.h"
#include "course/talk_testing.h"

namespace cudalab::course {
namespace {

using nlohmann::json;
using testing::HasSubstr;

lab::Lab a_lab() {
  return {.name = "stairs",
          .title = "Climb stairs",
          .teaches = "counting",
          .stages = {"cpu", "up"},
          .options = {lab::integer("steps", "steps", 10, 1, 100), lab::text("f", "a function", "x")}};
}

const json kLessonText = json::parse(R"([
  {"text": ["Stairs go up.", "They have steps."]},
  {"predict": "How many?", "unit": "steps", "options": {"steps": 40, "f": "x*x"}, "stage": "up",
   "value": "counters/steps", "tolerance": 0.1, "why": ["One after the other."]}
])");
const Quiz kQuiz{{"Up or down?", {"up", "down"}, 0, "They said so."}};

std::string lesson_message(const json& text) {
  return refusal_of([&] { lesson_from(text, a_lab(), "learn.json"); });
}

LessonScore walked(Talk& talk, double value) {
  const lab::Lab lab = a_lab();
  return walk(lab, lesson_from(kLessonText, lab, "here"), kQuiz, talk.dialogue(),
              [value](const Prediction&) { return value; });
}

TEST(Learn, ShowsThePredictionBesideTheNumber) {
  Talk talk{{"40", "b"}};
  const LessonScore score = walked(talk, 42);
  EXPECT_EQ(score.predictions.right, 1);
  EXPECT_EQ(score.quiz.right, 0);
  EXPECT_TRUE(score.is_complete());
  EXPECT_EQ(talk.said,
            "Climb stairs: counting\n"
            "\nStairs go up.\n\nThey have steps.\n"
            "\nPredict: How many?\nYour prediction (steps): <40>\n"
            "\n    cudalab stairs --stage up --f='x*x' --steps=40\n\n"
            "You said 40 steps, the run says 42 steps. Right!\n"
            "\nOne after the other.\n"
            "\nPredictions: 1 of 1 right.\n"
            "\nThe quiz: 1 question.\n"
            "\n1 of 1: Up or down?\n    a) up\n    b) down\nYour answer: <b>\nNo: a. They said so.\n"
            "\nQuiz: 0 of 1 right.\n");
}

TEST(Learn, TakesNumbersWithTheirUnitAndAQuestionMark) {
  struct Case {
    std::string answer;
    int right;
  };
  for (const auto& [answer, right] : {Case{"42", 1},
                                      {"4.2e1", 1},
                                      {"42 steps", 1},
                                      {"42steps", 1},
                                      {"?", 0},
                                      {"37", 0},
                                      {"-42", 0},
                                      {"38", 1}}) {
    Talk talk{{answer, "a"}};
    EXPECT_EQ(walked(talk, 42).predictions.right, right) << answer;
    EXPECT_TRUE(talk.objections.empty()) << answer;
  }
}

TEST(Learn, RefusesWhatIsNoNumber) {
  Talk talk{{"many", "42 sectors", "", "nan", "inf", "0x10", "42", "a"}};
  EXPECT_EQ(walked(talk, 42).predictions.right, 1);
  EXPECT_EQ(talk.objections.size(), 6u);
}

TEST(Learn, ZeroIsRightOnlyWhenItIsZero) {
  Talk exact{{"0", "a"}}, near{{"0.01", "a"}};
  EXPECT_EQ(walked(exact, 0).predictions.right, 1);
  EXPECT_EQ(walked(near, 0).predictions.right, 0);
}

TEST(Learn, EndsWhereTheAnswersEnd) {
  Talk talk{{}};
  const LessonScore score = walked(talk, 42);
  EXPECT_FALSE(score.is_complete());
  EXPECT_THAT(talk.said, HasSubstr("Predictions: 0 of 1 right, 1 not answered."));
  EXPECT_THAT(talk.said, testing::Not(HasSubstr("Quiz")));
}

TEST(Learn, TakesWhatOnlyACardCanShowFromAKeptResult) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "h200");
  std::ofstream(folder / "h200" / "stairs.json")
      << R"({"runs": [{"name": "down", "verdict": "pass", "gb_s": 1},
                      {"name": "up", "verdict": "pass", "gb_s": 55},
                      {"name": "fails", "verdict": "fail", "gb_s": 3}]})";
  Prediction prediction{.stage = "up", .kept = "stairs", .value = "gb_s"};
  EXPECT_EQ(measured(a_lab(), prediction, folder.path()), 55);
  for (const auto& [stage, value] : {std::pair("up", "none"), {"nowhere", "gb_s"}, {"fails", "gb_s"}}) {
    prediction.stage = stage, prediction.value = value;
    EXPECT_THROW(measured(a_lab(), prediction, folder.path()), Error) << stage;
  }
  prediction.kept = "nothing";
  EXPECT_THROW(measured(a_lab(), prediction, folder.path()), Error);
}

TEST(Learn, SaysWhichStepIsWrongInTheFile) {
  EXPECT_EQ(lesson_message(json::array()), "learn.json: a walk is a list of steps");
  EXPECT_THAT(lesson_message(json::parse(R"([{"txt": []}])")),
              HasSubstr("learn.json: step 1: a step has \"text\""));
  json text = kLessonText;
  text[1].erase("why");
  EXPECT_THAT(lesson_message(text), HasSubstr("learn.json: step 2: a prediction needs"));
  text = kLessonText;
  text[1]["stage"] = "down";
  EXPECT_EQ(lesson_message(text), "learn.json: step 2: the lab stairs has no stage `down`");
  text = kLessonText;
  text[1]["options"] = {{"height", 3}};
  EXPECT_EQ(lesson_message(text),
            "learn.json: step 2: the lab stairs has no option `height`; `cudalab stairs --help` lists them");
  text[1]["options"] = {{"steps", 1000}};
  EXPECT_THAT(lesson_message(text), HasSubstr("learn.json: step 2: --steps is 1000"));
}

}  // namespace
}  // namespace cudalab::course
