// Takes the questions out of a handout, and shows them with their answers.
#include "course/questions.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/words/split.h"
#include "course/texts/rewrite.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kHeading = "## Questions";

// Where the text of "12. Why …" begins; 0 where the line begins no item.
std::size_t text_of_item(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && std::isdigit(static_cast<unsigned char>(line[at]))) ++at;
  return at > 0 && line.substr(at, 2) == ". " ? at + 2 : 0;
}

std::string_view without_indent(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

void say_question(const AnsweredQuestion& one, const Dialogue& dialogue) {
  dialogue.say("\n");
  say_paragraph(dialogue, fmt::format("{}. {}", one.number, one.question), 3);
}

void say_answer(const AnsweredQuestion& one, const Dialogue& dialogue) {
  say_paragraph(dialogue, fmt::format("-> {}", one.answer), 3);
}

}  // namespace

std::vector<std::string> questions_in(std::string_view handout) {
  std::vector<std::string> questions;
  const std::string text = without_markers(handout);
  bool is_within = false;
  for (const std::string_view each : split(text, '\n')) {
    const std::string line(each);
    if (line.starts_with("## ")) is_within = line == kHeading;
    if (!is_within || line.starts_with("## ") || line.empty()) continue;
    if (const std::size_t at = text_of_item(line))
      questions.push_back(line.substr(at));
    else if (!questions.empty())
      questions.back() += fmt::format(" {}", without_indent(line));
  }
  return questions;
}

std::vector<AnsweredQuestion> load_answers(const std::filesystem::path& labs, const std::string& lab) {
  const std::vector<std::string> questions = questions_in(read_text(labs / lab / "README.md"));
  const Json text = Json::parse(read_text(labs / lab / "answers.json"), nullptr, false);
  std::vector<std::string> answers;
  try {
    for (const Json& answer : text.get<std::vector<Json>>())
      answers.push_back((answer.is_object() ? answer.at("answer") : answer).get<std::string>());
  } catch (const Json::exception&) {
    throw usage_error(
        "labs/{}/answers.json: a list of texts is expected, one for each question, or of {{\"answer\": "
        "TEXT}}",
        lab);
  }
  if (answers.size() != questions.size())
    throw usage_error("labs/{}/answers.json: it has {} answers, and README.md asks {} questions", lab,
                      answers.size(), questions.size());
  std::vector<AnsweredQuestion> all;
  for (std::size_t i = 0; i < questions.size(); ++i) all.push_back({i + 1, questions[i], answers[i]});
  return all;
}

void print_answers(std::span<const AnsweredQuestion> answers, const Dialogue& dialogue) {
  for (const AnsweredQuestion& one : answers) {
    say_question(one, dialogue);
    say_answer(one, dialogue);
  }
}

void try_questions(std::span<const AnsweredQuestion> answers, const Dialogue& dialogue) {
  for (const AnsweredQuestion& one : answers) {
    say_question(one, dialogue);
    if (!dialogue.ask(fmt::format("   {} ", dialogue.wording.say<"Your answer, or ? :">()))) return;
    say_answer(one, dialogue);
  }
}

}  // namespace cudalab::course
