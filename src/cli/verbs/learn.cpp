// `cudalab learn LAB`: a walk through a lab, with predictions that a run then shows to be right or wrong.
#include "course/learn.h"

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
  course::rewrite(quiz, translated);  // shuffled before: the order is the same in every language
  const auto measure = [&](const course::Prediction& prediction) {
    std::fflush(console.out);
    return course::measured(lab, prediction, labs.parent_path() / "expected");
  };
  const course::LessonScore score = course::walk(lab, lesson, quiz, answers.dialogue(), measure);
  note_quiz(lab.name, score.quiz);
  if (!score.is_complete()) return ExitCode::kFailed;
  console.say_line("\n" + console.wording.say<"The handout has more to try: {}">(
                              (labs / lab.name / "README.md").string()));
  return ExitCode::kPassed;
}

}  // namespace

Verb learn_verb() {
  return {
      .name = "learn",
      .alias = "",
      .summary = "walk through a lab: predict, run, see why; then its quiz",
      .examples = {"cudalab learn transpose", "cudalab learn banks --answers answers.txt"},
      .declare = with_options(learn_options, walk),
      .more_help =
          "A prediction is a number, or ? if you do not know; an answer of the quiz is a letter. The runs\n"
          "use the virtual GPU, which counts on every machine. With no terminal, answers come from standard\n"
          "input, one a line; empty lines and those that begin with # do not count. The exit code is 0 when\n"
          "you came to the end, and 1 when the answers ended before.\n"};
}

}  // namespace cudalab::cli
