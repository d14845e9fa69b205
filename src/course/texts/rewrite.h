// Applies a function to every text of the course that a learner reads. Translating the texts and collecting
// them for translators both use this.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "course/exercise.h"
#include "course/learn.h"
#include "course/questions.h"

namespace cudalab::course {

using Rewrite = std::function<std::string(std::string_view)>;

void rewrite(Quiz& quiz, const Rewrite& by);
void rewrite(Lesson& lesson, const Rewrite& by);
void rewrite(std::vector<AnsweredQuestion>& answers, const Rewrite& by);
// Leaves the criteria's names unchanged, because checks identify a rejected kernel by them.
void rewrite(Exercise& exercise, const Rewrite& by);

// Rewrites a handout in Markdown: headings, paragraphs and items (wrapped at `width` columns), table cells,
// and comments after # in commands. Drawings and code stay unchanged.
std::string rewritten_handout(std::string_view handout, const Rewrite& by, std::size_t width);

// Removes the lines <!-- … -->, which tell tests where numbers come from.
std::string without_markers(std::string_view handout);

// The handout for learners: translated, without markers.
std::string handout_in(const Wording& wording, std::string_view handout);

// The function that translates into this language.
Rewrite translation_by(const Wording& wording);

}  // namespace cudalab::course
