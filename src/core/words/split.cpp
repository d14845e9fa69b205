// One cut, wherever it is wanted.
#include "core/words/split.h"

#include <algorithm>

namespace cudalab {
namespace {

std::string_view take_piece(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

}  // namespace

std::string_view take_line(std::string_view& text) { return take_piece(text, '\n'); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) pieces.push_back(take_piece(text, separator));
  return pieces;
}

}  // namespace cudalab
