// Cuts a text at each of one character: its lines, or a list with commas.
#pragma once

#include <string_view>
#include <vector>

namespace cudalab {

// Takes the first line off a text, without its end.
std::string_view take_line(std::string_view& text);

// The pieces between separators. Behind the last separator nothing begins: "a\nb\n" has two lines, and ""
// none.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace cudalab
