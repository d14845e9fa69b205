// Questions to a learner: the dialogue, a lab's quiz, and the questions of its handout with their answers.
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

// The functions through which a walk or a quiz talks to a learner, in a terminal or a test.

struct Dialogue {
  std::function<void(std::string_view text)> say;  // whole lines, with newlines
  // Returns the next answer; empty if there are no more.
  std::function<std::optional<std::string>(std::string_view prompt)> ask;
  // Rejects an answer as invalid. Returns if the learner can answer again; throws if the answers come from a
  // file.
  std::function<void(std::string_view why)> object;
  std::size_t width = 100;
  Wording wording{};  // for both directions
};

// Prints a paragraph, wrapped at the dialogue's width.
void say_paragraph(const Dialogue& dialogue, std::string_view text, std::size_t indent = 0);

// Asks until `read` accepts the answer; `read` returns an empty value for an invalid one. Returns an empty
// value if there are no more answers.
template <class Value>
std::optional<Value> ask_for(const Dialogue& dialogue, std::string_view prompt, std::string_view what_can_be,
                             const std::function<std::optional<Value>(std::string_view)>& read) {
  while (const auto answer = dialogue.ask(prompt)) {
    if (auto value = read(*answer)) return value;
    dialogue.object(what_can_be);
  }
  return std::nullopt;
}

struct Score {
  int right = 0, answered = 0, of = 0;
  bool is_complete() const { return answered == of; }
  bool is_perfect() const { return right == of; }
};

// "7 of 9 right", "2 of 9 right, 6 not answered"
Message describe(const Score& score);

// A lab's quiz, labs/LAB/quiz.json.

inline constexpr std::size_t kMostChoices = 26;  // one letter for each

struct Question {
  std::string question;
  std::vector<std::string> choices;  // at least two
  std::size_t answer = 0;            // index of the correct choice
  std::string why;
};
using Quiz = std::vector<Question>;

// Throws Error(kUsage) that names `place`, the question and the key.
Quiz quiz_from(const nlohmann::json& text, const Message& place);

// Loads the quiz of a lab from its folder under `labs`.
Quiz load_quiz(const std::filesystem::path& labs, const std::string& lab);

// The same questions with shuffled choices; seed 0 keeps the order.
Quiz shuffled(Quiz quiz, std::uint64_t seed);

// Asks all questions, explains the right answer after each, and prints the score at the end. Stops when there
// are no more answers.
Score ask(const Quiz& quiz, const Dialogue& dialogue);

// The questions at the end of a lab's handout, with their answers from labs/LAB/answers.json.

struct AnsweredQuestion {
  std::size_t number = 0;  // in the handout, from 1
  std::string question, answer;
};

// The numbered items under "## Questions", each joined to one line.
std::vector<std::string> questions_in(std::string_view handout);

// Loads questions and answers of a lab from its folder under `labs`. Throws Error(kUsage) that names the file
// if their numbers differ.
std::vector<AnsweredQuestion> load_answers(const std::filesystem::path& labs, const std::string& lab);

void print_answers(std::span<const AnsweredQuestion> answers, const Dialogue& dialogue);

// Lets the learner try each question before it shows the answer. Stops when there are no more tries.
void try_questions(std::span<const AnsweredQuestion> answers, const Dialogue& dialogue);

}  // namespace cudalab::course
