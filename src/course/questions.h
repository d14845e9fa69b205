// Questions to a learner: the dialogue, the quiz of a lab, and the questions of its handout with their
// answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"

namespace cudalab::course {

// A talk with a learner: what is said, and what is answered, whoever is at the other end.

struct Dialogue {
  std::function<void(std::string_view text)> say;  // whole lines, with their ends
  // The next answer. Nothing where there are no more.
  std::function<std::optional<std::string>(std::string_view prompt)> ask;
  // That answer cannot be. Returns where it can be given once more; throws where nobody is there to do so.
  std::function<void(std::string_view why)> object;
  std::size_t width = 100;
  Wording wording{};  // the language of both
};

// `say`s a paragraph in lines of the dialogue's width.
void say_paragraph(const Dialogue& dialogue, std::string_view text, std::size_t indent = 0);

// Asks until `read` makes something of the answer; `read` returns nothing for an answer that cannot be.
// Nothing where there are no more answers.
template <class Value>
std::optional<Value> ask_for(const Dialogue& dialogue, std::string_view prompt, std::string_view what_can_be,
                             const std::function<std::optional<Value>(std::string_view)>& read) {
  while (const auto answer = dialogue.ask(prompt)) {
    if (auto value = read(*answer)) return value;
    dialogue.object(what_can_be);
  }
  return std::nullopt;
}

// How many of how many were right.
struct Score {
  int right = 0, answered = 0, of = 0;
  bool is_complete() const { return answered == of; }
  bool is_perfect() const { return right == of; }
};

// "7 of 9 right", "2 of 9 right, 6 not answered"
Message describe(const Score& score);

// The questions of a lab, labs/LAB/quiz.json: reading them, and asking them one by one.

inline constexpr std::size_t kMostChoices = 26;  // one letter each

struct Question {
  std::string question;
  std::vector<std::string> choices;  // two at least
  std::size_t answer = 0;            // which choice is right, from 0
  std::string why;
};
using Quiz = std::vector<Question>;

// Throws Error(kUsage) that names `place`, the question and the key.
Quiz quiz_from(const nlohmann::json& text, const Message& place);

// Of a lab's folder below `labs`.
Quiz load_quiz(const std::filesystem::path& labs, const std::string& lab);

// The same questions with the choices of each in an order that the seed decides; 0 leaves them as they are.
Quiz shuffled(Quiz quiz, std::uint64_t seed);

// Asks all questions, says after each what is right and why, and at the end the score. Stops where the
// answers do.
Score ask(const Quiz& quiz, const Dialogue& dialogue);

// The questions at the end of a lab's handout, and their answers with reasons, labs/LAB/answers.json.

struct AnsweredQuestion {
  std::size_t number = 0;  // in the handout, from 1
  std::string question, answer;
};

// The numbered items below "## Questions", each in one line.
std::vector<std::string> questions_in(std::string_view handout);

// Of a lab's folder below `labs`. Throws Error(kUsage) that names the file where there is not one answer for
// each question.
std::vector<AnsweredQuestion> load_answers(const std::filesystem::path& labs, const std::string& lab);

void print_answers(std::span<const AnsweredQuestion> answers, const Dialogue& dialogue);

// Lets the learner try each question before its answer is shown. Stops where the tries do.
void try_questions(std::span<const AnsweredQuestion> answers, const Dialogue& dialogue);

}  // namespace cudalab::course
