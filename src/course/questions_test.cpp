// Tests quizzes, and the questions of handouts with their answers.
#include "course/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/temporary_folder_testing.h"
#include "course/talk_testing.h"

namespace cudalab::course {

// Reading a quiz, and asking it.

namespace {

using nlohmann::json;

const json kQuizText = json::parse(R"([
  {"question": "How wide is a warp?", "choices": ["16", "32"], "answer": 1,
   "why": "32 threads, on every card."},
  {"question": "How wide is a bank?", "choices": ["4 bytes", "8 bytes", "16 bytes"], "answer": 0,
   "why": "One word."}
])");

Message quiz_message(const json& text) {
  return refused([&] { quiz_from(text, Message::verbatim("quiz.json")); });
}

TEST(Quiz, AsksEachQuestionAndExplainsTheAnswer) {
  Talk talk{{"b", "C"}};
  const Score score = ask(quiz_from(kQuizText, Message::verbatim("here")), talk.dialogue());
  EXPECT_EQ(score.right, 1);
  EXPECT_TRUE(score.is_complete());
  EXPECT_FALSE(score.is_perfect());
  EXPECT_EQ(talk.said,
            "\nquiz_question(number=1, count=2, question=How wide is a warp?)\n    a) 16\n    b) 32\n"
            "ask_answer() <b>\nanswer_right() 32 threads, on every card.\n"
            "\nquiz_question(number=2, count=2, question=How wide is a bank?)\n"
            "    a) 4 bytes\n    b) 8 bytes\n    c) 16 bytes\nask_answer() <C>\n"
            "answer_wrong(letter=a) One word.\n"
            "\nquiz_score(score=score_complete(right=1, count=2))\n");
}

TEST(Quiz, AcceptsOnlyLetters) {
  Talk talk{{"c", "1", "ab", "", "!", "b)", "a."}};
  const Score score = ask(quiz_from(kQuizText, Message::verbatim("here")), talk.dialogue());
  EXPECT_EQ(score.right, 2);
  EXPECT_THAT(talk.objections, testing::Each(Says("answer_with_letter", {{"last", "b"}})));
  EXPECT_EQ(talk.objections.size(), 5u);
}

TEST(Quiz, ShufflesChoicesAndKeepsTheAnswer) {
  const Quiz plain = quiz_from(kQuizText, Message::verbatim("here"));
  EXPECT_EQ(shuffled(plain, 0)[1].choices, plain[1].choices);
  std::set<std::size_t> places;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Quiz other = shuffled(plain, seed);
    EXPECT_THAT(other[1].choices, testing::UnorderedElementsAreArray(plain[1].choices));
    EXPECT_EQ(other[1].choices[other[1].answer], "4 bytes");
    EXPECT_EQ(shuffled(plain, seed)[1].choices, other[1].choices);
    places.insert(other[1].answer);
  }
  EXPECT_EQ(places.size(), 3u);
}

TEST(Quiz, StopsWhenTheAnswersEnd) {
  Talk talk{{"b"}};
  const Score score = ask(quiz_from(kQuizText, Message::verbatim("here")), talk.dialogue());
  EXPECT_FALSE(score.is_complete());
  EXPECT_THAT(talk.said, Says("quiz_score", {{"right", 1}, {"count", 2}, {"left", 1}}));
}

TEST(Quiz, NamesTheWrongQuestionOfTheFile) {
  for (const json& no_list : {json::array(), json("text")})
    EXPECT_THAT(quiz_message(no_list), testing::AllOf(IsMessage("at_place", {{"place", "quiz.json"}}),
                                                      MentionsMessage("quiz_no_list")));
  const auto is_at_question = [](int number, const testing::Matcher<Message>& what) {
    return testing::AllOf(MentionsMessage("question_of", {{"place", "quiz.json"}, {"number", number}}), what);
  };
  json text = kQuizText;
  text[1].erase("why");
  EXPECT_THAT(quiz_message(text), is_at_question(2, MentionsMessage("quiz_question_lacks_key")));
  text = kQuizText;
  text[0]["answer"] = 2;
  EXPECT_THAT(quiz_message(text),
              is_at_question(1, MentionsMessage("quiz_answer_out_of_range", {{"answer", 2}, {"last", 1}})));
  text[0]["choices"] = {"32"};
  EXPECT_THAT(quiz_message(text),
              is_at_question(1, MentionsMessage("quiz_choices_wrong_count", {{"most", 26}, {"count", 1}})));
}

using testing::ElementsAre;

constexpr const char* kHandout =
    "# Lab\n\n## Try\n\n1. Try it.\n\n## Questions\n\n1. Why is it so,\n   and not else?\n2. What if?\n\n## "
    "More\n\n3. No.\n";

std::vector<AnsweredQuestion> answers_of(const char* json) {
  TemporaryFolder labs;
  std::filesystem::create_directory(labs / "dot");
  std::ofstream(labs / "dot/README.md") << kHandout;
  std::ofstream(labs / "dot/answers.json") << json;
  return load_answers(labs.path(), "dot");
}

TEST(Questions, AreTheItemsUnderTheirHeading) {
  EXPECT_THAT(questions_in(kHandout), ElementsAre("Why is it so, and not else?", "What if?"));
  EXPECT_TRUE(questions_in("# Lab\n\n1. Nothing.\n").empty());
}

TEST(Questions, HaveOneAnswerEach) {
  EXPECT_EQ(answers_of(R"(["So.", "Then."])").at(1).answer, "Then.");
  EXPECT_EQ(answers_of(R"(["So.", {"answer": "Then.", "numbers": {"1": "1"}}])").at(1).answer, "Then.");
  EXPECT_THROW(answers_of(R"(["So.", {"numbers": {}}])"), Error);
  EXPECT_THROW(answers_of(R"(["So."])"), Error);
  EXPECT_THROW(answers_of(R"({"1": "So."})"), Error);
}

TEST(Questions, ShowAnAnswerAfterATry) {
  const std::vector<AnsweredQuestion> answers = answers_of(R"(["So.", "Then."])");
  Talk talk{{"I do not know"}};
  try_questions(answers, talk.dialogue());
  EXPECT_THAT(talk.said, testing::HasSubstr("-> So."));
  EXPECT_THAT(talk.said, testing::HasSubstr("2. What if?"));
  EXPECT_THAT(talk.said, testing::Not(testing::HasSubstr("Then.")));
  Talk printed{{}};
  print_answers(answers, printed.dialogue());
  EXPECT_THAT(printed.said, testing::HasSubstr("-> Then."));
}

}  // namespace
}  // namespace cudalab::course
