// A question has lettered choices; the answer is a letter, and every answer gets its reason.
#include "course/quiz.h"

#include <fmt/format.h>

#include <cctype>

#include "core/error.h"
#include "core/files.h"
#include "core/languages/units.h"
#include "lab/random.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

char letter_of(std::size_t choice) { return static_cast<char>('a' + choice); }

Question question_from(const Json& text, const std::string& place) {
  Question question;
  try {
    text.at("question").get_to(question.question);
    text.at("choices").get_to(question.choices);
    text.at("answer").get_to(question.answer);
    text.at("why").get_to(question.why);
  } catch (const Json::exception&) {
    throw usage_error("{}: a question needs \"question\", \"choices\", \"answer\" and \"why\"", place);
  }
  const std::size_t count = question.choices.size();
  if (count < 2 || count > kMostChoices)
    throw usage_error("{}: a question has 2 to {} choices, not {}", place, kMostChoices, count);
  if (question.answer >= count)
    throw usage_error("{}: \"answer\" is {}, and the choices are 0 to {}", place, question.answer, count - 1);
  return question;
}

// "b", "B", "b)" or "b."; nothing for anything else.
std::optional<std::size_t> choice_in(std::string_view answer, std::size_t count) {
  if (answer.empty() || answer.size() > 2) return std::nullopt;
  if (answer.size() == 2 && answer[1] != ')' && answer[1] != '.') return std::nullopt;
  const int letter = std::tolower(static_cast<unsigned char>(answer[0]));
  if (letter < 'a' || letter >= letter_of(count)) return std::nullopt;
  return static_cast<std::size_t>(letter - 'a');
}

// Its lines hang below each other: the number and the letters stand alone at the left.
void say_question(const Question& question, std::size_t number, std::size_t of, const Dialogue& dialogue) {
  dialogue.say("\n");
  say_paragraph(dialogue, dialogue.wording.say<"{} of {}: {}">(number, of, question.question));
  for (std::size_t choice = 0; choice < question.choices.size(); ++choice)
    say_paragraph(dialogue, fmt::format("{}) {}", letter_of(choice), question.choices[choice]), 4);
}

}  // namespace

Quiz quiz_from(const Json& text, std::string_view place) {
  if (!text.is_array() || text.empty()) throw usage_error("{}: a quiz is a list of questions", place);
  Quiz quiz;
  for (const Json& question : text)
    quiz.push_back(question_from(question, fmt::format("{}: question {}", place, quiz.size() + 1)));
  return quiz;
}

Quiz load_quiz(const std::filesystem::path& labs, const std::string& lab) {
  const Json text = Json::parse(read_text(labs / lab / "quiz.json"), nullptr, false);
  return quiz_from(text, fmt::format("labs/{}/quiz.json", lab));
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
        ask_for<std::size_t>(dialogue, wording.say<"Your answer:">() + " ",
                             wording.say<"answer with one letter, a to {}">(letter_of(count - 1)),
                             [count](std::string_view answer) { return choice_in(answer, count); });
    if (!given) break;
    const bool is_right = *given == question.answer;
    ++score.answered;
    score.right += is_right ? 1 : 0;
    say_paragraph(dialogue, joined_sentences({is_right ? wording.say<"Right.">()
                                                       : wording.say<"No: {}.">(letter_of(question.answer)),
                                              question.why}));
  }
  dialogue.say(fmt::format("\n{}\n", wording.say<"Quiz: {}.">(describe(score, wording))));
  return score;
}

}  // namespace cudalab::course
