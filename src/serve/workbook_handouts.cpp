// The part of the workbook that teaches: handouts, the questions in them with their answers, lessons with
// predictions, and quizzes.
#include <fmt/format.h>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "course/learn.h"
#include "course/questions.h"
#include "course/texts/rewrite.h"
#include "lab/locate.h"
#include "messages/course.h"
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

course::Lesson lesson_of(const lab::Lab& lab, const Wording& wording) {
  course::Lesson lesson = course::load_lesson(lab::labs_directory(), lab);
  course::rewrite(lesson, course::translation_by(wording));
  return lesson;
}

Json paragraphs_json(const course::Paragraphs& paragraphs) {
  Json json = Json::array();
  for (const std::string& each : paragraphs) json.push_back(inline_html(each));
  return json;
}

// The number and the reasons are sent after the learner's prediction.
Json step_json(const course::Step& step, const lab::Lab& lab, const Wording& wording) {
  if (const auto* paragraphs = std::get_if<course::Paragraphs>(&step))
    return {{"text", paragraphs_json(*paragraphs)}};
  const auto& prediction = std::get<course::Prediction>(step);
  return {{"predict", inline_html(prediction.question)},
          {"label", course::prompt_for(prediction, wording)},
          {"source", wording.say(course::source_of(lab, prediction))}};
}

course::Prediction prediction_at(const course::Lesson& lesson, std::size_t step) {
  const auto* prediction = step < lesson.size() ? std::get_if<course::Prediction>(&lesson[step]) : nullptr;
  if (!prediction) throw usage_error(msg::serve_step_unknown(step));
  return *prediction;
}

Json outcome_json(const std::string& answer, double value, const course::Prediction& prediction,
                  const Wording& wording) {
  const auto guess = course::guess_in(answer, prediction);
  if (!guess) throw usage_error(msg::answer_with_number());
  return {{"guessed", guess->number.has_value()},
          {"right", course::is_right(*guess, value, prediction)},
          {"sentence", course::comparison(*guess, value, prediction, wording)},
          {"why", paragraphs_json(prediction.why)}};
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

// ---- lessons -------------------------------------------------------------------------------------------

Response Workbook::lesson(const Call& call) {
  const lab::Lab& of = lab(call);
  const Wording& wording = call.language.wording;
  Json steps = Json::array();
  for (const course::Step& step : lesson_of(of, wording)) steps.push_back(step_json(step, of, wording));
  return json_response({{"name", of.name},
                        {"title", wording.text(of.title)},
                        {"teaches", wording.text(of.teaches)},
                        {"steps", steps}});
}

// A recorded number is compared at once. Any other comes from a job that runs the lab.
Response Workbook::predict(const Call& call) {
  const lab::Lab& of = lab(call);
  const Wording& wording = call.language.wording;
  const std::size_t step = call.body.at("step");
  const auto given = call.body.at("answer").get<std::string>();
  const std::string answer(trimmed(given));
  const course::Prediction prediction = prediction_at(lesson_of(of, wording), step);
  if (!course::guess_in(answer, prediction)) throw usage_error(msg::answer_with_number());
  if (!prediction.kept.empty()) {
    const double value = course::measured(of, prediction, lab::labs_directory().parent_path() / "expected");
    return json_response({{"prediction", outcome_json(answer, value, prediction, wording)}});
  }
  JobOrder order;
  order.words = course::command_words(of, prediction);
  order.words.push_back(fmt::format("--json={}", kDocument));
  order.results = {kDocument};
  return begin_job(order, {{"kind", "predict"}, {"lab", of.name}, {"step", step}, {"answer", answer}}, false,
                   wording);
}

Json Workbook::prediction_from(const JobEnd& end, const Json& order, const Wording& wording) const {
  const lab::Lab& of = *lab::find_lab(order.at("lab").get<std::string>());
  const course::Prediction prediction = prediction_at(lesson_of(of, wording), order.at("step"));
  const auto written = end.results.find(kDocument);
  const std::string document = written == end.results.end() ? "" : written->second;
  const double value = course::number_in(nlohmann::json::parse(document, nullptr, false), of, prediction);
  return outcome_json(order.at("answer"), value, prediction, wording);
}

}  // namespace cudalab::serve
