#include "lab/running/array_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "compile/sources/source_tokens.h"

namespace cudalab::lab {
namespace {

using compile::SourceToken;
using compile::TokenKind;
using Tokens = std::span<const SourceToken>;

// ---- constants ---------------------------------------------------------------------------------------
std::optional<std::uint64_t> number_in(std::string_view text) {
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() ? std::optional(number)
                                                                             : std::nullopt;
}

// What names stand for: `#define TILE 32`, `const int kRows = 16;`. One that is defined in two ways stands
// for nothing.
class Constants {
 public:
  Constants(Tokens tokens, const Macros& given) {
    for (const auto& [name, value] : given) {
      values_[name] = compile::tokens_of(value);
      given_.insert(name);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind == TokenKind::kDirective && compile::directive_name(tokens[i]) == "define")
        add_macro(tokens[i]);
      if (tokens[i].is("const") || tokens[i].is("constexpr")) add_constants(tokens.subspan(i));
    }
  }

  std::optional<std::uint64_t> value_of(Tokens expression) const { return Reader{*this, expression}.whole(); }

 private:
  void add_macro(const SourceToken& directive) {
    const std::string_view rest = compile::directive_rest(directive);
    const std::size_t end = rest.find_first_of(" \t(");
    if (end == std::string_view::npos || rest[end] == '(') return;
    add(rest.substr(0, end), compile::tokens_of(rest.substr(end)));
  }

  // `const int a = 4, b = 5;`: each word before a `=`, up to the comma.
  void add_constants(Tokens tokens) {
    for (std::size_t i = 1;
         i + 1 < tokens.size() && !tokens[i].is(";") && !tokens[i].is(")") && !tokens[i].is("{"); ++i) {
      if (tokens[i].kind != TokenKind::kWord || !tokens[i + 1].is("=")) continue;
      std::size_t end = i + 2;
      while (end < tokens.size() && !tokens[end].is(",") && !tokens[end].is(";")) ++end;
      const Tokens value = tokens.subspan(i + 2, end - i - 2);
      add(tokens[i].text, {value.begin(), value.end()});
    }
  }

  void add(std::string_view name, std::vector<SourceToken> value) {
    if (given_.contains(name)) return;
    const auto [known, is_new] = values_.try_emplace(name, value);
    const bool is_same = std::ranges::equal(known->second, value, {}, &SourceToken::text, &SourceToken::text);
    if (!is_new && !is_same) known->second.clear();
  }

  // sum = product { (+|-) product };  product = part { (*|/) part };  part = number | name | ( sum )
  struct Reader {
    const Constants& constants;
    Tokens left;
    int depth = 0;

    std::optional<std::uint64_t> whole() {
      const auto value = sum();
      return left.empty() ? value : std::nullopt;
    }
    std::optional<std::uint64_t> sum() {
      auto value = product();
      while (value && !left.empty() && (left[0].is("+") || left[0].is("-"))) {
        const bool adds = take().is("+");
        const auto other = product();
        value = !other || (!adds && *other > *value)
                    ? std::nullopt
                    : std::optional(adds ? *value + *other : *value - *other);
      }
      return value;
    }
    std::optional<std::uint64_t> product() {
      auto value = part();
      while (value && !left.empty() && (left[0].is("*") || left[0].is("/"))) {
        const bool multiplies = take().is("*");
        const auto other = part();
        value = !other || (!multiplies && *other == 0)
                    ? std::nullopt
                    : std::optional(multiplies ? *value * *other : *value / *other);
      }
      return value;
    }
    std::optional<std::uint64_t> part() {
      constexpr int kDeepest = 16;
      if (left.empty() || depth > kDeepest) return std::nullopt;
      const SourceToken token = take();
      if (token.kind == TokenKind::kText) return number_in(token.text);
      if (token.is("(")) {
        ++depth;
        const auto value = sum();
        --depth;
        return !left.empty() && take().is(")") ? value : std::nullopt;
      }
      const auto found = constants.values_.find(token.text);
      if (found == constants.values_.end()) return std::nullopt;
      return Reader{constants, found->second, depth + 1}.whole();
    }
    SourceToken take() {
      const SourceToken token = left[0];
      left = left.subspan(1);
      return token;
    }
  };

  std::map<std::string_view, std::vector<SourceToken>> values_;
  std::set<std::string_view> given_;
};

// ---- declarations ------------------------------------------------------------------------------------
// The indices or dimensions behind a name: what stands in each pair of brackets.
std::vector<Tokens> brackets_behind(Tokens tokens) {
  std::vector<Tokens> all;
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

std::optional<DeclaredArray> shape_at(Tokens tokens, const Constants& constants) {
  const std::vector<Tokens> dimensions = brackets_behind(tokens.subspan(1));
  if (tokens[0].kind != TokenKind::kWord || dimensions.empty()) return std::nullopt;
  DeclaredArray shape{std::string(tokens[0].text), tokens[0].line, {}};
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    const auto value = constants.value_of(dimensions[i]);
    if (!value || *value == 0) return DeclaredArray{shape.name, shape.line, {}};
    shape.inner.push_back(*value);
  }
  return shape;
}

// Also arrays of one dimension, and of unknown ones: `inner` is empty.
std::vector<DeclaredArray> declared_arrays(Tokens tokens, const Macros& given) {
  const Constants constants(tokens, given);
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

// ---- elements ----------------------------------------------------------------------------------------
bool takes_element(Tokens tokens, const std::string& name, int line, std::size_t dimensions) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].line == line && tokens[i].is(name) &&
        brackets_behind(tokens.subspan(i + 1)).size() == dimensions)
      return true;
  return false;
}

std::string indices_text(std::uint64_t flat, const std::vector<std::uint64_t>& inner) {
  std::string text;
  for (auto size = inner.rbegin(); size != inner.rend(); ++size) {
    text = fmt::format("[{}]", flat % *size) + text;
    flat /= *size;
  }
  return fmt::format("[{}]", flat) + text;
}

}  // namespace

std::vector<DeclaredArray> array_shapes(std::string_view source, const Macros& given) {
  const std::vector<SourceToken> tokens = compile::tokens_of(source);
  std::vector<DeclaredArray> shapes = declared_arrays(tokens, given);
  std::erase_if(shapes, [](const DeclaredArray& shape) { return shape.inner.empty(); });
  return shapes;
}

std::string named_by_rows(std::string text, const std::string& name, int line, std::string_view source,
                          const Macros& given) {
  const std::string begin = "`" + name + "[";
  if (name.empty() || text.find(begin) == std::string::npos) return text;
  const std::vector<SourceToken> tokens = compile::tokens_of(source);
  const DeclaredArray* declared = nullptr;
  const std::vector<DeclaredArray> shapes = declared_arrays(tokens, given);
  for (const DeclaredArray& shape : shapes)
    if (shape.name == name && shape.line <= line) declared = &shape;
  if (!declared || declared->inner.empty() || !takes_element(tokens, name, line, declared->inner.size() + 1))
    return text;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t digits = at + begin.size(), end = text.find("]`", digits);
    if (end == std::string::npos) break;
    if (const auto flat = number_in(std::string_view(text).substr(digits, end - digits)))
      text.replace(digits - 1, end + 2 - digits, indices_text(*flat, declared->inner));
  }
  return text;
}

}  // namespace cudalab::lab
