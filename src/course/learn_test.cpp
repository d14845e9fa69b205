// Tests reading and conducting a walk through a lab.
#include "course/learn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/temporary_folder_testing.h"
#include "course/talk_testing.h"

namespace cudalab::course {
namespace {

using nlohmann::json;

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
   "value": "counters/ptx_barriers", "tolerance": 0.1, "why": ["One after the other."]}
])");
const Quiz kQuiz{{"Up or down?", {"up", "down"}, 0, "They said so."}};

Message lesson_message(const json& text) {
  return refused([&] { lesson_from(text, a_lab(), Message::verbatim("learn.json")); });
}

LessonScore walked(Talk& talk, double value) {
  const lab::Lab lab = a_lab();
  return walk(lab, lesson_from(kLessonText, lab, Message::verbatim("here")), kQuiz, talk.dialogue(),
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
            "\npredict(question=How many?)\nask_prediction_in(unit=steps) <40>\n"
            "\n    cudalab stairs --stage up --f='x*x' --steps=40\n\n"
            "guess_and_run(guess=40 steps, value=42 steps) guess_right()\n"
            "\nOne after the other.\n"
            "\npredictions_score(score=score_complete(right=1, count=1))\n"
            "\nquiz_of_questions(count=1)\n"
            "\nquiz_question(number=1, count=1, question=Up or down?)\n    a) up\n    b) down\n"
            "ask_answer() <b>\nanswer_wrong(letter=a) They said so.\n"
            "\nquiz_score(score=score_complete(right=0, count=1))\n");
}

TEST(Learn, AcceptsNumbersWithTheirUnitAndAQuestionMark) {
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

TEST(Learn, RefusesAnswersThatAreNotNumbers) {
  Talk talk{{"many", "42 sectors", "", "nan", "inf", "0x10", "42", "a"}};
  EXPECT_EQ(walked(talk, 42).predictions.right, 1);
  EXPECT_EQ(talk.objections.size(), 6u);
}

TEST(Learn, ZeroIsRightOnlyIfTheNumberIsZero) {
  Talk exact{{"0", "a"}}, near{{"0.01", "a"}};
  EXPECT_EQ(walked(exact, 0).predictions.right, 1);
  EXPECT_EQ(walked(near, 0).predictions.right, 0);
}

TEST(Learn, StopsWhenTheAnswersEnd) {
  Talk talk{{}};
  const LessonScore score = walked(talk, 42);
  EXPECT_FALSE(score.is_complete());
  EXPECT_THAT(talk.said, Says("predictions_score", {{"right", 0}, {"count", 1}, {"left", 1}}));
  EXPECT_THAT(talk.said, testing::Not(Says("quiz_score")));
}

TEST(Learn, ReadsMeasuredNumbersFromARecordedResult) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "h200");
  std::ofstream(folder / "h200" / "stairs.json")
      << R"({"runs": [{"name": "down", "verdict": "pass", "gb_s": 1},
                      {"name": "up", "verdict": "pass", "gb_s": 55},
                      {"name": "fails", "verdict": "fail", "gb_s": 3}]})";
  Prediction prediction{.stage = "up", .kept = "stairs", .value = {"gb_s"}};
  EXPECT_EQ(measured(a_lab(), prediction, folder.path()), 55);
  for (const auto& [stage, value] : {std::pair("up", "none"), {"nowhere", "gb_s"}, {"fails", "gb_s"}}) {
    prediction.stage = stage, prediction.value = {value};
    EXPECT_THROW(measured(a_lab(), prediction, folder.path()), Error) << stage;
  }
  prediction.kept = "nothing";
  EXPECT_THROW(measured(a_lab(), prediction, folder.path()), Error);
}

TEST(Learn, ReadsTheNumberFromTheDocumentOfItsCommand) {
  const lab::Lab lab = a_lab();
  const Lesson lesson = lesson_from(kLessonText, lab, Message::verbatim("here"));
  const auto& prediction = std::get<Prediction>(lesson[1]);
  EXPECT_THAT(command_words(lab, prediction), testing::ElementsAre("stairs", "--stage", "up", "--device",
                                                                   "virtual", "--f=x*x", "--steps=40"));
  const json cpu{{"name", "cpu"}, {"kind", "cpu"}, {"verdict", "pass"}};
  json run{{"name", "up-40"}, {"kind", "kernel"}, {"verdict", "pass"}, {"counters", {{"ptx_barriers", 40}}}};
  EXPECT_EQ(number_in({{"runs", json::array({cpu, run})}}, lab, prediction), 40);
  run["verdict"] = "fail";
  EXPECT_THROW(number_in({{"runs", json::array({cpu, run})}}, lab, prediction), Error);
  EXPECT_THROW(number_in(json(), lab, prediction), Error);
  EXPECT_THROW(number_in({{"runs", json::array()}}, lab, prediction), Error);
}

TEST(Learn, NamesTheWrongStepOfTheFile) {
  EXPECT_THAT(lesson_message(json::array()), testing::AllOf(IsMessage("at_place", {{"place", "learn.json"}}),
                                                            MentionsMessage("walk_no_list")));
  const auto is_at_step = [](int number, const testing::Matcher<Message>& what) {
    return testing::AllOf(MentionsMessage("step_of", {{"place", "learn.json"}, {"number", number}}), what);
  };
  EXPECT_THAT(lesson_message(json::parse(R"([{"txt": []}])")),
              is_at_step(1, MentionsMessage("step_malformed")));
  json text = kLessonText;
  text[1].erase("why");
  EXPECT_THAT(lesson_message(text), is_at_step(2, MentionsMessage("prediction_lacks_key")));
  text = kLessonText;
  text[1]["stage"] = "down";
  EXPECT_THAT(lesson_message(text),
              is_at_step(2, MentionsMessage("lab_lacks_stage", {{"lab", "stairs"}, {"stage", "down"}})));
  text = kLessonText;
  text[1]["value"] = "counters/steps";
  EXPECT_THAT(
      lesson_message(text),
      is_at_step(2, MentionsMessage("run_value_unknown", {{"lab", "stairs"}, {"path", "counters/steps"}})));
  text[1]["options"] = {{"height", 3}};
  EXPECT_THAT(lesson_message(text),
              is_at_step(2, MentionsMessage("lab_lacks_option", {{"lab", "stairs"}, {"option", "height"}})));
  text[1]["options"] = {{"steps", 1000}};
  EXPECT_THAT(lesson_message(text),
              is_at_step(2, MentionsMessage("option_out_of_range", {{"option", "steps"}, {"value", 1000}})));
}

}  // namespace
}  // namespace cudalab::course
