// Walks through what is read from JSON; handout.cpp does so through Markdown.
#include "course/texts/rewrite.h"

namespace cudalab::course {
namespace {

template <class Texts>
void rewrite_all(Texts& texts, const Rewrite& by) {
  for (std::string& text : texts) text = by(text);
}

void rewrite(Prediction& prediction, const Rewrite& by) {
  prediction.question = by(prediction.question);
  prediction.shown_unit = by(prediction.unit);
  rewrite_all(prediction.why, by);
}

}  // namespace

Rewrite translation_by(const Wording& wording) {
  return [&wording](std::string_view text) { return wording.text(text); };
}

void rewrite(Quiz& quiz, const Rewrite& by) {
  for (Question& question : quiz) {
    question.question = by(question.question);
    rewrite_all(question.choices, by);
    question.why = by(question.why);
  }
}

void rewrite(Lesson& lesson, const Rewrite& by) {
  for (Step& step : lesson) {
    if (auto* paragraphs = std::get_if<Paragraphs>(&step))
      rewrite_all(*paragraphs, by);
    else
      rewrite(std::get<Prediction>(step), by);
  }
}

void rewrite(std::vector<AnsweredQuestion>& answers, const Rewrite& by) {
  for (AnsweredQuestion& one : answers) {
    one.question = by(one.question);
    one.answer = by(one.answer);
  }
}

void rewrite(Exercise& exercise, const Rewrite& by) {
  exercise.title = by(exercise.title);
  rewrite_all(exercise.task, by);
  for (ExerciseCriterion& each : exercise.criteria) each.criterion.says = by(each.criterion.says);
  rewrite_all(exercise.hints, by);
}

}  // namespace cudalab::course
