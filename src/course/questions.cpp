// Questions to a learner: the dialogue, the quiz of a lab, and the questions of its handout with their
// answers.
#include "course/questions.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/languages/units.h"
#include "core/text.h"
#include "course/texts/rewrite.h"
#include "lab/random.h"
#include "messages/course.h"
#include "messages/lab.h"
#include "report/text/layout.h"

namespace cudalab::course {

void say_paragraph(const Dialogue& dialogue, std::string_view text, std::size_t indent) {
  dialogue.say(report::wrap(text, dialogue.width, indent) + "\n");
}

Message describe(const Score& score) {
  if (score.is_complete()) return msg::score_complete(score.right, score.of);
  return msg::score_partial(score.right, score.of, score.of - score.answered);
}

namespace {

using Json = nlohmann::json;

std::string letter_of(std::size_t choice) { return {static_cast<char>('a' + choice)}; }

Question question_from(const Json& text, const Message& place) {
  Question question;
  try {
    text.at("question").get_to(question.question);
    text.at("choices").get_to(question.choices);
    text.at("answer").get_to(question.answer);
    text.at("why").get_to(question.why);
  } catch (const Json::exception&) {
    throw usage_error(msg::at_place(place, msg::quiz_question_lacks_key()));
  }
  const std::size_t count = question.choices.size();
  if (count < 2 || count > kMostChoices)
    throw usage_error(msg::at_place(place, msg::quiz_choices_wrong_count(kMostChoices, count)));
  if (question.answer >= count)
    throw usage_error(msg::at_place(place, msg::quiz_answer_out_of_range(question.answer, count - 1)));
  return question;
}

// Accepts "b", "B", "b)" and "b."; returns an empty value for anything else.
std::optional<std::size_t> choice_in(std::string_view answer, std::size_t count) {
  if (answer.empty() || answer.size() > 2) return std::nullopt;
  if (answer.size() == 2 && answer[1] != ')' && answer[1] != '.') return std::nullopt;
  const int letter = std::tolower(static_cast<unsigned char>(answer[0]));
  if (letter < 'a' || letter - 'a' >= static_cast<int>(count)) return std::nullopt;
  return static_cast<std::size_t>(letter - 'a');
}

// Prints a question with hanging indents, so numbers and letters stand out at the left.
void say_question(const Question& question, std::size_t number, std::size_t of, const Dialogue& dialogue) {
  dialogue.say("\n");
  say_paragraph(dialogue, dialogue.wording.say(msg::quiz_question(number, of, question.question)));
  for (std::size_t choice = 0; choice < question.choices.size(); ++choice)
    say_paragraph(dialogue, fmt::format("{}) {}", letter_of(choice), question.choices[choice]), 4);
}

}  // namespace

Quiz quiz_from(const Json& text, const Message& place) {
  if (!text.is_array() || text.empty()) throw usage_error(msg::at_place(place, msg::quiz_no_list()));
  Quiz quiz;
  for (const Json& question : text)
    quiz.push_back(question_from(question, msg::question_of(place, quiz.size() + 1)));
  return quiz;
}

Quiz load_quiz(const std::filesystem::path& labs, const std::string& lab) {
  const Json text = Json::parse(read_text(labs / lab / "quiz.json"), nullptr, false);
  return quiz_from(text, Message::verbatim(fmt::format("labs/{}/quiz.json", lab)));
}

Quiz shuffled(Quiz quiz, std::uint64_t seed) {
  if (seed == 0) return quiz;
  for (Question& question : quiz) {
    const std::uint64_t stream = lab::random_stream(seed, question.question);
    for (std::size_t left = question.choices.size(); left > 1; --left) {
      const std::size_t other = lab::random_bits(stream, left) % left;
      std::swap(question.choices[left - 1], question.choices[other]);
      if (question.answer == left - 1)
        question.answer = other;
      else if (question.answer == other)
        question.answer = left - 1;
    }
  }
  return quiz;
}

Score ask(const Quiz& quiz, const Dialogue& dialogue) {
  const Wording& wording = dialogue.wording;
  Score score{.of = static_cast<int>(quiz.size())};
  for (std::size_t i = 0; i < quiz.size(); ++i) {
    const Question& question = quiz[i];
    const std::size_t count = question.choices.size();
    say_question(question, i + 1, quiz.size(), dialogue);
    const auto given =
        ask_for<std::size_t>(dialogue, wording.say(msg::ask_answer()) + " ",
                             wording.say(msg::answer_with_letter(letter_of(count - 1))),
                             [count](std::string_view answer) { return choice_in(answer, count); });
    if (!given) break;
    const bool is_right = *given == question.answer;
    ++score.answered;
    score.right += is_right ? 1 : 0;
    say_paragraph(dialogue,
                  joined_sentences({is_right ? wording.say(msg::answer_right())
                                             : wording.say(msg::answer_wrong(letter_of(question.answer))),
                                    question.why}));
  }
  dialogue.say(fmt::format("\n{}\n", wording.say(msg::quiz_score(describe(score)))));
  return score;
}

namespace {

constexpr std::string_view kHeading = "## Questions";

// The offset of the text in "12. Why …"; 0 if the line is not an item.
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
    throw usage_error(msg::answers_no_list(lab));
  }
  if (answers.size() != questions.size())
    throw usage_error(msg::answers_wrong_count(lab, answers.size(), questions.size()));
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
    if (!dialogue.ask(fmt::format("   {} ", dialogue.wording.say(msg::ask_answer_or_skip())))) return;
    say_answer(one, dialogue);
  }
}

}  // namespace cudalab::course
