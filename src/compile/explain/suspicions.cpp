// Finds what a compiler accepts although it is probably a mistake: by its warnings, and in the source.
#include "compile/explain/suspicions.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "compile/explain/advice.h"
#include "compile/explain/facts.h"
#include "compile/explain/source_suspicions.h"
#include "core/text_pattern.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

// Words of nvcc, clang, GCC and NVVM.
bool is_telling(std::string_view said) {
  static const TextPattern kPattern(
      "expression has no effect|expression result unused|comparison result unused|"
      "operand of comma operator has no effect|statement has no effect|calling a __host__ function|"
      "annot store to pointer that points to constant memory|is used before its value is set|"
      "is uninitialized when used|is used uninitialized|division by zero|missing return statement|"
      "no return statement|does not return a value|pointless comparison of unsigned|subscript out of range|"
      "is past the end of the array|is outside array bounds|shift count (?:is )?(?:>=|too large)");
  return kPattern.first_in(said).has_value();
}

bool is_about_effect(std::string_view said) {
  return said.find("no effect") != std::string_view::npos || said.find("unused") != std::string_view::npos;
}

// `(5, 3, 5)` where a dim3 is meant: in a launch, or as the value of a dim3 variable.
Message advice_on_commas(const Facts& facts, int line) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 2; at + 1 < tokens.size(); ++at) {
    if (tokens[at].line != line || !tokens[at].is("(")) continue;
    const bool is_initial = tokens[at - 1].is("=") && at > 2 && tokens[at - 3].is("dim3");
    const bool is_launched = tokens[at - 1].is("<") && tokens[at - 2].is("<");
    const bool is_second = tokens[at - 1].is(",");
    if (!is_initial && !is_launched && !is_second) continue;
    const std::size_t end = closing(tokens, at);
    std::size_t last = end;
    int depth = 0;
    for (std::size_t inside = at + 1; inside < end; ++inside) {
      depth += tokens[inside].is("(") - tokens[inside].is(")");
      if (tokens[inside].is(",") && depth == 0) last = inside + 1;
    }
    if (end >= tokens.size() || last == end) continue;
    const std::string numbers = text_of(std::span(tokens).subspan(at + 1, end - at - 1));
    return msg::cause_comma_operator(
        Code{fmt::format("({})", numbers)}, Code{text_of(std::span(tokens).subspan(last, end - last))},
        Code{is_initial ? fmt::format("dim3 {}({})", tokens[at - 2].text, numbers)
                        : fmt::format("dim3({})", numbers)});
  }
  return {};
}

// A statement that is only the name of a function, `__syncthreads;`, or a comparison, `x == 0;`.
Message advice_on_statement(const Facts& facts, int line) {
  const Tokens& tokens = facts.tokens;
  const auto begins = [&](std::size_t at) {
    return tokens[at - 1].is(";") || tokens[at - 1].is("{") || tokens[at - 1].is("}") ||
           tokens[at - 1].is(")") || tokens[at - 1].kind == TokenKind::kDirective;
  };
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    if (tokens[at].line != line || tokens[at].kind != TokenKind::kWord || !begins(at)) continue;
    if (tokens[at + 1].is(";") && declarations_of(facts, tokens[at].text).empty())
      return msg::cause_call_parentheses(Code{std::string(tokens[at].text)},
                                         Code{fmt::format("{}()", tokens[at].text)});
    for (std::size_t mark = at + 1;
         mark + 1 < tokens.size() && !tokens[mark].is(";") && !tokens[mark].is("{"); ++mark)
      if (tokens[mark].is("=") && tokens[mark + 1].is("=") && tokens[mark].end() == tokens[mark + 1].begin &&
          tokens[at].text != "if" && tokens[at].text != "for" && tokens[at].text != "while" &&
          tokens[at].text != "return")
        return msg::cause_equals();
  }
  return {};
}

Message advice_on_warning(const Facts& facts, const Diagnosis& warning) {
  if (is_about_effect(warning.said)) {
    if (Message advice = advice_on_commas(facts, warning.where.line); !advice.empty()) return advice;
    return advice_on_statement(facts, warning.where.line);
  }
  return advice_for(facts, warning);
}

}  // namespace

std::vector<Diagnosis> suspicions_in(std::string_view source, std::string_view log,
                                     const std::string& file_name) {
  constexpr std::size_t kMost = 4;
  const Facts facts = facts_of(source, file_name, {});
  std::vector<Diagnosis> found;
  for (Diagnosis& warning : warnings_in(log, file_name)) {
    if (!facts.is_own(warning.where) || !is_telling(warning.said)) continue;
    warning.advice = advice_on_warning(facts, warning);
    // A line may have several warnings, of which the one with advice says most.
    const auto same = std::ranges::find(found, warning.where, &Diagnosis::where);
    if (same == found.end())
      found.push_back(std::move(warning));
    else if (same->advice.empty())
      *same = std::move(warning);
  }
  for (auto* find : {suspicions_in_source, suspicions_of_failure})
    for (Diagnosis& one : find(facts))
      if (std::ranges::find(found, one.where, &Diagnosis::where) == found.end())
        found.push_back(std::move(one));
  if (found.size() > kMost) found.resize(kMost);
  for (Diagnosis& one : found) one.source_text = std::string(line_of_source(source, one.where.line));
  return found;
}

std::vector<Diagnosis> likely_mistakes_in(std::string_view source, const std::string& file_name) {
  std::vector<Diagnosis> found = suspicions_in_source(facts_of(source, file_name, {}));
  for (Diagnosis& one : found) one.source_text = std::string(line_of_source(source, one.where.line));
  return found;
}

}  // namespace cudalab::compile
