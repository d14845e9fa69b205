// `cudalab answers LAB [N]`: the questions at the end of a handout, answered with reasons.
#include "cli/terminal/answers.h"

#include <fmt/format.h>

#include <charconv>

#include "cli/options/known_lab.h"
#include "cli/verbs.h"
#include "course/questions.h"
#include "course/texts/rewrite.h"
#include "lab/lab.h"
#include "lab/locate.h"

namespace cudalab::cli {
namespace {

struct AnswersTexts {
  std::string lab, number;
};

Options answers_options(AnswersTexts& texts) {
  return {{"LAB", "", &texts.lab, "the lab"},
          {"N", "", &texts.number, "the number of a question; default: all of them"}};
}

std::size_t question_number(const std::string& text, std::size_t count) {
  std::size_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size() || number < 1 || number > count)
    throw usage_error("there is no question {}; the handout asks {}, so give a number from 1 to {}", text,
                      count, count);
  return number;
}

ExitCode show_answers(const AnswersTexts& texts, const Console& console) {
  const lab::Lab& lab = known_lab(texts.lab, "answers");
  auto all = course::load_answers(lab::labs_directory(), lab.name);
  course::rewrite(all, course::translation_by(console.wording));
  std::span<const course::AnsweredQuestion> wanted = all;
  if (!texts.number.empty()) wanted = wanted.subspan(question_number(texts.number, all.size()) - 1, 1);
  Answers tries(console, "");
  console.say_line(console.wording.say<"{}: questions of the handout">(console.wording.text(lab.title)));
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
          .summary = "answer the questions at the end of a lab's handout, with reasons",
          .examples = {"cudalab answers transpose", "cudalab answers dot 4"},
          .declare = with_options(answers_options, show_answers),
          .more_help =
              "On a terminal each question is asked first: write what you think, or ?, and its answer is\n"
              "shown. Elsewhere questions and answers are printed.\n"};
}

}  // namespace cudalab::cli
