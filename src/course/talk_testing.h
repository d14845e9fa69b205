// A simulated learner for tests: gives prepared answers, and records the dialogue.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "course/questions.h"

namespace cudalab::course {

struct Talk {
  std::deque<std::string> answers;
  std::string said = {};
  std::vector<std::string> objections = {};

  Dialogue dialogue() {
    return {.say = [this](std::string_view text) { said += text; },
            .ask = [this](std::string_view prompt) -> std::optional<std::string> {
              said += prompt;
              if (answers.empty()) return std::nullopt;
              std::string answer = answers.front();
              answers.pop_front();
              said += "<" + answer + ">\n";
              return answer;
            },
            .object = [this](std::string_view why) { objections.emplace_back(why); },
            .wording = Wording::of_ids()};
  }
};

}  // namespace cudalab::course
