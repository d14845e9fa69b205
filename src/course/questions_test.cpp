// Questions of a handout, and their answers one by one.
#include "course/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/temporary_folder_testing.h"
#include "course/talk_testing.h"

namespace cudalab::course {
namespace {

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

TEST(Questions, AreTheItemsBelowTheirHeading) {
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
