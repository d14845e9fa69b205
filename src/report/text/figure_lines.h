// The lines of a lab's figure in the learner's language: cells of a table are translated, and its columns
// made as wide as they need to be then.
#pragma once

#include <string>
#include <vector>

#include "core/languages/wording.h"

namespace cudalab::report {

// Cells are parted by two blanks at least; from a | on, a line is a drawing and stays. Lines of which nothing
// is translated stay as they are.
std::vector<std::string> figure_lines(const std::vector<std::string>& lines, const Wording& wording);

}  // namespace cudalab::report
