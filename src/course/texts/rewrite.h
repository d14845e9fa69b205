// Every text of the course that a learner reads, given to a function and replaced by what it returns: how
// texts are translated, and how translators get to know them.
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
// Not the names of its criteria, by which it is told what rejects a kernel.
void rewrite(Exercise& exercise, const Rewrite& by);

// A handout, in Markdown: headings, paragraphs and items (in lines of `width` columns), cells of tables, and
// what stands behind # in commands. Drawings and code stay.
std::string rewritten_handout(std::string_view handout, const Rewrite& by, std::size_t width);

// Without its lines <!-- … -->, which say to tests where numbers are from.
std::string without_markers(std::string_view handout);

// For learners, in their language: without markers.
std::string handout_in(const Wording& wording, std::string_view handout);

// By that language.
Rewrite translation_by(const Wording& wording);

}  // namespace cudalab::course
