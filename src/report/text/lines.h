// A kernel's source, with the cost of the memory accesses of each line beside it.
#pragma once

#include <string>
#include <string_view>

#include "core/languages/wording.h"
#include "lab/result.h"

namespace cudalab::report {

struct LinesStyle {
  bool colour = false;
  Wording wording{};  // the reader's language
};

// The lines first_line to last_line of `source`, and every other line of the row's file that accesses memory.
// If the range is unknown (0), two lines around each access. Lines with wasted transactions are ranked, the
// worst first. If nothing was counted, a sentence. Ends with a line end.
std::string lines_text(const lab::Row& row, std::string_view source, int first_line, int last_line,
                       const LinesStyle& style);

}  // namespace cudalab::report
