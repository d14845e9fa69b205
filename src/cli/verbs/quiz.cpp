// `cudalab quiz LAB`: the questions of a lab, with the reason for every answer.
#include "course/quiz.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/known_lab.h"
#include "cli/learner.h"
#include "cli/terminal/answers.h"
#include "cli/verbs.h"
#include "lab/locate.h"

namespace cudalab::cli {
namespace {

struct Words {
  std::string lab, answers;
};

ExitCode ask_quiz(const Words& words, const Console& console) {
  const lab::Lab& lab = known_lab(words.lab, "quiz");
  const course::Quiz quiz = course::load_quiz(lab::labs_directory(), lab.name);
  Answers answers(console, words.answers);
  console.print_line(fmt::format("{}: {} questions", lab.title, quiz.size()));
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
      .declare = [](CLI::App& app) -> Action {
        auto words = std::make_shared<Words>();
        app.add_option("LAB", words->lab, "the lab");
        app.add_option("--answers", words->answers, "take the answers from FILE, one a line")
            ->option_text(" FILE");
        return [words](const Console& console) { return ask_quiz(*words, console); };
      },
      .more_help =
          "An answer is a letter. With no terminal, answers come from standard input, one a line; empty\n"
          "lines and those that begin with # do not count. The exit code is 0 when every answer was right,\n"
          "else 1. In a folder made by `cudalab start`, your best result is kept.\n"};
}

}  // namespace cudalab::cli
