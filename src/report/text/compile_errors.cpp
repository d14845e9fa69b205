// Formats compile errors with their source lines.
#include "report/text/compile_errors.h"

#include <fmt/format.h>

#include "core/text.h"
#include "messages/compile.h"
#include "report/text/layout.h"

namespace cudalab::report {
namespace {

constexpr std::size_t kWidest = 160;       // columns of a source line if no width is given
constexpr std::size_t kNumberColumns = 9;  // "    12 | "

std::string source_line(const compile::Diagnosis& error, std::size_t indent, std::size_t width) {
  const std::string_view text = error.source_text;
  if (trimmed(text).empty()) return "";
  const std::size_t before = indent + kNumberColumns;
  const std::size_t most = width > before ? width - before : kWidest;
  return fmt::format("{:{}}{:>6} | {}\n", "", indent, error.where.line, harmless_line(text, most));
}

std::string sentence(const std::string& text, std::size_t indent, std::size_t width) {
  return width > 0 ? wrap(text, width, indent) + "\n" : fmt::format("{:{}}{}\n", "", indent, text);
}

}  // namespace

std::string compile_errors_text(const compile::Diagnosis& first, std::size_t indent, std::size_t width,
                                const Wording& wording) {
  std::string text = source_line(first, indent, width);
  if (first.is_cause && !first.others.empty())
    text += sentence(wording.say(msg::errors_may_follow()), indent, width);
  for (const compile::Diagnosis& other : first.others) {
    text += sentence(harmless_line(wording.say(other.message())), indent, width);
    text += source_line(other, indent, width);
  }
  if (first.more > 0) text += sentence(wording.say(msg::more_errors(first.more)), indent, width);
  return text;
}

}  // namespace cudalab::report
