// Paragraphs and scores in words.
#include "course/dialogue.h"

#include "report/text/paragraph.h"

namespace cudalab::course {

void say_paragraph(const Dialogue& dialogue, std::string_view text, std::size_t indent) {
  dialogue.say(report::wrap(text, dialogue.width, indent) + "\n");
}

std::string describe(const Score& score, const Wording& wording) {
  if (score.is_complete()) return wording.say<"{} of {} right">(score.right, score.of);
  return wording.say<"{} of {} right, {} not answered">(score.right, score.of, score.of - score.answered);
}

}  // namespace cudalab::course
