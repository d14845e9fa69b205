// Looks for words that programs of courses and samples use. A line with a number is judged by the number.
#include "course/own_verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "compile/sources/source_parts.h"
#include "core/text.h"
#include "core/text_pattern.h"

namespace cudalab::course {
namespace {

constexpr std::size_t kLongestLine = 300, kMostRead = 1 << 18;  // of the output, in bytes

// "errors: 12", "max error = 1.5e-03", "difference is nan"
const TextPattern& number_of_errors() {
  static const TextPattern pattern(R"(\b(?:errors?|mismatch(?:es)?|diff(?:erence)?s?|deviation)\b)"
                                   R"([^0-9a-z+-]*(?:is |of |was )?[^0-9a-z+-]*)"
                                   R"(([-+]?(?:[0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?|nan|inf)))");
  return pattern;
}

// "3 errors", "12 elements differ", "check: 0 of 500 points with a wrong label"; not "row 0 is wrong", where
// the number belongs to the word before it.
const TextPattern& errors_after_number() {
  static const TextPattern pattern(
      R"((?:^|[^a-z0-9 .] *|\b(?:found|found only|had|has|have|got|with|were|was|are|is|there) ))"
      R"(([0-9]+)(?: ?(?:of|out of|/) ?[0-9]+)? (?:[a-z]+ ){0,5}?)"
      R"((?:errors?|mismatch(?:es)?|failures?|failed|wrong|incorrect|differ(?:s|ent|ences?)?)\b)"
      R"(|\b([0-9]+) (?:errors|mismatches|failures|failed)\b)");
  return pattern;
}

const TextPattern& said_plainly() {
  static const TextPattern pattern(
      R"(\b(?:fail(?:ed|s|ure)?|mismatch(?:es|ed)?|incorrect|wrong|do(?:es)? not match|don't match)\b)"
      R"(|\b(?:differs?|not (?:equal|correct)|unequal)\b)"
      R"(|^error\b)");
  return pattern;
}

// "correct: no"
const TextPattern& answered_with_no() {
  static const TextPattern pattern(
      R"(\b(?:correct|equal|identical|match(?:es)?|pass(?:ed)?|ok)\b *[:=?] *(?:no|false|0)\b)");
  return pattern;
}

// "no mismatches", "passed"; lines about time, which name differences and errors of their own.
const TextPattern& denial() {
  static const TextPattern pattern(R"(\b(?:no|not|nothing|never|without|zero|none|if|should|would|may)\b.*)"
                                   R"(\b(?:fail|error|mismatch|incorrect|wrong|differ))"
                                   R"(|\b(?:pass(?:ed)?|success(?:ful|fully)?|times?|ms|us|ns|seconds?)\b)");
  return pattern;
}

// Whether a count or an error is that of a wrong result.
bool is_much(const std::string& number) {
  const double value = std::strtod(number.c_str(), nullptr);
  const bool is_count = number.find_first_not_of("0123456789") == std::string::npos;
  return !std::isfinite(value) || std::abs(value) >= (is_count ? 1 : kOwnTolerance);
}

bool complains(const std::string& line) {
  if (line.size() > kLongestLine) return false;
  if (const auto found = errors_after_number().first_in(line))
    return is_much(found->groups[1].empty() ? found->groups[2] : found->groups[1]);
  if (answered_with_no().first_in(line)) return true;
  if (denial().first_in(line)) return false;
  if (const auto found = number_of_errors().first_in(line)) return is_much(found->groups[1]);
  return said_plainly().first_in(line).has_value();
}

}  // namespace

std::optional<std::string> complaint_in(std::string_view output) {
  output = output.substr(0, kMostRead);
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = trimmed(output.substr(0, end));
    if (complains(lower_case(line))) return std::string(line);
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return std::nullopt;
}

bool may_complain(std::string_view source) {
  static const TextPattern words(
      R"(fail|mismatch|incorrect|wrong|match|differ|equal|error|deviation|correct|identical|passed)");
  return std::ranges::any_of(compile::tokens_of(source), [](const compile::SourceToken& token) {
    return token.kind == compile::TokenKind::kText && words.first_in(lower_case(token.text));
  });
}

}  // namespace cudalab::course
