// Rules for sums and other reductions that go wrong without a hazard. They are used for programs that fail.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compile/explain/suspicion_rules.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

bool is_floating(std::span<const SourceToken> type) {
  return has_word(type, "float") || has_word(type, "double");
}

// Whether an expression has a floating-point value as far as the source shows: a name of such a type, or a
// number with a fraction.
bool has_fraction(const Facts& facts, const Range& expression) {
  static constexpr std::array<std::string_view, 12> kWhole{"<",   ">",     "!",      "?",     "==",   "&",
                                                           "int", "round", "lround", "floor", "size", "abs"};
  const auto is_whole = [](const SourceToken& token) {  // a comparison or a conversion
    return std::ranges::find(kWhole, token.text) != kWhole.end();
  };
  const auto tokens = std::span(facts.tokens).subspan(expression.first, expression.second - expression.first);
  if (std::ranges::any_of(tokens, is_whole)) return false;
  for (std::size_t at = expression.first; at + 1 < expression.second; ++at)
    if (facts.tokens[at].is("=") && facts.tokens[at + 1].is("=")) return false;
  for (std::size_t at = expression.first; at < expression.second; ++at) {
    const SourceToken& token = facts.tokens[at];
    if (token.kind != TokenKind::kWord || facts.tokens[at - 1].is(".")) continue;
    // The arguments of a function do not tell the type of its result.
    const bool is_call = at + 1 < expression.second && facts.tokens[at + 1].is("(");
    if (is_call && facts.function_named(token.text)) {
      at = closing(facts.tokens, at + 1);
      continue;
    }
    const auto declared = declaration_for(facts, token.text, at);
    if (declared && is_floating(type_of(facts.tokens, *declared))) return true;
  }
  return false;
}

// The end of a statement, or of the part of a `for` in which it stands.
std::size_t end_of_statement(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size() && !tokens[at].is(";") && !tokens[at].is("{") && !tokens[at].is("}"); ++at) {
    depth += tokens[at].is("(") - tokens[at].is(")");
    if (depth < 0) break;
  }
  return at;
}

bool begins_statement(const Tokens& tokens, std::size_t at) {
  return at > 0 && (tokens[at - 1].is(";") || tokens[at - 1].is("{") || tokens[at - 1].is("}"));
}

}  // namespace

// `int sum = 0; … sum += weights[k] * x;`: each addition drops the fraction.
void add_integer_sums(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    const bool adds = tokens[at].kind == TokenKind::kWord && tokens[at + 1].is("+") &&
                      tokens[at + 2].is("=") && tokens[at + 1].end() == tokens[at + 2].begin;
    const auto declared = adds ? declaration_for(facts, tokens[at].text, at) : std::nullopt;
    if (!declared || !(tokens[*declared - 1].is("int") || tokens[*declared - 1].is("long")) ||
        tokens[at - 1].is("."))
      continue;
    if (has_fraction(facts, {at + 3, end_of_statement(tokens, at)}))
      add_suspicion(facts, tokens[*declared].line,
                    msg::cause_integer_sum(Code{std::string(tokens[at].text)}, tokens[at].line), found);
  }
}

// `std::accumulate(begin, end, 0)` of floating-point numbers: the type of the sum is that of the 0.
void add_integer_accumulations(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!(tokens[at].is("accumulate") || tokens[at].is("reduce")) || !tokens[at + 1].is("(")) continue;
    const std::vector<Range> arguments = arguments_of(tokens, at + 1);
    if (arguments.size() < 3 || code_of(tokens, arguments[2]) != "0" || !has_fraction(facts, arguments[0]))
      continue;
    add_suspicion(facts, tokens[at].line, msg::cause_integer_accumulation(), found);
  }
}

// `FLT_MIN` where a maximum begins: it is the smallest positive number.
void add_smallest_positive(const Facts& facts, Found& found) {
  for (const SourceToken& token : facts.tokens)
    if (token.is("FLT_MIN") || token.is("DBL_MIN"))
      add_suspicion(facts, token.line,
                    msg::cause_smallest_positive(Code{std::string(token.text)},
                                                 Code{fmt::format("-{}_MAX", token.text.substr(0, 3))}),
                    found);
}

// Whether the `)` at the token ends the head of `if (…)` or a loop, not a cast.
bool ends_head(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; at > 0; --at) {
    if (tokens[at].is(")")) ++depth;
    if (tokens[at].is("(") && --depth == 0) break;
  }
  return at > 0 && (tokens[at - 1].is("if") || tokens[at - 1].is("for") || tokens[at - 1].is("while"));
}

// `fmaxf(a, b);` as a statement: the result is lost.
void add_lost_results(const Facts& facts, Found& found) {
  constexpr std::array<std::string_view, 14> kPure{
      "fmaxf",          "fminf",          "fmax",  "fmin", "max",         "min",
      "sqrtf",          "sqrt",           "fabsf", "fabs", "__shfl_sync", "__shfl_down_sync",
      "__shfl_up_sync", "__shfl_xor_sync"};
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    if (std::ranges::find(kPure, tokens[at].text) == kPure.end() || !tokens[at + 1].is("(")) continue;
    const std::size_t close = closing(tokens, at + 1);
    const bool is_alone =
        close + 1 < tokens.size() && tokens[close + 1].is(";") &&
        (begins_statement(tokens, at) || (tokens[at - 1].is(")") && ends_head(tokens, at - 1)));
    if (is_alone && facts.functions.end() != facts.functions.begin() && function_around(facts, at))
      add_suspicion(facts, tokens[at].line, msg::cause_lost_result(Code{std::string(tokens[at].text)}),
                    found);
  }
}

// `for (offset = 32; …; offset /= 2)` around a shuffle: lane + 32 is in no warp.
void add_shuffles_of_a_warp(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!tokens[at].is("for") || !tokens[at + 1].is("(") || !is_in_device_code(facts, at)) continue;
    const std::size_t close = closing(tokens, at + 1);
    if (close >= tokens.size()) continue;
    std::size_t mark = at + 2;
    while (mark < close && !tokens[mark].is("=") && !tokens[mark].is(";")) ++mark;
    if (!tokens[mark].is("=") || mark + 2 >= close || !tokens[mark + 2].is(";")) continue;
    const bool starts_at_warp = tokens[mark + 1].is("32") || tokens[mark + 1].is("warpSize");
    const std::size_t body_end =
        tokens[close + 1].is("{") ? closing(tokens, close + 1) : end_of_statement(tokens, close + 1);
    const auto body = std::span(tokens).subspan(close, std::min(body_end, tokens.size()) - close);
    const bool shuffles = std::ranges::any_of(body, [](const SourceToken& token) {
      return token.is("__shfl_down_sync") || token.is("__shfl_xor_sync") || token.is("__shfl_up_sync") ||
             token.is("shfl_down") || token.is("shfl_xor");
    });
    if (starts_at_warp && shuffles)
      add_suspicion(facts, tokens[at].line,
                    msg::cause_shuffle_of_a_warp(Code{std::string(tokens[mark + 1].text)}), found);
  }
}

// `atomicAdd(sum, cache[0]);` of all threads of the block.
void add_atomics_of_all_threads(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    if (!tokens[at].is("atomicAdd") || !tokens[at + 1].is("(") || !begins_statement(tokens, at)) continue;
    const FoundFunction* function = function_around(facts, at);
    const std::vector<Range> arguments = arguments_of(tokens, at + 1);
    if (!function || !function->is_kernel || arguments.size() != 2) continue;
    const auto [first, last] = arguments[1];
    const bool is_first = last == first + 4 && tokens[first + 1].is("[") && tokens[first + 2].is("0");
    const auto declared = is_first ? declaration_for(facts, tokens[first].text, at) : std::nullopt;
    if (!declared || !has_word(type_of(tokens, *declared), "__shared__")) continue;
    // At the depth of the kernel's body: no condition is around it, unless it returned before.
    int depth = 0;
    bool returns = false;
    for (std::size_t before = function->body; before < at; ++before) {
      depth += tokens[before].is("{") - tokens[before].is("}");
      returns |= tokens[before].is("return");
    }
    if (depth == 1 && !returns)
      add_suspicion(facts, tokens[at].line, msg::cause_atomic_of_all(Code{code_of(tokens, arguments[1])}),
                    found);
  }
}

// A kernel that the program defines and never launches, beside others that it launches.
void add_kernels_without_launch(const Facts& facts, Found& found) {
  const auto is_mentioned = [&](const FoundFunction& function) {
    std::size_t mentions = 0;
    for (const SourceToken& token : facts.tokens)
      mentions += token.is(function.name) || (token.kind == TokenKind::kDirective &&
                                              token.text.find(function.name) != std::string_view::npos);
    return mentions > 1;
  };
  const bool launches_any = std::ranges::any_of(facts.functions, [&](const FoundFunction& function) {
    return function.is_kernel && is_mentioned(function);
  });
  if (!launches_any) return;
  for (const FoundFunction& function : facts.functions)
    if (function.is_kernel && !is_mentioned(function))
      add_suspicion(facts, function.line, msg::cause_never_launched(Code{std::string(function.name)}), found);
}

}  // namespace cudalab::compile
