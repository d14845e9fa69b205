// A talk with a learner: what is said, and what is answered, whoever is at the other end.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/languages/wording.h"

namespace cudalab::course {

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
std::string describe(const Score& score, const Wording& wording);

}  // namespace cudalab::course
