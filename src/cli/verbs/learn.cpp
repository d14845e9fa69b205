// The verbs `learn`, `quiz` and `answers`: the lesson of a lab, its quiz, and the questions of its handout.
#include "course/learn.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>

#include "cli/learner.h"
#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/terminal/console.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "course/questions.h"
#include "course/texts/rewrite.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "messages/cli.h"

namespace cudalab::cli {

// The seed for the order of a quiz's choices.

namespace {

Option choice_seed_option(std::string& text) {
  return {"--seed", " N", &text,
          "the seed of the order of choices; default: a new order each time on a terminal, else 0, as in the "
          "file"};
}

// The given seed. By default, a new one on a terminal, and otherwise 0, the order in the file, which answers
// prepared in a file rely on. Throws Error(kUsage) if the text is not an integer.
std::uint64_t choice_seed(const std::string& text, const Answers& answers) {
  if (text.empty() && !answers.come_from_a_terminal()) return 0;
  if (text.empty())
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::uint64_t seed = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (failed != std::errc{} || end != text.data() + text.size())
    throw usage_error(msg::learn_seed_wrong(text));
  return seed;
}

// `cudalab answers LAB [N]`: prints the questions at the end of a handout with their answers and reasons.

struct AnswersTexts {
  std::string lab, number;
};

Options answers_options(AnswersTexts& texts) {
  return {{"LAB", "", &texts.lab, "the lab"},
          {"N", "", &texts.number, "the number of a question; default: all questions"}};
}

std::size_t question_number(const std::string& text, std::size_t count) {
  std::size_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size() || number < 1 || number > count)
    throw usage_error(msg::learn_question_unknown(text, count));
  return number;
}

ExitCode show_answers(const AnswersTexts& texts, const Console& console) {
  const lab::Lab& lab = known_lab(texts.lab, "answers");
  auto all = course::load_answers(lab::labs_directory(), lab.name);
  course::rewrite(all, course::translation_by(console.wording));
  std::span<const course::AnsweredQuestion> wanted = all;
  if (!texts.number.empty()) wanted = wanted.subspan(question_number(texts.number, all.size()) - 1, 1);
  Answers tries(console, "");
  console.say_line(console.wording.say(msg::learn_handout_questions(console.wording.text(lab.title))));
  if (tries.come_from_a_terminal())
    course::try_questions(wanted, tries.dialogue());
  else
    course::print_answers(wanted, tries.dialogue());
  return ExitCode::kPassed;
}

}  // namespace

Verb answers_verb() {
  return {.name = "answers",
          .alias = "",
          .summary = "show the answers to the questions of a lab's handout",
          .examples = {"cudalab answers transpose", "cudalab answers dot 4"},
          .declare = with_options(answers_options, show_answers),
          .more_help =
              "On a terminal, each question is asked first: type your answer, or ?, and the answer is\n"
              "shown. Otherwise the questions and answers are printed.\n"};
}

// `cudalab quiz LAB`: asks the questions of a lab and explains every answer.

namespace {

struct QuizTexts {
  std::string lab, answers, seed;
};

Options quiz_options(QuizTexts& texts) {
  return {{"LAB", "", &texts.lab, "the lab"}, answers_option(texts.answers), choice_seed_option(texts.seed)};
}

ExitCode ask_quiz(const QuizTexts& texts, const Console& console) {
  const lab::Lab& lab = known_lab(texts.lab, "quiz");
  Answers answers(console, texts.answers);
  course::Quiz quiz =
      course::shuffled(course::load_quiz(lab::labs_directory(), lab.name), choice_seed(texts.seed, answers));
  course::rewrite(quiz, course::translation_by(console.wording));  // shuffled before: same in all languages
  console.say_line(fmt::format("{}: {}", console.wording.text(lab.title),
                               console.wording.say(msg::learn_question_count(quiz.size()))));
  const course::Score score = course::ask(quiz, answers.dialogue());
  note_quiz(lab.name, score);
  return score.is_perfect() ? ExitCode::kPassed : ExitCode::kFailed;
}

}  // namespace

Verb quiz_verb() {
  return {.name = "quiz",
          .alias = "",
          .summary = "take the quiz of a lab",
          .examples = {"cudalab quiz transpose", "cudalab quiz dot --answers answers.txt"},
          .declare = with_options(quiz_options, ask_quiz),
          .more_help =
              "An answer is a letter. Without a terminal, answers are read from standard input, one per\n"
              "line; empty lines and lines that begin with # are skipped. The exit code is 0 if every\n"
              "answer is right, else 1. In a folder made by `cudalab start`, your best result is stored.\n"};
}

namespace {

struct LearnTexts {
  std::string lab, answers, seed;
};

Options learn_options(LearnTexts& texts) {
  return {{"LAB", "", &texts.lab, "the lab"}, answers_option(texts.answers), choice_seed_option(texts.seed)};
}

ExitCode walk(const LearnTexts& texts, const Console& console) {
  const lab::Lab& lab = known_lab(texts.lab, "learn");
  const std::filesystem::path labs = lab::labs_directory();
  const course::Rewrite translated = course::translation_by(console.wording);
  course::Lesson lesson = course::load_lesson(labs, lab);
  course::rewrite(lesson, translated);
  Answers answers(console, texts.answers);
  course::Quiz quiz = course::shuffled(course::load_quiz(labs, lab.name), choice_seed(texts.seed, answers));
  course::rewrite(quiz, translated);  // shuffled before: same in all languages
  const auto measure = [&](const course::Prediction& prediction) {
    std::fflush(console.out);
    return course::measured(lab, prediction, labs.parent_path() / "expected");
  };
  const course::LessonScore score = course::walk(lab, lesson, quiz, answers.dialogue(), measure);
  note_quiz(lab.name, score.quiz);
  if (!score.is_complete()) return ExitCode::kFailed;
  console.say_line("\n" +
                   console.wording.say(msg::learn_handout_more((labs / lab.name / "README.md").string())));
  return ExitCode::kPassed;
}

}  // namespace

Verb learn_verb() {
  return {.name = "learn",
          .alias = "",
          .summary = "walk through a lab: predict, run, see why; then take its quiz",
          .examples = {"cudalab learn transpose", "cudalab learn banks --answers answers.txt"},
          .declare = with_options(learn_options, walk),
          .more_help =
              "A prediction is a number, or ? if you do not know; an answer of the quiz is a letter. The\n"
              "runs use the virtual GPU, whose counters work on every machine. Without a terminal,\n"
              "answers are read from standard input, one per line; empty lines and lines that begin with\n"
              "# are skipped. The exit code is 0 if you reach the end, and 1 if the answers end before.\n"};
}

}  // namespace cudalab::cli
