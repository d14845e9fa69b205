// Finds slips in a source by its tokens: web characters, qualifiers, macros, launches and punctuation.
#include "compile/explain/slips.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/spelling.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

// ---- characters of web pages and documents ---------------------------------------------------------------

struct Lookalike {
  std::string_view character, right;  // in UTF-8
};
constexpr std::array<Lookalike, 27> kLookalikes{{
    {"\u2212", "-"},  {"\u2013", "-"},  {"\u2014", "-"},  {"\u2010", "-"},  {"\u201c", "\""},
    {"\u201d", "\""}, {"\u201e", "\""}, {"\u00ab", "\""}, {"\u00bb", "\""}, {"\u2018", "'"},
    {"\u2019", "'"},  {"\u00d7", "*"},  {"\u22c5", "*"},  {"\u2217", "*"},  {"\u2264", "<="},
    {"\u2265", ">="}, {"\u2260", "!="}, {"\uff1b", ";"},  {"\uff08", "("},  {"\uff09", ")"},
    {"\uff0c", ","},  {"\uff1a", ":"},  {"\uff1d", "="},  {"\uff5b", "{"},  {"\uff5d", "}"},
    {"\u00a0", " "},  {"\u3000", " "},
}};

// The lookalike that begins at this token; each of its bytes is one token.
const Lookalike* lookalike_at(const Facts& facts, const SourceToken& token) {
  const std::string_view rest = facts.source.substr(token.begin);
  const auto found = std::ranges::find_if(
      kLookalikes, [&](const Lookalike& row) { return rest.starts_with(row.character); });
  return found == kLookalikes.end() ? nullptr : &*found;
}

std::optional<Slip> foreign_character(const Facts& facts) {
  for (const SourceToken& token : facts.tokens) {
    if (token.kind == TokenKind::kDirective || token.kind == TokenKind::kText) continue;
    const Lookalike* found = lookalike_at(facts, token);
    if (!found) continue;
    const bool is_blank = found->right == " ";
    return Slip{token.line, is_blank ? msg::cause_foreign_blank()
                                     : msg::cause_foreign_character(Code{std::string(found->character)},
                                                                    Code{std::string(found->right)})};
  }
  return std::nullopt;
}

std::optional<Slip> web_page(const Facts& facts) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEntities{
      {{"lt", "<"}, {"gt", ">"}, {"amp", "&"}, {"quot", "\""}}};
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at)
    for (const auto& [name, character] : kEntities)
      if (tokens[at].is(name) && tokens[at - 1].is("&") && tokens[at + 1].is(";") &&
          tokens[at - 1].end() == tokens[at].begin && tokens[at].end() == tokens[at + 1].begin)
        return Slip{tokens[at].line,
                    msg::cause_web_page(Code{fmt::format("&{};", name)}, Code{std::string(character)})};
  return std::nullopt;
}

// ---- misspelled qualifiers -------------------------------------------------------------------------------

constexpr std::array<std::string_view, 10> kQualifiers{
    "__global__",  "__device__",   "__host__",        "__shared__",   "__constant__",
    "__managed__", "__restrict__", "__forceinline__", "__noinline__", "__launch_bounds__"};

std::string core_of(std::string_view word) {
  std::string core;
  for (const char c : word)
    if (c != '_') core += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return core;
}

// The qualifier that a word misspells; empty if there is none or the word is correct.
std::string_view qualifier_meant_by(std::string_view word) {
  if (std::ranges::find(kQualifiers, word) != kQualifiers.end()) return {};
  if (word == "__const__") return "__constant__";
  const std::string core = core_of(word);
  const bool has_underscores = word.starts_with('_') || word.ends_with('_');
  if (core.size() < 4) return {};
  for (const std::string_view qualifier : kQualifiers) {
    const std::string wanted = core_of(qualifier);
    if (core == wanted || (has_underscores && edit_distance(core, wanted) <= (wanted.size() > 6 ? 2 : 1)))
      return qualifier;
  }
  return {};
}

// A word such as `global` may be a variable's name. A qualifier is at the beginning of a declaration,
// followed by a type.
bool may_be_qualifier(const Tokens& tokens, std::size_t at) {
  const bool begins = at == 0 || tokens[at - 1].kind == TokenKind::kDirective || tokens[at - 1].is(";") ||
                      tokens[at - 1].is("}") || tokens[at - 1].is("{") || tokens[at - 1].is(">") ||
                      tokens[at - 1].kind == TokenKind::kWord;
  return begins && at + 1 < tokens.size() && tokens[at + 1].kind == TokenKind::kWord;
}

std::optional<Slip> misspelled_qualifier(const Facts& facts) {
  for (std::size_t at = 0; at < facts.tokens.size(); ++at) {
    const SourceToken& token = facts.tokens[at];
    if (token.kind != TokenKind::kWord || !may_be_qualifier(facts.tokens, at) ||
        !facts.has_error_at(token.line))
      continue;
    const std::string_view meant = qualifier_meant_by(token.text);
    if (!meant.empty())
      return Slip{token.line, msg::cause_misspelled(Code{std::string(token.text)}, Code{std::string(meant)})};
  }
  return std::nullopt;
}

// ---- templates -------------------------------------------------------------------------------------------

// `template <T>`: the compiler reads T as the type of a parameter that has no name.
std::optional<Slip> template_parameter(const Facts& facts) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 3 < tokens.size(); ++at) {
    if (!tokens[at].is("template") || !tokens[at + 1].is("<")) continue;
    for (std::size_t word = at + 2; word + 1 < tokens.size() && !tokens[word - 1].is(">"); ++word) {
      const bool is_alone = (tokens[word - 1].is("<") || tokens[word - 1].is(",")) &&
                            tokens[word].kind == TokenKind::kWord &&
                            (tokens[word + 1].is(">") || tokens[word + 1].is(","));
      const bool is_unknown = std::ranges::any_of(facts.errors, [&](const Diagnosis& error) {
        return facts.is_own(error.where) && error.where.line == tokens[word].line &&
               (error.undefined_name == tokens[word].text || error.said == "expected template parameter" ||
                error.said.find(fmt::format("unknown type name '{}'", tokens[word].text)) !=
                    std::string::npos);
      });
      if (is_alone && is_unknown)
        return Slip{tokens[word].line,
                    msg::cause_template_parameter(Code{fmt::format("typename {}", tokens[word].text)})};
    }
  }
  return std::nullopt;
}

// ---- macros ----------------------------------------------------------------------------------------------

bool uses_macro_on_error_line(const Facts& facts, std::string_view name) {
  return std::ranges::any_of(facts.tokens, [&](const SourceToken& token) {
    return token.is(name) && facts.has_error_at(token.line);
  });
}

// `#define N 256;` and `#define N = 256`: the `;` or `=` becomes part of each use.
std::optional<Slip> mark_in_macro(const Facts& facts) {
  for (const SourceToken& token : facts.tokens) {
    if (token.kind != TokenKind::kDirective || directive_name(token) != "define") continue;
    const std::string_view rest = directive_rest(token);
    const std::size_t end = std::min(rest.find_first_of(" \t("), rest.size());
    if (end == rest.size() || rest[end] == '(') continue;
    const std::string_view name = rest.substr(0, end), value = trimmed(rest.substr(end));
    const bool has_semicolon = value.ends_with(';'),
               has_sign = value.starts_with('=') && !value.starts_with("==");
    if ((!has_semicolon && !has_sign) || !uses_macro_on_error_line(facts, name)) continue;
    std::string_view right = value;
    if (has_semicolon) right.remove_suffix(1);
    if (has_sign) right.remove_prefix(1);
    return Slip{token.line, msg::cause_macro_mark(Code{std::string(name)}, Code{has_semicolon ? ";" : "="},
                                                  Code{fmt::format("#define {} {}", name, trimmed(right))})};
  }
  return std::nullopt;
}

// ---- launches --------------------------------------------------------------------------------------------

// The `)` of `__launch_bounds__(256)` or another attribute that takes arguments.
bool is_end_of_attribute(const Tokens& tokens, std::size_t closed) {
  std::size_t open = closed;
  for (int depth = 0; open > 0; --open) {
    depth += tokens[open].is(")");
    depth -= tokens[open].is("(");
    if (depth == 0) break;
  }
  return open > 0 && tokens[open - 1].text.starts_with("__") && tokens[open - 1].text.ends_with("__");
}

// Whether the kernel is declared or defined here, or its address is taken, rather than called.
bool is_declared_here(const Facts& facts, std::size_t at) {
  if (at == 0) return true;
  const SourceToken& before = facts.tokens[at - 1];
  if (before.is(")")) return is_end_of_attribute(facts.tokens, at - 1);
  return (before.kind == TokenKind::kWord && !before.is("return") && !before.is("else")) || before.is("&") ||
         before.is(",") || before.is("(") || before.is("=") || before.is("*");
}

// The index of the `>` that ends a launch configuration, which begins after `<<<`.
std::optional<std::size_t> end_of_configuration(const Tokens& tokens, std::size_t begin) {
  int depth = 0;
  for (std::size_t at = begin; at < tokens.size(); ++at) {
    const SourceToken& token = tokens[at];
    if (token.is(";") || token.is("{")) break;
    if (token.is("(") || token.is("[")) ++depth;
    if (token.is(")") || token.is("]")) --depth;
    if (depth < 0) break;
    const bool is_arrow = at > begin && tokens[at - 1].is("-") && tokens[at - 1].end() == token.begin;
    if (depth == 0 && token.is(">") && !is_arrow && run_of(tokens, at, ">") >= 2) return at;
  }
  return std::nullopt;
}

// `<<<grid, {8, 8, 4}>>>`: the braces, which only nvcc accepts.
std::optional<Message> braces_in_launch(const Tokens& tokens, std::size_t begin) {
  for (std::size_t at = begin; at < tokens.size() && !tokens[at].is(";") && !tokens[at].is("}"); ++at) {
    const bool begins = at == begin || tokens[at - 1].is(",");
    if (tokens[at].is(">") && run_of(tokens, at, ">") >= 3) break;
    if (!tokens[at].is("{") || !begins) continue;
    const std::size_t end = closing(tokens, at);
    if (end >= tokens.size()) break;
    const std::string numbers = text_of(std::span(tokens).subspan(at + 1, end - at - 1));
    return msg::cause_launch_value(Code{fmt::format("dim3({})", numbers)});
  }
  return std::nullopt;
}

std::optional<Message> launch_slip(const Facts& facts, const FoundFunction& kernel, std::size_t name) {
  const Tokens& tokens = facts.tokens;
  const Code code{std::string(kernel.name)};
  const std::size_t at = behind_template_arguments(tokens, name + 1), opened = run_of(tokens, at, "<");
  if (opened == 0) {
    if (at >= tokens.size() || !tokens[at].is("(")) return std::nullopt;
    const FoundFunction* here = facts.function_at(tokens[name].line);
    return here && here->is_device ? msg::cause_kernel_called(code, kernel.line)
                                   : msg::cause_launch_lost(code);
  }
  if (opened > 3) return msg::cause_launch_brackets(code);
  const std::size_t begin = at + opened;
  if (begin < tokens.size() && tokens[begin].is(">")) return msg::cause_launch_lost(code);
  if (opened == 3)
    if (auto braces = braces_in_launch(tokens, begin); braces && facts.has_error_at(tokens[at].line))
      return braces;
  const auto inside = end_of_configuration(tokens, begin);
  if (!inside) return opened > 1 ? std::optional(msg::cause_launch_brackets(code)) : std::nullopt;
  const std::size_t closed = run_of(tokens, *inside, ">");
  if (opened != 3 || closed != 3) return msg::cause_launch_brackets(code);
  // Clang does not accept `<< <` as a launch.
  const bool touch = tokens[at + 2].end() - tokens[at].begin == 3;
  if (!touch && facts.has_error_at(tokens[at].line)) return msg::cause_launch_brackets(code);
  const std::size_t behind = *inside + 3;
  if (const std::size_t last = behind_template_arguments(tokens, behind); last != behind) {
    const std::string types = text_of(std::span(tokens).subspan(behind, last - behind));
    return msg::cause_launch_template_arguments(Code{types}, Code{fmt::format("{}{}<<<", code.text, types)});
  }
  if (behind < tokens.size() && !tokens[behind].is("("))
    return msg::cause_launch_arguments(code, Code{fmt::format("({})", parameters_of(facts, kernel))});
  return std::nullopt;
}

std::optional<Slip> broken_launch(const Facts& facts) {
  for (std::size_t at = 0; at < facts.tokens.size(); ++at) {
    if (facts.tokens[at].kind != TokenKind::kWord || is_declared_here(facts, at)) continue;
    const FoundFunction* function = facts.function_named(facts.tokens[at].text);
    if (!function || !function->is_kernel) continue;
    if (auto what = launch_slip(facts, *function, at)) return Slip{facts.tokens[at].line, *std::move(what)};
  }
  return std::nullopt;
}

// A launched function that is not a kernel.
std::optional<Slip> launched_function(const Facts& facts) {
  for (std::size_t at = 0; at < facts.tokens.size(); ++at) {
    const std::size_t behind = behind_template_arguments(facts.tokens, at + 1);
    if (facts.tokens[at].kind != TokenKind::kWord || run_of(facts.tokens, behind, "<") != 3) continue;
    const FoundFunction* function = facts.function_named(facts.tokens[at].text);
    if (!function || function->is_kernel) continue;
    const bool is_device = function->is_device;
    return Slip{function->line,
                is_device
                    ? msg::cause_device_not_global(Code{std::string(function->name)}, facts.tokens[at].line)
                    : msg::cause_global_missing(Code{std::string(function->name)}, facts.tokens[at].line)};
  }
  return std::nullopt;
}

std::optional<Slip> kernel_with_result(const Facts& facts) {
  for (const FoundFunction& function : facts.functions) {
    if (!function.is_kernel) continue;
    bool has_void = false;
    for (std::size_t at = function.first; at < function.open; ++at) has_void |= facts.tokens[at].is("void");
    if (!has_void && facts.has_error_at(function.line))
      return Slip{function.line, msg::cause_kernel_returns(Code{std::string(function.name)})};
  }
  return std::nullopt;
}

// ---- punctuation -----------------------------------------------------------------------------------------

std::optional<Slip> commas_in_for(const Facts& facts) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!tokens[at].is("for") || !tokens[at + 1].is("(") || !facts.has_error_at(tokens[at].line)) continue;
    const std::size_t end = closing(tokens, at + 1);
    std::size_t commas = 0, semicolons = 0, colons = 0;
    for (std::size_t inside = at + 2; inside < end; ++inside) {
      commas += tokens[inside].is(",");
      semicolons += tokens[inside].is(";");
      colons += tokens[inside].is(":");
    }
    if (end < tokens.size() && semicolons < 2 && semicolons + commas >= 2 && colons == 0)
      return Slip{tokens[at].line, msg::cause_for_commas()};
  }
  return std::nullopt;
}

std::size_t indentation_of(const Facts& facts, int line) {
  return std::min(line_of_source(facts.source, line).find_first_not_of(" \t"), std::string_view::npos - 1);
}

std::optional<Slip> unbalanced_braces(const Facts& facts) {
  std::vector<std::size_t> open;
  std::optional<int> suspect;  // the last brace that is closed by a line with smaller indentation
  for (std::size_t at = 0; at < facts.tokens.size(); ++at) {
    const SourceToken& token = facts.tokens[at];
    if (token.is("{")) {
      // A function cannot begin inside another: the brace before it is still open.
      const bool begins_function =
          std::ranges::any_of(facts.functions, [&](const FoundFunction& f) { return f.body == at; });
      if (begins_function && !open.empty() && !suspect && indentation_of(facts, token.line) == 0)
        suspect = facts.tokens[open.back()].line;
      open.push_back(at);
    } else if (token.is("}")) {
      if (open.empty()) return Slip{token.line, msg::cause_brace_close()};
      const int line = facts.tokens[open.back()].line;
      if (!suspect && token.line != line && indentation_of(facts, line) > indentation_of(facts, token.line))
        suspect = line;
      open.pop_back();
    }
  }
  if (open.empty()) return std::nullopt;
  return Slip{suspect.value_or(facts.tokens[open.back()].line), msg::cause_brace_open()};
}

// An extra closing brace: compilers report the code after it as outside of functions.
std::optional<Slip> brace_too_many(const Facts& facts) {
  int depth = 0;
  for (std::size_t at = 0; at < facts.tokens.size(); ++at) {
    const SourceToken& token = facts.tokens[at];
    if (token.is("{")) ++depth;
    if (!token.is("}") || --depth >= 0) continue;
    // The braces are balanced before this token: the function that ends before its last line ends at the
    // extra brace.
    for (std::size_t i = 0; i < facts.functions.size(); ++i) {
      const FoundFunction& function = facts.functions[i];
      const std::size_t end =
          i + 1 < facts.functions.size() ? facts.functions[i + 1].first : facts.tokens.size();
      if (function.last < end && at < end && function.last <= at)
        return Slip{facts.tokens[function.last - 1].line, msg::cause_brace_close()};
    }
    return Slip{token.line, msg::cause_brace_close()};
  }
  return std::nullopt;
}

bool says_expected(std::string_view said, std::string_view mark) {
  return said.find(fmt::format("expected a \"{}\"", mark)) != std::string_view::npos ||
         said.find(fmt::format("expected '{}'", mark)) != std::string_view::npos;
}

// Whether the compiler rejects something else in these lines first, of which the missing mark is a
// consequence: after an unknown type it cannot parse the rest of a declaration.
bool has_other_error_before(const Facts& facts, const Diagnosis& error, int first_line) {
  for (const Diagnosis& other : facts.errors) {
    if (&other == &error) return false;
    if (facts.is_own(other.where) && other.where.line >= first_line && other.where.line <= error.where.line)
      return true;
  }
  return false;
}

// The first unmatched `(` in the statement of the error line; compilers report the place after it.
std::optional<Slip> missing_parenthesis(const Facts& facts) {
  for (const Diagnosis& error : facts.errors) {
    if (!facts.is_own(error.where) || !says_expected(error.said, ")")) continue;
    std::vector<int> open;  // lines
    for (const SourceToken& token : facts.tokens) {
      if (token.line > error.where.line) break;
      if (token.is(";") || token.is("{") || token.is("}")) {
        if (token.line == error.where.line && !open.empty()) break;
        open.clear();
      }
      if (token.is("(")) open.push_back(token.line);
      if (token.is(")") && !open.empty()) open.pop_back();
    }
    if (!open.empty() && !has_other_error_before(facts, error, open.front()))
      return Slip{open.front(), msg::cause_parenthesis(), error.where.line};
  }
  return std::nullopt;
}

// `whlie (…)`: compilers read it as a call, after which a semicolon is missing.
std::optional<Slip> misspelled_keyword(const Facts& facts) {
  constexpr std::array<std::string_view, 4> kKeywords{"while", "switch", "return", "else"};
  for (std::size_t at = 0; at + 1 < facts.tokens.size(); ++at) {
    const SourceToken& token = facts.tokens[at];
    if (token.kind != TokenKind::kWord || !facts.has_error_at(token.line) || token.text.size() < 4) continue;
    if (std::ranges::find(kKeywords, token.text) != kKeywords.end() ||
        !declarations_of(facts, token.text).empty())
      continue;
    for (const std::string_view keyword : kKeywords)
      if (edit_distance(token.text, keyword) == 1 && (keyword != "else" || facts.tokens[at + 1].is("{")) &&
          keyword.front() == token.text.front())
        return Slip{token.line,
                    msg::cause_misspelled(Code{std::string(token.text)}, Code{std::string(keyword)})};
  }
  return std::nullopt;
}

// Whether a statement or a declaration that ends with this token lacks its semicolon.
bool lacks_semicolon(const Facts& facts, std::size_t at) {
  const Tokens& tokens = facts.tokens;
  const SourceToken& token = tokens[at];
  if (token.is("}")) {  // the end of a class
    int depth = 0;
    for (std::size_t back = at + 1; back-- > 0;) {
      depth += tokens[back].is("}");
      depth -= tokens[back].is("{");
      if (depth > 0) continue;
      return (back > 0 && is_class_key(tokens[back - 1].text)) ||
             (back > 1 && is_class_key(tokens[back - 2].text));
    }
    return false;
  }
  if (token.is(")")) {
    int depth = 0;
    for (std::size_t back = at + 1; back-- > 0;) {
      depth += tokens[back].is(")");
      depth -= tokens[back].is("(");
      if (depth > 0) continue;
      return back == 0 || !(tokens[back - 1].is("if") || tokens[back - 1].is("for") ||
                            tokens[back - 1].is("while") || tokens[back - 1].is("switch"));
    }
  }
  return (token.kind == TokenKind::kWord && !token.is("else") && !token.is("do")) ||
         token.kind == TokenKind::kText || token.is(")") || token.is("]") ||
         (at > 0 && (token.is("+") || token.is("-")) && tokens[at - 1].text == token.text);
}

// NVIDIA's front end reports the first token after the missing semicolon, which is usually on another line.
std::optional<Slip> missing_semicolon(const Facts& facts) {
  for (const Diagnosis& error : facts.errors) {
    if (!facts.is_own(error.where) || !says_expected(error.said, ";")) continue;
    const auto first = std::ranges::find_if(
        facts.tokens, [&](const SourceToken& token) { return token.line >= error.where.line; });
    std::size_t at = first - facts.tokens.begin();
    while (at > 0 && facts.tokens[at - 1].kind == TokenKind::kDirective) --at;
    const int line = first != facts.tokens.end() && at > 0 ? facts.tokens[at - 1].line : error.where.line;
    if (has_other_error_before(facts, error, line)) continue;
    if (first != facts.tokens.end() && at > 0 && lacks_semicolon(facts, at - 1))
      return Slip{facts.tokens[at - 1].line, msg::cause_semicolon(), error.where.line};
    if (error.said.find("expected '") != std::string::npos)
      return Slip{error.where.line, msg::cause_semicolon()};
  }
  return std::nullopt;
}

std::optional<Slip> else_without_if(const Facts& facts) {
  for (const Diagnosis& error : facts.errors) {
    if (!facts.is_own(error.where)) continue;
    if (error.said.find("expected a statement") == std::string::npos &&
        error.said.find("expected expression") == std::string::npos &&
        error.said.find("'else' without") == std::string::npos)
      continue;
    for (const SourceToken& token : facts.tokens)
      if (token.is("else") && token.line == error.where.line) return Slip{token.line, msg::cause_else()};
  }
  return std::nullopt;
}

using Finder = std::optional<Slip> (*)(const Facts&);
// The order matters: slips that change the meaning of the following code come first.
constexpr Finder kFinders[] = {
    web_page,          foreign_character,  misspelled_qualifier, template_parameter, mark_in_macro,
    broken_launch,     launched_function,  kernel_with_result,   commas_in_for,      brace_too_many,
    unbalanced_braces, misspelled_keyword, missing_parenthesis,  missing_semicolon,  else_without_if};

}  // namespace

std::optional<Slip> find_slip(const Facts& facts) {
  for (const Finder find : kFinders)
    if (auto slip = find(facts)) return slip;
  return std::nullopt;
}

}  // namespace cudalab::compile
