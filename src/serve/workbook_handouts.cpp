// The part of the workbook that teaches: handouts, the questions in them with their answers, and quizzes.
#include <fmt/format.h>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "course/questions.h"
#include "course/texts/rewrite.h"
#include "lab/locate.h"
#include "messages/serve.h"
#include "serve/handout_page.h"
#include "serve/workbook.h"

namespace cudalab::serve {
namespace {

std::vector<course::AnsweredQuestion> questions_of(const lab::Lab& lab, const Wording& wording) {
  auto questions = course::load_answers(lab::labs_directory(), lab.name);
  course::rewrite(questions, course::translation_by(wording));
  return questions;
}

// The quiz is shuffled before it is translated, so the order is the same in all languages.
course::Quiz quiz_of(const lab::Lab& lab, std::uint64_t seed, const Wording& wording) {
  auto quiz = course::shuffled(course::load_quiz(lab::labs_directory(), lab.name), seed);
  course::rewrite(quiz, course::translation_by(wording));
  return quiz;
}

}  // namespace

Response Workbook::handout(const Call& call) {
  const lab::Lab& of = lab(call);
  const Wording& wording = call.language.wording;
  const std::string text = without_questions(read_text(lab::labs_directory() / of.name / "README.md"));
  Json questions = Json::array();
  for (const auto& each : questions_of(of, wording)) questions.push_back(inline_html(each.question));
  return json_response({{"name", of.name},
                        {"title", wording.text(of.title)},
                        {"html", handout_html(course::handout_in(wording, text))},
                        {"questions", questions}});
}

Response Workbook::answer_to_question(const Call& call) {
  const auto questions = questions_of(lab(call), call.language.wording);
  const auto asked = call.request.query.find("number");
  for (const auto& each : questions)
    if (asked != call.request.query.end() && asked->second == std::to_string(each.number))
      return json_response({{"answer", inline_html(each.answer)}});
  throw usage_error(msg::serve_question_unknown(questions.size()));
}

Response Workbook::quiz(const Call& call) {
  std::uint64_t seed = 0;
  if (const auto asked = call.request.query.find("seed"); asked != call.request.query.end())
    seed = natural(asked->second).value_or(0);
  Json questions = Json::array();
  for (const course::Question& each : quiz_of(lab(call), seed, call.language.wording)) {
    Json choices = Json::array();
    for (const std::string& choice : each.choices) choices.push_back(inline_html(choice));
    questions.push_back({{"question", inline_html(each.question)}, {"choices", choices}});
  }
  return json_response({{"seed", seed}, {"questions", questions}});
}

Response Workbook::mark_quiz(const Call& call) {
  const lab::Lab& of = lab(call);
  const course::Quiz quiz = quiz_of(of, call.body.at("seed").get<std::uint64_t>(), call.language.wording);
  const Json& given = call.body.at("answers");
  course::Score score{.of = static_cast<int>(quiz.size())};
  Json results = Json::array();
  for (std::size_t i = 0; i < quiz.size(); ++i) {
    const bool is_answered = i < given.size() && given[i].is_number_unsigned();
    const bool is_right = is_answered && given[i].get<std::size_t>() == quiz[i].answer;
    score.answered += is_answered ? 1 : 0;
    score.right += is_right ? 1 : 0;
    results.push_back({{"answered", is_answered}});
    if (!is_answered) continue;
    results.back()["right"] = is_right;
    results.back()["answer"] = quiz[i].answer;
    results.back()["why"] = inline_html(quiz[i].why);
  }
  if (score.is_complete()) actions_.note_quiz(folder_.path(), of.name, score);
  return json_response({{"score", call.language.wording.say(course::describe(score))}, {"results", results}});
}

}  // namespace cudalab::serve
