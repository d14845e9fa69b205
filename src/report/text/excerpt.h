// The source lines around a place, as every screen shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cudalab::report {

// The line with its neighbours, and a mark at it. `title`, if not empty, is a line above them. Empty if the
// source has no such line. Ends with a newline.
std::string source_excerpt(int line, std::string_view source, std::size_t indent, bool colour,
                           std::string_view title = {});

// The answer of a search for a line: a blank line, the sentence, and the source around the line.
std::string sentence_at_line(const std::string& sentence, int line, std::string_view source,
                             std::size_t width, bool colour);

}  // namespace cudalab::report
