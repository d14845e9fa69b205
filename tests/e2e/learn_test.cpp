// `cudalab learn` and `cudalab quiz`: every lab's walk shows the numbers of its runs, and answers may end or
// be wrong in any way.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "core/diagnostics/message_testing.h"
#include "report/text/values.h"
#include "tests/e2e/program_testing.h"
#include "tests/e2e/terminal_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> labs_with_a_walk() {
  std::vector<std::string> labs;
  for (const fs::directory_entry& entry : fs::directory_iterator(kLabs))
    if (fs::exists(entry.path() / "learn.json")) labs.push_back(entry.path().filename());
  std::sort(labs.begin(), labs.end());
  return labs;
}

// The number at "counters/NAME".
double value_at(const Json& run, const std::string& path) {
  return run.at(Json::json_pointer("/" + path)).get<double>();
}

// The run of a prediction: a run of the lab, or a recorded run of an H200.
Json run_of(const std::string& lab, const Json& step) {
  if (step.contains("kept")) {
    const fs::path kept =
        kLabs.parent_path() / "expected" / "h200" / (step["kept"].get<std::string>() + ".json");
    const Json document = json_of(kept);
    for (const Json& run : document["runs"])
      if (run["name"] == step["stage"]) return run;
    return {};
  }
  std::vector<std::string> words{lab, "--device", "virtual", "--json", "--stage", step["stage"]};
  for (const auto& [name, value] : step["options"].items())
    words.push_back("--" + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  const Outcome outcome = cudalab(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  for (const Json& run : document["runs"])
    if (run["kind"] != "cpu") return run;
  return {};
}

double number_of(const std::string& lab, const Json& step) {
  const Json run = run_of(lab, step);
  const double value = value_at(run, step["value"]);
  return step.contains("per") ? value / value_at(run, step["per"]) : value;
}

class Walk : public testing::TestWithParam<std::string> {};

TEST_P(Walk, ShowsTheNumbersThatItsRunsGive) {
  const std::string lab = GetParam();
  std::string answers;
  std::vector<std::string> shown;
  for (const Json& step : json_of(kLabs / lab / "learn.json")) {
    if (!step.contains("predict")) continue;
    const double number = number_of(lab, step);
    const std::string unit = step.value("unit", "");
    answers += fmt::format("{}\n", number);
    shown.push_back(fmt::format("value={}{}{}) guess_right()", report::significant(number, 4),
                                unit.empty() ? "" : " ", unit));
  }
  ASSERT_GE(shown.size(), 2u);
  for (const Json& question : json_of(kLabs / lab / "quiz.json"))
    answers += std::string(1, static_cast<char>('a' + question["answer"].get<int>())) + "\n";

  Folder folder;
  write_file(folder / "answers", answers);
  const Outcome outcome = by_ids({"learn", lab, "--answers", (folder / "answers").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::string said = unwrapped(outcome.out);
  std::size_t from = 0;
  for (const std::string& sentence : shown) {
    const std::size_t found = said.find(sentence, from);
    EXPECT_NE(found, std::string::npos) << sentence << "\n" << outcome.out;
    if (found != std::string::npos) from = found;
  }
  EXPECT_THAT(said, Says("predictions_score", {{"right", shown.size()}, {"count", shown.size()}}));
  EXPECT_THAT(said, Says("learn_handout_more"));
}

INSTANTIATE_TEST_SUITE_P(EveryLab, Walk, testing::ValuesIn(labs_with_a_walk()), [](const auto& each) {
  std::string name = each.param;
  std::erase(name, '-');
  return name;
});

// ---- answers -----------------------------------------------------------------------------------------

Outcome quiz_with(const std::string& answers) {
  Folder folder;
  write_file(folder / "answers.txt", answers);
  return by_ids({"quiz", "transpose", "--answers", "answers.txt"}, {.folder = folder.path()});
}

std::string right_answers() {
  std::string answers;
  for (const Json& question : json_of(kLabs / "transpose" / "quiz.json"))
    answers += std::string(1, static_cast<char>('a' + question["answer"].get<int>())) + "\n";
  return answers;
}

TEST(QuizVerb, PassesWhenAllIsRight) {
  const Outcome outcome = quiz_with("# mine\n\n" + right_answers());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith("Transpose a matrix: "));
  EXPECT_THAT(outcome.out, AllOf(Says("answer_right"), testing::Not(Says("answer_wrong"))));
}

TEST(QuizVerb, FailsWhenSomethingIsWrongOrMissing) {
  std::string answers = right_answers();
  answers[0] = answers[0] == 'a' ? 'b' : 'a';
  EXPECT_EQ(quiz_with(answers).code, 1);
  const Outcome missing = quiz_with("d\n");
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.out, Says("score_partial", {{"right", 1}}));
  EXPECT_EQ(quiz_with("").code, 1);
}

TEST(QuizVerb, NamesTheLineOfAnAnswerThatCannotBe) {
  const Outcome outcome = quiz_with("d\n# no\nmaybe\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "cudalab: answer_not_taken(source=answers.txt, line=3, answer=maybe, "
            "why=answer_with_letter(last=d))\n");
}

TEST(QuizVerb, TakesAnswersFromStandardInput) {
  const Outcome outcome =
      run_command({"sh", "-c", "printf 'd\\r\\n B \\n' | \"$0\" quiz transpose", CUDALAB_PROGRAM});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("Quiz: 2 of "));
  EXPECT_THAT(outcome.out, HasSubstr("Your answer: B\n"));
}

TEST(QuizVerb, KeepsTheBestResultInTheProgress) {
  Folder folder;
  const Settings inside{.folder = folder / "cudalab-course"};
  ASSERT_EQ(cudalab({"start", "transpose"}, {.folder = folder.path()}).code, 0);
  write_file(folder / "right", right_answers());
  write_file(folder / "unfinished", "d\n");
  EXPECT_EQ(cudalab({"quiz", "transpose", "--answers", "../unfinished"}, inside).code, 1);
  EXPECT_THAT(by_ids({"progress"}, inside).out, testing::Not(Says("quizzes_done")));
  EXPECT_EQ(cudalab({"quiz", "transpose", "--answers", "../right"}, inside).code, 0);
  EXPECT_THAT(by_ids({"progress"}, inside).out, Says("quizzes_done", {{"lab", "transpose"}}));
}

TEST(QuizVerb, AsksAgainOnATerminal) {
  Folder folder;
  Terminal terminal({"quiz", "transpose", "--seed", "0"}, folder.path());
  terminal.read_until("Your answer: ");
  terminal.type("maybe\n");
  terminal.read_until("`maybe`: answer with one letter, a to d.");
  terminal.read_until("Your answer: ");
  terminal.type("d\n");
  terminal.read_until("Right.");
  terminal.read_until("Your answer: ");
  terminal.type("\x04");  // Ctrl-D
  terminal.read_until("Quiz: 1 of ");
  EXPECT_EQ(terminal.wait(), 1);
}

TEST(QuizVerb, EndsAtOnceWhenInterrupted) {
  Folder folder;
  Terminal terminal({"quiz", "transpose"}, folder.path());
  terminal.read_until("Your answer: ");
  terminal.signal(SIGINT);
  terminal.read_until("cudalab: stopped before the end");
  EXPECT_EQ(terminal.wait(), 4);
}

TEST(LearnVerb, EndsQuietlyWhereTheAnswersEnd) {
  Folder folder;
  write_file(folder / "answers", "?\n");
  const Outcome outcome = by_ids({"learn", "transpose", "--answers", (folder / "answers").string()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, Says("run_says", {{"value", "32 sectors"}}));
  EXPECT_THAT(outcome.out, Says("predictions_score", {{"right", 0}}));
  EXPECT_THAT(outcome.out, Says("score_partial"));
}

TEST(LearnVerb, SaysInOneLineWhatIsMissing) {
  struct Mistake {
    std::vector<std::string> words;
    std::string message;  // as an id
  };
  const std::vector<Mistake> mistakes{
      {{"learn"}, "lab_missing(verb=learn)"},
      {{"quiz"}, "lab_missing(verb=quiz)"},
      {{"quiz", "transpos"}, "lab_unknown(word=transpos, hint=hint_did_you_mean(suggestion=transpose))"},
      {{"learn", "dot", "--answers", "none"},
       "error_file_not_readable(file=none, problem=file_does_not_exist())"}};
  for (const auto& [words, message] : mistakes) {
    const Outcome outcome = by_ids(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "cudalab: " + message + "\n");
  }
}

TEST(LearnVerb, HasHelpWithExamples) {
  EXPECT_THAT(by_ids({"learn", "--help"}).out, HasSubstr("help_examples()\n  cudalab learn "));
  EXPECT_THAT(by_ids({"quiz", "--help"}).out, HasSubstr("help_examples()\n  cudalab quiz "));
}

// ---- answers, and the names of exercises ---------------------------------------------------------------

TEST(Answers, ArePrintedWhereNobodyIsAsked) {
  const Outcome all = cudalab({"answers", "transpose"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(unwrapped(all.out), HasSubstr("3. Why does `tile[TILE][TILE + 1]` need no change"));
  EXPECT_THAT(all.out, HasSubstr("-> The compiler computes the address"));
  const Outcome one = cudalab({"answers", "transpose", "4"});
  EXPECT_THAT(one.out, HasSubstr("4. Someone proposes"));
  EXPECT_THAT(one.out, testing::Not(HasSubstr("3. Why")));
  const Outcome none = by_ids({"answers", "transpose", "40"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, Says("learn_question_unknown", {{"number", 40}, {"count", 6}}));
}

TEST(Exercise, WhoTypesItsNameIsToldWhatToType) {
  const Outcome outcome = by_ids({"padded-tile"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, Says("word_is_exercise", {{"exercise", "padded-tile"}, {"lab", "transpose"}}));
}

TEST(Quiz, ShufflesItsChoicesByTheSeed) {
  const auto asked = [](const char* seed) {
    Folder folder;
    write_file(folder / "answers", "a\n");
    return cudalab({"quiz", "transpose", "--answers", (folder / "answers").string(), "--seed", seed}).out;
  };
  EXPECT_EQ(asked("3"), asked("3"));
  EXPECT_NE(asked("3"), asked("0"));
  EXPECT_EQ(cudalab({"quiz", "transpose", "--seed", "x"}).code, 2);
}

}  // namespace
}  // namespace cudalab::e2e
