// Near-miss names: how far apart two words are, and which known name a misspelled word means.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab {

// The number of characters to insert, remove, replace or exchange with their neighbour.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The name that a misspelled word most likely means, at most a third of its letters away; empty if none is.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace cudalab
