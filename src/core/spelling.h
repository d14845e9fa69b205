// Suggestions for misspelled names: the edit distance between two words, and the known name nearest to a
// word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab {

// The minimum number of characters to insert, remove, replace or swap with their neighbour.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The name nearest to a misspelled word of n letters, at an edit distance of at most max(1, n / 3); empty if
// there is none. A name that begins with a word of three or more letters counts as distance 1.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace cudalab
