// Finds the name that a mistyped word was probably meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::cli {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The nearest of the names, or an empty text where none is near (at most a third of the word may be wrong).
std::string nearest(std::string_view word, const std::vector<std::string>& names);

// "; did you mean `transpose`?", or an empty text.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace cudalab::cli
