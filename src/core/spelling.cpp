// Computes the edit distance by dynamic programming, with three rows for adjacent swaps.
#include "core/spelling.h"

#include <algorithm>

namespace cudalab {
namespace {

constexpr std::size_t kLongestWord = 64;  // names are shorter, so a longer word is near none

using Row = std::vector<std::size_t>;

std::size_t cheapest(std::string_view from, std::string_view to, std::size_t i, std::size_t j,
                     const Row& two_up, const Row& up, const Row& row) {
  std::size_t cost = std::min({up[j] + 1, row[j - 1] + 1, up[j - 1] + (from[i - 1] != to[j - 1])});
  bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
  return swapped ? std::min(cost, two_up[j - 2] + 1) : cost;
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  Row two_up(to.size() + 1), up(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    two_up.swap(up);
    up.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) row[j] = cheapest(from, to, i, j, two_up, up, row);
  }
  return row.back();
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  if (word.size() > kLongestWord) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    std::size_t distance = word.size() >= 3 && name.starts_with(word) ? 1 : edit_distance(word, name);
    if (distance < best_distance) best = name, best_distance = distance;
  }
  return best;
}

}  // namespace cudalab
