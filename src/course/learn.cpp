// Reads the steps of a walk, and conducts the walk with the learner.
#include "course/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/files.h"
#include "core/languages/units.h"
#include "core/text.h"
#include "course/cases/ranges.h"
#include "course/criterion.h"
#include "messages/course.h"
#include "messages/lab.h"
#include "report/text/layout.h"
#include "report/text/values.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

// ---- reading -----------------------------------------------------------------------------------------

std::vector<std::pair<std::string, std::string>> options_from(const Json& text, const lab::Lab& lab,
                                                              const Message& place) {
  std::vector<std::pair<std::string, std::string>> options;
  lab::Options ranges(lab.options, false);
  for (const auto& [name, value] : text.items()) {
    options.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    at_place(place, [&] {
      ranges.set(name, lab::parse_option(option_of(lab, name, place), options.back().second));
    });
  }
  return options;
}

Prediction prediction_from(const Json& text, const lab::Lab& lab, const Message& place) {
  Prediction prediction;
  try {
    text.at("predict").get_to(prediction.question);
    text.at("stage").get_to(prediction.stage);
    text.at("value").get_to(prediction.value.text);
    text.at("why").get_to(prediction.why);
    prediction.unit = prediction.shown_unit = text.value("unit", "");
    prediction.per.text = text.value("per", "");
    prediction.kept = text.value("kept", "");
    prediction.tolerance = text.value("tolerance", 0.0);
  } catch (const Json::exception&) {
    throw usage_error(msg::at_place(place, msg::prediction_lacks_key()));
  }
  prediction.options = options_from(text.value("options", Json::object()), lab, place);
  if (std::find(lab.stages.begin(), lab.stages.end(), prediction.stage) == lab.stages.end())
    throw usage_error(msg::at_place(place, msg::lab_lacks_stage(lab.name, prediction.stage)));
  if (prediction.kept.empty())
    for (ValuePaths* paths : {&prediction.value, &prediction.per}) resolve(*paths, lab, place);
  return prediction;
}

Step step_from(const Json& text, const lab::Lab& lab, const Message& place) {
  if (text.is_object() && text.contains("predict")) return prediction_from(text, lab, place);
  try {
    return text.at("text").get<Paragraphs>();
  } catch (const Json::exception&) {
    throw usage_error(msg::at_place(place, msg::step_malformed()));
  }
}

// ---- the run -----------------------------------------------------------------------------------------

lab::Result run_of(const lab::Lab& lab, const Prediction& prediction) {
  lab::RunRequest request;
  request.settings.device = device::DeviceChoice::kVirtual;
  request.stages = {prediction.stage};
  for (const auto& [name, value] : prediction.options)
    request.options.emplace_back(name,
                                 lab::parse_option(option_of(lab, name, Message::verbatim("learn")), value));
  return lab::run_lab(lab, request);
}

// kNotAssessed if there is no number or the run did not pass.
Assessment number_in_run(const Criterion& number, const lab::Lab& lab, const Prediction& prediction) {
  const lab::Result result = run_of(lab, prediction);
  const auto kernel = std::ranges::find_if_not(result.rows, lab::is_cpu);
  const bool passed = kernel != result.rows.end() && kernel->verdict == lab::Verdict::kPass;
  return passed ? assess(number, *kernel, result.options) : Assessment{};
}

// kNotAssessed if no run is wanted or the first one that is did not pass.
Assessment number_in_document(const Criterion& number, const Json& document,
                              const std::function<bool(const Json& run)>& is_wanted) {
  if (document.is_object() && document.contains("runs"))
    for (const Json& run : document["runs"])
      if (is_wanted(run)) return run.value("verdict", "") == "pass" ? assess(number, run) : Assessment{};
  return {};
}

Assessment number_in_kept_run(const Criterion& number, const std::filesystem::path& expected,
                              const Prediction& prediction) {
  const std::string text = read_text(expected / "h200" / (prediction.kept + ".json"));
  return number_in_document(number, Json::parse(text, nullptr, false),
                            [&](const Json& run) { return run.value("name", "") == prediction.stage; });
}

// A criterion that every number meets.
Criterion criterion_of(const Prediction& prediction) {
  return {.name = prediction.question,
          .value = prediction.value,
          .per = prediction.per,
          .comparison = Comparison::kAtLeast,
          .bound = 0};
}

double required(const Assessment& found, const lab::Lab& lab, const Prediction& prediction) {
  if (found.value) return *found.value;
  throw unavailable_error(msg::prediction_without_value(source_of(lab, prediction), prediction.value.text));
}

// ---- the dialogue --------------------------------------------------------------------------------------

constexpr std::string_view kDoNotKnow = "?";

std::string with_unit(double number, const std::string& unit) {
  std::string text = report::significant(number, 4);
  return unit.empty() ? text : text + " " + unit;
}

void say_all(const Dialogue& dialogue, const Paragraphs& paragraphs) {
  for (const std::string& paragraph : paragraphs) {
    dialogue.say("\n");
    say_paragraph(dialogue, paragraph);
  }
}

// Returns false if there are no more answers.
bool take(const lab::Lab& lab, const Prediction& prediction, const Dialogue& dialogue, Score& score,
          const std::function<double(const Prediction&)>& measure) {
  dialogue.say("\n");
  const Wording& wording = dialogue.wording;
  say_paragraph(dialogue, wording.say(msg::predict(prediction.question)));
  const auto guess =
      ask_for<Guess>(dialogue, prompt_for(prediction, wording) + " ", wording.say(msg::answer_with_number()),
                     [&](std::string_view answer) { return guess_in(answer, prediction); });
  if (!guess) return false;
  dialogue.say(fmt::format("\n{}\n\n",
                           report::wrap_command(wording.say(source_of(lab, prediction)), dialogue.width, 4)));
  const double value = measure(prediction);
  ++score.answered;
  score.right += is_right(*guess, value, prediction) ? 1 : 0;
  say_paragraph(dialogue, comparison(*guess, value, prediction, wording));
  say_all(dialogue, prediction.why);
  return true;
}

int predictions_in(const Lesson& lesson) {
  return static_cast<int>(std::count_if(lesson.begin(), lesson.end(), [](const Step& step) {
    return std::holds_alternative<Prediction>(step);
  }));
}

}  // namespace

Lesson lesson_from(const Json& text, const lab::Lab& lab, const Message& place) {
  if (!text.is_array() || text.empty()) throw usage_error(msg::at_place(place, msg::walk_no_list()));
  Lesson lesson;
  for (const Json& step : text)
    lesson.push_back(step_from(step, lab, msg::step_of(place, lesson.size() + 1)));
  return lesson;
}

Lesson load_lesson(const std::filesystem::path& labs, const lab::Lab& lab) {
  const Json text = Json::parse(read_text(labs / lab.name / "learn.json"), nullptr, false);
  return lesson_from(text, lab, Message::verbatim(fmt::format("labs/{}/learn.json", lab.name)));
}

std::string command_of(const lab::Lab& lab, const Prediction& prediction) {
  std::string command = fmt::format("cudalab {} --stage {}", lab.name, prediction.stage);
  for (const auto& [name, value] : prediction.options)
    command += fmt::format(" --{}={}", name, shell_word(value));
  return command;
}

std::vector<std::string> command_words(const lab::Lab& lab, const Prediction& prediction) {
  std::vector<std::string> words{lab.name, "--stage", prediction.stage, "--device", "virtual"};
  for (const auto& [name, value] : prediction.options) words.push_back(fmt::format("--{}={}", name, value));
  return words;
}

Message source_of(const lab::Lab& lab, const Prediction& prediction) {
  if (prediction.kept.empty()) return Message::verbatim(command_of(lab, prediction));
  return msg::source_kept_row(prediction.kept, prediction.stage);
}

double measured(const lab::Lab& lab, const Prediction& prediction, const std::filesystem::path& expected) {
  const Criterion number = criterion_of(prediction);
  return required(prediction.kept.empty() ? number_in_run(number, lab, prediction)
                                          : number_in_kept_run(number, expected, prediction),
                  lab, prediction);
}

double number_in(const Json& document, const lab::Lab& lab, const Prediction& prediction) {
  const auto is_kernel = [](const Json& run) {
    return run.value("kind", "") != report::name_of(lab::RowKind::kCpu);
  };
  return required(number_in_document(criterion_of(prediction), document, is_kernel), lab, prediction);
}

std::string prompt_for(const Prediction& prediction, const Wording& wording) {
  const std::string& unit = prediction.shown_unit;
  return wording.say(unit.empty() ? msg::ask_prediction() : msg::ask_prediction_in(unit));
}

std::optional<Guess> guess_in(std::string_view answer, const Prediction& prediction) {
  if (answer == kDoNotKnow) return Guess{};
  double number = 0;
  const auto [end, failed] = std::from_chars(answer.data(), answer.data() + answer.size(), number);
  if (failed != std::errc{} || !std::isfinite(number)) return std::nullopt;
  std::string_view rest = answer.substr(static_cast<std::size_t>(end - answer.data()));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.empty() && rest != prediction.unit && rest != prediction.shown_unit) return std::nullopt;
  return Guess{number};
}

bool is_right(const Guess& guess, double value, const Prediction& prediction) {
  return guess.number && std::fabs(*guess.number - value) <= prediction.tolerance * std::fabs(value);
}

std::string comparison(const Guess& guess, double value, const Prediction& prediction,
                       const Wording& wording) {
  const std::string shown = with_unit(value, prediction.shown_unit);
  const bool is_run = prediction.kept.empty();
  if (!guess.number) return wording.say(is_run ? msg::run_says(shown) : msg::h200_says(shown));
  const std::string said = with_unit(*guess.number, prediction.shown_unit);
  const bool right = is_right(guess, value, prediction);
  return joined_sentences(
      {wording.say(is_run ? msg::guess_and_run(said, shown) : msg::guess_and_h200(said, shown)),
       wording.say(right ? msg::guess_right() : msg::guess_wrong())});
}

LessonScore walk(const lab::Lab& lab, const Lesson& lesson, const Quiz& quiz, const Dialogue& dialogue,
                 const std::function<double(const Prediction&)>& measure) {
  LessonScore score{.predictions = {.of = predictions_in(lesson)},
                    .quiz = {.of = static_cast<int>(quiz.size())}};
  const Wording& wording = dialogue.wording;
  dialogue.say(fmt::format("{}: {}\n", wording.text(lab.title), wording.text(lab.teaches)));
  for (const Step& step : lesson) {
    if (const auto* paragraphs = std::get_if<Paragraphs>(&step))
      say_all(dialogue, *paragraphs);
    else if (!take(lab, std::get<Prediction>(step), dialogue, score.predictions, measure))
      break;
  }
  dialogue.say(fmt::format("\n{}\n", wording.say(msg::predictions_score(describe(score.predictions)))));
  if (!score.predictions.is_complete()) return score;
  dialogue.say(fmt::format("\n{}\n", wording.say(msg::quiz_of_questions(quiz.size()))));
  score.quiz = ask(quiz, dialogue);
  return score;
}

}  // namespace cudalab::course
