// Translates a lab's figure: the cells of a table are translated, and its columns are widened as needed.
#pragma once

#include <string>
#include <vector>

#include "core/languages/wording.h"

namespace cudalab::report {

// At least two blanks separate cells. From a | on, a line is a drawing and stays unchanged. Lines without a
// translated cell stay unchanged, too.
std::vector<std::string> figure_lines(const std::vector<std::string>& lines, const Wording& wording);

}  // namespace cudalab::report
