// Describes an edit of a kernel in code that a reader recognizes: before and after.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "course/repair/edits.h"

namespace cudalab::course {

// The smallest part of the line with balanced parentheses that contains the first replacement, before and
// after: `i <= n` and `i < n` of `for (int i = 0; i <= n; ++i)`. If that part occurs twice in the line, the
// whole line. `after` is empty for a removed statement. For an added statement, `before` is the code that it
// follows.
struct EditInWords {
  std::string before, after;
  bool is_added = false;
};
EditInWords edit_in_words(std::string_view source, const Edit& edit);

// The number of the line that contains this byte, from 1.
int line_at(std::string_view source, std::size_t byte);

}  // namespace cudalab::course
