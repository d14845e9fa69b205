// Shows an edit of a kernel to a reader: the code that changes, before and after.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "course/repair_edits.h"

namespace cudalab::course {

// The smallest part of a line that has both of its parentheses and holds the first replacement, as it is and
// as it will be: `i <= n` and `i < n` of `for (int i = 0; i <= n; ++i)`. The whole line if that part occurs
// in it twice. `after` is empty for a statement that is removed. A statement is added behind `before`.
struct EditInWords {
  std::string before, after;
  bool is_added = false;
};
EditInWords edit_in_words(std::string_view source, const Edit& edit);

// The number of the line that holds a byte of the source, from 1.
int line_at(std::string_view source, std::size_t byte);

}  // namespace cudalab::course
