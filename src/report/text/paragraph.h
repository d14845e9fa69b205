// Breaks text into lines of a given width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cudalab::report {

// Lines of at most `width` columns, each after `indent` spaces; words are never broken. No line end at the
// end.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace cudalab::report
