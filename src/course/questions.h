// The questions at the end of a lab's handout, and their answers with reasons, labs/LAB/answers.json.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "course/dialogue.h"

namespace cudalab::course {

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
