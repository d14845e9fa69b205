#include "compile/explain/source_suspicions.h"

#include <algorithm>
#include <charconv>

#include "compile/explain/suspicion_rules.h"

namespace cudalab::compile {

void add_suspicion(const Facts& facts, int line, Message what, Found& found) {
  Diagnosis suspicion{.where = {facts.file_name, line}, .kind = "warning"};
  suspicion.instead = std::move(what);
  found.push_back(std::move(suspicion));
}

const FoundFunction* function_around(const Facts& facts, std::size_t at) {
  const auto found = std::ranges::find_if(facts.functions, [at](const FoundFunction& function) {
    return function.first <= at && at < function.last;
  });
  return found == facts.functions.end() ? nullptr : &*found;
}

bool is_in_device_code(const Facts& facts, std::size_t at) {
  const FoundFunction* function = function_around(facts, at);
  return function && function->is_device;
}

std::string code_of(const Tokens& tokens, const Range& range) {
  return text_of(std::span(tokens).subspan(range.first, range.second - range.first));
}

std::size_t call_around(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  while (at-- > 1) {
    if (tokens[at].is(";") || tokens[at].is("{") || tokens[at].is("}")) return 0;
    depth += tokens[at].is(")");
    if (tokens[at].is("(") && depth-- == 0) {
      if (tokens[at - 1].kind == TokenKind::kWord) return at;
      depth = 0;
    }
  }
  return 0;
}

std::vector<Range> arguments_of(const Tokens& tokens, std::size_t open) {
  std::vector<Range> arguments;
  const std::size_t close = closing(tokens, open);
  if (close >= tokens.size()) return arguments;
  int depth = 0;
  std::size_t first = open + 1;
  for (std::size_t at = open + 1; at <= close; ++at) {
    if (at == close || (depth == 0 && tokens[at].is(","))) {
      if (first < at) arguments.emplace_back(first, at);
      first = at + 1;
    }
    depth += tokens[at].is("(") || tokens[at].is("[") || tokens[at].is("{");
    depth -= tokens[at].is(")") || tokens[at].is("]") || tokens[at].is("}");
  }
  return arguments;
}

std::optional<std::size_t> declaration_for(const Facts& facts, std::string_view name, std::size_t at) {
  std::optional<std::size_t> best;
  for (const std::size_t declared : declarations_of(facts, name)) {
    const FoundFunction* function = function_around(facts, declared);
    if (declared <= at && (!function || function == function_around(facts, at))) best = declared;
  }
  return best;
}

std::span<const SourceToken> type_of(const Tokens& tokens, std::size_t declared) {
  std::size_t first = declared;
  int depth = 0;
  bool has_type = false;
  const auto ends = [&](const SourceToken& token) {
    return token.kind == TokenKind::kDirective || token.is(";") || token.is("{") || token.is("}") ||
           (depth == 0 && (token.is("(") || (has_type && token.is(","))));
  };
  while (first > 0 && !ends(tokens[first - 1])) {
    --first;
    has_type |= tokens[first].kind == TokenKind::kWord;
    depth += tokens[first].is(")") || tokens[first].is("]");
    depth -= tokens[first].is("(") || tokens[first].is("[");
  }
  return std::span(tokens).subspan(first, declared - first);
}

bool has_word(std::span<const SourceToken> tokens, std::string_view word) {
  return std::ranges::find(tokens, word, &SourceToken::text) != tokens.end();
}

std::vector<Range> configuration_at(const Tokens& tokens, std::size_t at) {
  std::vector<Range> parts;
  int depth = 0;
  std::size_t first = at + 3;
  for (std::size_t end = first; end < tokens.size() && !tokens[end].is(";"); ++end) {
    const bool is_end = run_of(tokens, end, ">") >= 3 && depth == 0;
    if (is_end || (depth == 0 && tokens[end].is(","))) {
      parts.emplace_back(first, end);
      first = end + 1;
    }
    if (is_end) return parts;
    depth += tokens[end].is("(") || tokens[end].is("{");
    depth -= tokens[end].is(")") || tokens[end].is("}");
  }
  return {};
}

namespace {

// Sums, products and quotients of integers, by recursive descent over the tokens of an expression.
class Constants {
 public:
  Constants(const Facts& facts, const Range& range, int depth)
      : facts_(facts), at_(range.first), end_(range.second), depth_(depth) {}

  std::optional<long long> value() {
    const auto sum = terms();
    return at_ == end_ ? sum : std::nullopt;
  }

 private:
  bool takes(std::string_view mark) {
    if (at_ >= end_ || !facts_.tokens[at_].is(mark)) return false;
    ++at_;
    return true;
  }
  std::optional<long long> terms() {
    auto sum = factors();
    while (sum) {
      const bool adds = takes("+");
      if (!adds && !takes("-")) return sum;
      const auto next = factors();
      sum = next ? std::optional(adds ? *sum + *next : *sum - *next) : std::nullopt;
    }
    return sum;
  }
  std::optional<long long> factors() {
    auto product = single();
    while (product) {
      const bool multiplies = takes("*");
      if (!multiplies && !takes("/")) return product;
      const auto next = single();
      if (!next || (!multiplies && *next == 0)) return std::nullopt;
      product = multiplies ? *product * *next : *product / *next;
    }
    return product;
  }
  std::optional<long long> single() {
    if (at_ >= end_) return std::nullopt;
    if (takes("(")) {
      const auto inside = terms();
      return takes(")") ? inside : std::nullopt;
    }
    const SourceToken& token = facts_.tokens[at_++];
    if (token.kind == TokenKind::kText) return number(token.text);
    return token.kind == TokenKind::kWord ? named(token.text) : std::nullopt;
  }
  static std::optional<long long> number(std::string_view text) {
    constexpr long long kMost = 1ll << 30;  // products of a few of them do not overflow
    long long value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = failed == std::errc() && end == text.data() + text.size();
    return is_whole && value < kMost ? std::optional(value) : std::nullopt;
  }
  // A constant: `const int n = …;`, `constexpr int n = …;`, or a macro that is a number.
  std::optional<long long> named(std::string_view name) const {
    constexpr int kDeepest = 8;
    const Tokens& tokens = facts_.tokens;
    if (depth_ >= kDeepest) return std::nullopt;
    for (const SourceToken& token : tokens)
      if (token.kind == TokenKind::kDirective && directive_name(token) == "define")
        if (const std::string_view rest = directive_rest(token);
            rest.starts_with(name) && rest.size() > name.size() && rest[name.size()] == ' ')
          return number(rest.substr(std::min(rest.find_first_not_of(' ', name.size()), rest.size())));
    const auto declared = declaration_for(facts_, name, end_);
    if (!declared || *declared + 2 >= tokens.size() || !tokens[*declared + 1].is("=")) return std::nullopt;
    const auto type = type_of(tokens, *declared);
    if (!has_word(type, "const") && !has_word(type, "constexpr")) return std::nullopt;
    std::size_t end = *declared + 2;
    while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is(",")) ++end;
    return Constants(facts_, {*declared + 2, end}, depth_ + 1).value();
  }

  const Facts& facts_;
  std::size_t at_, end_;
  int depth_;
};

}  // namespace

std::optional<long long> constant_value(const Facts& facts, const Range& expression) {
  return Constants(facts, expression, 0).value();
}

std::vector<Diagnosis> suspicions_in_source(const Facts& facts) {
  Found found;
  for (const auto rule :
       {add_references, add_constant_stores, add_comparisons, add_index_formulas, add_strides_of_a_block,
        add_uses_of_device_variables, add_exchanged_launches, add_grids_rounded_down, add_missing_addresses,
        add_sizes_of_pointers, add_sizes_of_other_types, add_sizes_without_type, add_addresses_of_vectors,
        add_integer_divisions, add_unset_sums, add_exchanged_events, add_macros_without_parentheses,
        add_memsets_of_values})
    rule(facts, found);
  return found;
}

std::vector<Diagnosis> suspicions_of_failure(const Facts& facts) {
  Found found;
  for (const auto rule :
       {add_kernels_without_launch, add_kernels_without_block, add_second_allocations,
        add_truncated_quotients, add_character_subscripts, add_random_states, add_halved_blocks,
        add_shuffles_of_a_warp, add_lost_results, add_atomics_of_all_threads, add_integer_sums,
        add_integer_accumulations, add_smallest_positive})
    rule(facts, found);
  return found;
}

}  // namespace cudalab::compile
