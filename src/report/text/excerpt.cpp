// Shows the source lines around a place.
#include "report/text/excerpt.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "report/text/layout.h"

namespace cudalab::report {
namespace {

constexpr int kLinesAround = 1;

}  // namespace

std::string source_excerpt(int line, std::string_view source, std::size_t indent, bool colour,
                           std::string_view title) {
  const auto lines = split(source, '\n');
  const int last = static_cast<int>(lines.size());
  if (line < 1 || line > last) return {};
  std::string text = title.empty() ? "" : fmt::format("{:{}}{}\n", "", indent, title);
  for (int near = std::max(1, line - kLinesAround); near <= std::min(last, line + kLinesAround); ++near) {
    const bool is_it = near == line;
    std::string shown = fmt::format("{:{}}{} {:>4} | {}", "", indent, is_it ? '>' : ' ', near,
                                    harmless_lines(lines[static_cast<std::size_t>(near) - 1]));
    shown.erase(shown.find_last_not_of(' ') + 1);
    text += inked(shown, is_it ? Ink::kPlain : Ink::kFaint, colour) + "\n";
  }
  return text;
}

std::string sentence_at_line(const std::string& sentence, int line, std::string_view source,
                             std::size_t width, bool colour) {
  constexpr std::size_t kIndent = 4;
  return "\n" + wrap(sentence + ".", width, 0) + "\n" + source_excerpt(line, source, kIndent, colour);
}

}  // namespace cudalab::report
