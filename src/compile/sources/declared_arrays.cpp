// Finds the declarations of arrays in a source, and the sizes of their dimensions.
#include "compile/sources/declared_arrays.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "core/expression.h"

namespace cudalab::compile {
namespace {

// ---- constants ---------------------------------------------------------------------------------------
std::optional<std::uint64_t> integer_in(std::string_view text) {
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() ? std::optional(number)
                                                                             : std::nullopt;
}

// The values of names: `#define TILE 32`, `const int kRows = 16;`. A name with two definitions has no value.
class KnownConstants {
 public:
  KnownConstants(TokenSpan tokens, const Macros& given) {
    for (const auto& [name, value] : given) {
      values_[name] = tokens_of(value);
      given_.insert(name);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind == TokenKind::kDirective && directive_name(tokens[i]) == "define")
        add_macro(tokens[i]);
      if (tokens[i].is("const") || tokens[i].is("constexpr")) add_constants(tokens.subspan(i));
    }
  }

  std::optional<std::uint64_t> value_of(TokenSpan expression) const {
    try {
      return Reader(*this, expression).whole().bits;
    } catch (const Reader::NoNumber&) {
      return std::nullopt;
    }
  }

 private:
  void add_macro(const SourceToken& directive) {
    const std::string_view rest = directive_rest(directive);
    const std::size_t end = rest.find_first_of(" \t(");
    if (end == std::string_view::npos || rest[end] == '(') return;
    add(rest.substr(0, end), tokens_of(rest.substr(end)));
  }

  // `const int a = 4, b = 5;`: a value is the text between `=` and the next comma.
  void add_constants(TokenSpan tokens) {
    for (std::size_t i = 1;
         i + 1 < tokens.size() && !tokens[i].is(";") && !tokens[i].is(")") && !tokens[i].is("{"); ++i) {
      if (tokens[i].kind != TokenKind::kWord || !tokens[i + 1].is("=")) continue;
      std::size_t end = i + 2;
      while (end < tokens.size() && !tokens[end].is(",") && !tokens[end].is(";")) ++end;
      const TokenSpan value = tokens.subspan(i + 2, end - i - 2);
      add(tokens[i].text, {value.begin(), value.end()});
    }
  }

  void add(std::string_view name, std::vector<SourceToken> value) {
    if (given_.contains(name)) return;
    const auto [known, is_new] = values_.try_emplace(name, value);
    const bool is_same = std::ranges::equal(known->second, value, {}, &SourceToken::text, &SourceToken::text);
    if (!is_new && !is_same) known->second.clear();
  }

  // Reads integers, and names of integer expressions.
  class Reader : public ExpressionClient {
   public:
    using Value = Integer;
    struct NoNumber {};

    Reader(const KnownConstants& constants, TokenSpan tokens, int depth = 0)
        : constants_(constants), left_(tokens), depth_(depth) {}

    Integer whole() {
      const Integer value = ExpressionParser(*this).expression();
      return left_.empty() ? value : throw NoNumber();
    }

    std::string_view sign() const { return token(); }
    std::string_view token() const { return left_.empty() ? std::string_view() : left_[0].text; }
    void take() { left_ = left_.subspan(1); }

    Integer operand() {
      constexpr int kDeepest = 16;
      if (left_.empty() || depth_ > kDeepest) throw NoNumber();
      const SourceToken token = left_[0];
      take();
      if (const auto number = token.kind == TokenKind::kText ? integer_in(token.text) : std::nullopt)
        return {*number, true};
      const auto found = constants_.values_.find(token.text);
      return found != constants_.values_.end() ? Reader(constants_, found->second, depth_ + 1).whole()
                                               : throw NoNumber();
    }

    Integer apply(const Operation& operation, std::span<const Integer> values) const {
      const auto value = apply_to_integers(operation.op, values);
      // Negative values are not accepted.
      return value && value->bits <= INT64_MAX ? *value : throw NoNumber();
    }

    [[noreturn]] void expected(std::string_view) const { throw NoNumber(); }
    [[noreturn]] void refuse(const Message&) const { throw NoNumber(); }

   private:
    const KnownConstants& constants_;
    TokenSpan left_;
    int depth_;
  };

  std::map<std::string_view, std::vector<SourceToken>> values_;
  std::set<std::string_view> given_;
};

}  // namespace

std::vector<TokenSpan> brackets_behind(TokenSpan tokens) {
  std::vector<TokenSpan> all;
  while (!tokens.empty() && tokens[0].is("[")) {
    int depth = 0;
    std::size_t end = 0;
    for (; end < tokens.size(); ++end) {
      depth += tokens[end].is("[") ? 1 : tokens[end].is("]") ? -1 : 0;
      if (depth == 0) break;
    }
    if (end == tokens.size()) break;
    all.push_back(tokens.subspan(1, end - 1));
    tokens = tokens.subspan(end + 1);
  }
  return all;
}

namespace {

std::optional<DeclaredArray> shape_at(TokenSpan tokens, const KnownConstants& constants) {
  const std::vector<TokenSpan> dimensions = brackets_behind(tokens.subspan(1));
  if (tokens[0].kind != TokenKind::kWord || dimensions.empty()) return std::nullopt;
  DeclaredArray shape{std::string(tokens[0].text), tokens[0].line, {}};
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    const auto value = constants.value_of(dimensions[i]);
    if (!value || *value == 0) return DeclaredArray{shape.name, shape.line, {}};
    shape.inner.push_back(*value);
  }
  return shape;
}

}  // namespace

std::vector<DeclaredArray> declared_arrays(TokenSpan tokens, const Macros& given) {
  const KnownConstants constants(tokens, given);
  std::vector<DeclaredArray> shapes;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__shared__") && !tokens[i].is("__device__") && !tokens[i].is("__constant__")) continue;
    for (++i; i < tokens.size() && !tokens[i].is(";") && !tokens[i].is("{") && !tokens[i].is("("); ++i)
      if (tokens[i].is("alignas") || tokens[i].is("__align__"))
        while (i + 1 < tokens.size() && !tokens[i].is(")")) ++i;
      else if (auto shape = shape_at(tokens.subspan(i), constants))
        shapes.push_back(*std::move(shape));
  }
  return shapes;
}

std::vector<DeclaredArray> array_shapes(std::string_view source, const Macros& given) {
  const std::vector<SourceToken> tokens = tokens_of(source);
  std::vector<DeclaredArray> shapes = declared_arrays(tokens, given);
  std::erase_if(shapes, [](const DeclaredArray& shape) { return shape.inner.empty(); });
  return shapes;
}

}  // namespace cudalab::compile
