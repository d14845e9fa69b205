// `cudalab quiz LAB`: the questions of a lab, with the reason for every answer.
#include "course/quiz.h"

#include "cli/learner.h"
#include "cli/options/choice_seed.h"
#include "cli/options/known_lab.h"
#include "cli/options/shared_options.h"
#include "cli/terminal/answers.h"
#include "cli/verbs.h"
#include "course/texts/rewrite.h"
#include "lab/lab.h"
#include "lab/locate.h"

namespace cudalab::cli {
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
  course::rewrite(quiz, course::translation_by(console.wording));  // the order is the same in every language
  console.say_line(fmt::format("{}: {}", console.wording.text(lab.title),
                               console.wording.count<"{} question", "{} questions">(quiz.size())));
  const course::Score score = course::ask(quiz, answers.dialogue());
  note_quiz(lab.name, score);
  return score.is_perfect() ? ExitCode::kPassed : ExitCode::kFailed;
}

}  // namespace

Verb quiz_verb() {
  return {
      .name = "quiz",
      .alias = "",
      .summary = "ask the questions of a lab",
      .examples = {"cudalab quiz transpose", "cudalab quiz dot --answers answers.txt"},
      .declare = with_options(quiz_options, ask_quiz),
      .more_help =
          "An answer is a letter. With no terminal, answers come from standard input, one a line; empty\n"
          "lines and those that begin with # do not count. The exit code is 0 when every answer was right,\n"
          "else 1. In a folder made by `cudalab start`, your best result is kept.\n"};
}

}  // namespace cudalab::cli
