// Single quotes, within which a shell looks for nothing but the next one.
#include "core/words/shell_word.h"

#include <algorithm>

#include "core/text.h"

namespace cudalab {
namespace {

constexpr std::string_view kPlain = "-_./:+,=@%";  // to a shell, besides letters and digits

bool is_plain(char c) { return is_word(c) || kPlain.find(c) != std::string_view::npos; }

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace cudalab
