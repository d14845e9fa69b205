// Paragraphs and scores in words.
#include "course/dialogue.h"

#include <fmt/format.h>

#include "report/text/paragraph.h"

namespace cudalab::course {

void say_paragraph(const Dialogue& dialogue, std::string_view text, std::size_t indent) {
  dialogue.say(report::wrap(text, dialogue.width, indent) + "\n");
}

std::string describe(const Score& score) {
  std::string text = fmt::format("{} of {} right", score.right, score.of);
  if (!score.is_complete()) text += fmt::format(", {} not answered", score.of - score.answered);
  return text;
}

}  // namespace cudalab::course
