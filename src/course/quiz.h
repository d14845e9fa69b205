// The questions of a lab, labs/LAB/quiz.json: reading them, and asking them one by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "course/dialogue.h"

namespace cudalab::course {

inline constexpr std::size_t kMostChoices = 26;  // one letter each

struct Question {
  std::string question;
  std::vector<std::string> choices;  // two at least
  std::size_t answer = 0;            // which choice is right, from 0
  std::string why;
};
using Quiz = std::vector<Question>;

// Throws Error(kUsage) that names `place`, the question and the key.
Quiz quiz_from(const nlohmann::json& text, std::string_view place);

// Of a lab's folder below `labs`.
Quiz load_quiz(const std::filesystem::path& labs, const std::string& lab);

// The same questions with the choices of each in an order that the seed decides; 0 leaves them as they are.
Quiz shuffled(Quiz quiz, std::uint64_t seed);

// Asks all questions, says after each what is right and why, and at the end the score. Stops where the
// answers do.
Score ask(const Quiz& quiz, const Dialogue& dialogue);

}  // namespace cudalab::course
