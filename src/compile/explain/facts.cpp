// Collects facts from a source that does not compile: functions, declarations and lines.
#include "compile/explain/facts.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "core/text.h"

namespace cudalab::compile {
namespace {

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool controls_flow(std::string_view word) {
  return is_any(word, {"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "alignof"});
}

// The index of the `(` that matches the `)` at `close`; `close` itself if there is none.
std::size_t opening(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (tokens[at].is(")")) ++depth;
    if (tokens[at].is("(") && --depth == 0) return at;
    if (tokens[at].is("{") || tokens[at].is("}") || tokens[at].is(";")) break;
  }
  return close;
}

// The function whose body begins at `brace`: NAME ( … ) [const | noexcept | override] {
std::optional<FoundFunction> function_with_body(const Tokens& tokens, std::size_t brace) {
  std::size_t close = brace;
  while (close > 0 && is_any(tokens[close - 1].text, {"const", "noexcept", "override", "final"})) --close;
  if (close == 0 || !tokens[close - 1].is(")")) return std::nullopt;
  const std::size_t open = opening(tokens, close - 1);
  if (open == close - 1 || open == 0) return std::nullopt;
  const SourceToken& name = tokens[open - 1];
  if (name.kind != TokenKind::kWord || controls_flow(name.text) || is_attribute(name.text))
    return std::nullopt;
  FoundFunction function{.name = name.text, .line = name.line, .open = open, .body = brace};
  std::size_t first = open - 1;
  const auto ends_before = [&](std::size_t at) {
    const SourceToken& token = tokens[at];
    return token.kind == TokenKind::kDirective || is_any(token.text, {";", "}", "{", "=", "return"});
  };
  while (first > 0 && !ends_before(first - 1)) --first;
  function.first = first;
  if (first == open - 1) return std::nullopt;  // no type before the name: a call or a macro
  for (std::size_t at = first; at < open; ++at) {
    function.is_kernel |= tokens[at].is("__global__");
    function.is_device |= tokens[at].is("__global__") || tokens[at].is("__device__");
  }
  return function;
}

std::vector<FoundFunction> functions_in(const Tokens& tokens) {
  std::vector<FoundFunction> functions;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!tokens[at].is("{")) continue;
    auto function = function_with_body(tokens, at);
    if (!function) continue;
    function->last = std::min(closing(tokens, at) + 1, tokens.size());
    if (!functions.empty()) functions.back().last = std::min(functions.back().last, function->first);
    functions.push_back(*function);
  }
  return functions;
}

bool is_statement_word(std::string_view word) {
  return controls_flow(word) ||
         is_any(word, {"else", "new", "delete", "case", "goto", "throw", "do", "using", "namespace",
                       "typedef", "typename", "operator", "define", "template", "class", "struct"});
}

// Whether the token may be the end of a type: `float`, `vector<float>`, `float*`.
bool may_end_type(const Tokens& tokens, std::size_t at) {
  const SourceToken& token = tokens[at];
  if (token.kind == TokenKind::kWord) return !is_statement_word(token.text);
  if (token.is(">")) return true;
  if (!token.is("*") && !token.is("&")) return false;
  if (at == 0) return false;
  const SourceToken& before = tokens[at - 1];
  if (before.is(",") || before.is(">") || before.is("*")) return true;
  // `Node* next` at the beginning of a statement: as an expression it would have no use.
  if (before.kind == TokenKind::kWord && at >= 2 && !is_statement_word(before.text) &&
      is_any(tokens[at - 2].text, {";", "{", "}"}))
    return true;
  static const std::set<std::string_view> kTypes{
      "float", "double",      "int",   "unsigned", "char",     "bool",    "long",    "short",
      "void",  "auto",        "const", "size_t",   "float2",   "float4",  "int2",    "int4",
      "half",  "cudaError_t", "FILE",  "__half",   "uint32_t", "int32_t", "uint8_t", "uint64_t"};
  return kTypes.contains(before.text);
}

bool declares(const Tokens& tokens, std::size_t at) {
  if (tokens[at].kind != TokenKind::kWord || at == 0 || at + 1 >= tokens.size()) return false;
  if (is_statement_word(tokens[at].text) || !may_end_type(tokens, at - 1)) return false;
  return is_any(tokens[at + 1].text, {"=", ";", ",", ")", "[", "(", "{", ":"});
}

// Whether the name is a further one of a declaration: `b` of `int a, *b;`.
bool declares_further(const Tokens& tokens, std::size_t at) {
  if (tokens[at].kind != TokenKind::kWord || at + 1 >= tokens.size() ||
      !is_any(tokens[at + 1].text, {"=", ";", ",", "["}))
    return false;
  std::size_t back = at;
  while (back > 0 && tokens[back - 1].is("*")) --back;
  if (back == 0 || !tokens[back - 1].is(",")) return false;
  int depth = 0;
  while (back > 0) {
    const SourceToken& before = tokens[--back];
    depth += is_any(before.text, {")", "]"});
    depth -= is_any(before.text, {"(", "["});
    if (depth < 0 || before.kind == TokenKind::kDirective || is_any(before.text, {";", "{", "}"}))
      return false;
    if (depth == 0 && declares(tokens, back)) return true;
  }
  return false;
}

std::string_view macro_defined_by(const SourceToken& token) {
  if (token.kind != TokenKind::kDirective || directive_name(token) != "define") return {};
  const std::string_view rest = directive_rest(token);
  std::size_t end = 0;
  while (end < rest.size() && is_word(rest[end])) ++end;
  return rest.substr(0, end);
}

}  // namespace

const FoundFunction* Facts::function_at(int line) const {
  for (const FoundFunction& function : functions) {
    const int end = function.last < tokens.size() ? tokens[function.last - 1].line : tokens.back().line;
    if (tokens[function.first].line <= line && line <= end) return &function;
  }
  return nullptr;
}

const FoundFunction* Facts::function_named(std::string_view name) const {
  const auto found = std::ranges::find(functions, name, &FoundFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

bool Facts::has_error_at(int line) const {
  return std::ranges::any_of(
      errors, [&](const Diagnosis& error) { return is_own(error.where) && error.where.line == line; });
}

Facts facts_of(std::string_view source, const std::string& file_name, std::vector<Diagnosis> errors) {
  Facts facts{
      .source = source, .file_name = file_name, .tokens = tokens_of(source), .errors = std::move(errors)};
  facts.functions = functions_in(facts.tokens);
  return facts;
}

std::size_t closing(const Tokens& tokens, std::size_t open) {
  const std::string_view begins = tokens[open].text, ends = begins == "("   ? ")"
                                                            : begins == "{" ? "}"
                                                            : begins == "<" ? ">"
                                                                            : "]";
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (tokens[at].is(begins)) ++depth;
    if (tokens[at].is(ends) && --depth == 0) return at;
  }
  return tokens.size();
}

std::vector<std::size_t> declarations_of(const Facts& facts, std::string_view name) {
  std::vector<std::size_t> found;
  for (std::size_t at = 1; at + 1 < facts.tokens.size(); ++at)
    if (facts.tokens[at].is(name) && (declares(facts.tokens, at) || declares_further(facts.tokens, at)))
      found.push_back(at);
  return found;
}

std::vector<std::string> declared_names(const Facts& facts) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < facts.tokens.size(); ++at) {
    if (declares(facts.tokens, at)) names.emplace(facts.tokens[at].text);
    if (const std::string_view macro = macro_defined_by(facts.tokens[at]); !macro.empty())
      names.emplace(macro);
    if (at > 0 && is_class_key(facts.tokens[at - 1].text) && facts.tokens[at].kind == TokenKind::kWord)
      names.emplace(facts.tokens[at].text);
  }
  return {names.begin(), names.end()};
}

std::size_t run_of(const Tokens& tokens, std::size_t at, std::string_view mark) {
  std::size_t count = 0;
  while (at + count < tokens.size() && tokens[at + count].is(mark)) ++count;
  return count;
}

std::size_t behind_template_arguments(const Tokens& tokens, std::size_t at) {
  if (run_of(tokens, at, "<") != 1) return at;
  std::size_t end = at + 1;
  while (end < tokens.size() &&
         (tokens[end].kind == TokenKind::kWord || tokens[end].kind == TokenKind::kText ||
          tokens[end].is(",") || tokens[end].is(":") || tokens[end].is("*")))
    ++end;
  const bool closes = end < tokens.size() && end > at + 1 && tokens[end].is(">");
  return closes ? end + 1 : at;
}

std::string_view line_of_source(std::string_view source, int line) {
  const auto lines = split(source, '\n');
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
  std::string_view text = lines[line - 1];
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string parameters_of(const Facts& facts, const FoundFunction& function) {
  const std::size_t close = closing(facts.tokens, function.open);
  return text_of(std::span(facts.tokens).subspan(function.open + 1, close - function.open - 1));
}

}  // namespace cudalab::compile
