// Cuts a source into tokens, and numbers the names that are its own.
#include "grading/likeness/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "compile/sources/source_tokens.h"
#include "core/text.h"

namespace cudalab::grading {
namespace {

// ---- cutting ------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 27> kLongSigns{
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--", "<<", ">>", "<=",
    ">=",  "==",  "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^="};

// Of what is cut further: a directive is cut like the rest, and signs are as long as the language has them.
class Joiner {
 public:
  std::vector<Token> tokens(std::string_view source) {
    add(source, 1);
    return std::move(tokens_);
  }

 private:
  void add(std::string_view source, int first_line) {
    const std::vector<compile::SourceToken> cut = compile::tokens_of(source);
    for (std::size_t i = 0; i < cut.size(); ++i) {
      const int line = first_line + cut[i].line - 1;
      switch (cut[i].kind) {
        case compile::TokenKind::kWord: tokens_.push_back({Token::kWord, cut[i].text, line}); break;
        case compile::TokenKind::kText:
          tokens_.push_back(
              {is_digit(cut[i].text.front()) ? Token::kNumber : Token::kText, cut[i].text, line});
          break;
        case compile::TokenKind::kMark: i += add_sign(source, cut[i].begin, line); break;
        case compile::TokenKind::kDirective: add_directive(cut[i].text, line);
      }
    }
  }

  // Returns how many marks more than one it takes.
  std::size_t add_sign(std::string_view source, std::size_t at, int line) {
    const std::string_view rest = source.substr(at);
    if (rest.starts_with("\\\n")) return 0;  // the line goes on
    const auto* sign = std::ranges::find_if(kLongSigns, [&](auto one) { return rest.starts_with(one); });
    const std::size_t length = sign == kLongSigns.end() ? 1 : sign->size();
    tokens_.push_back({Token::kSign, rest.substr(0, length), line});
    return length - 1;
  }

  void add_directive(std::string_view text, int line) {
    tokens_.push_back({Token::kSign, text.substr(0, 1), line});
    add(text.substr(1), line);
    tokens_.push_back({Token::kEndOfDirective, "\n", line});
  }

  std::vector<Token> tokens_;
};

// ---- names ---------------------------------------------------------------------------------------------

const std::set<std::string_view>& words_of_the_language() {
  static const std::set<std::string_view> words{
      "alignas",  "alignof",  "auto",      "bool",     "break",   "case",     "catch",     "char",
      "class",    "const",    "constexpr", "continue", "default", "delete",   "do",        "double",
      "else",     "enum",     "explicit",  "extern",   "false",   "float",    "for",       "friend",
      "goto",     "if",       "inline",    "int",      "long",    "mutable",  "namespace", "new",
      "noexcept", "nullptr",  "operator",  "private",  "public",  "register", "return",    "short",
      "signed",   "sizeof",   "static",    "struct",   "switch",  "template", "this",      "throw",
      "true",     "try",      "typedef",   "typename", "union",   "unsigned", "using",     "virtual",
      "void",     "volatile", "while",     "define",   "undef",   "ifdef",    "ifndef",    "endif",
      "elif",     "include",  "pragma",    "unroll",   "asm",     "std",      "threadIdx", "blockIdx",
      "blockDim", "gridDim",  "warpSize",  "dim3",     "main",    "stdin",    "stdout",    "stderr"};
  return words;
}

// TYPE, BLOCK, M_PI: by custom a macro, and where the source does not define it, somebody else does.
bool is_shouted(std::string_view word) {
  return std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
}

// float4, uint2
bool is_vector_type(std::string_view word) {
  static const std::set<std::string_view> elements{"char",  "uchar",    "short",     "ushort",
                                                   "int",   "uint",     "long",      "ulong",
                                                   "float", "longlong", "ulonglong", "double"};
  return is_digit(word.back()) && elements.contains(word.substr(0, word.size() - 1));
}

bool is_of_the_platform(std::string_view word) {
  return words_of_the_language().contains(word) || word.starts_with("__") || word.starts_with("cuda") ||
         word.ends_with("_t") || is_vector_type(word);
}

bool names_a_type(const Token& token) {
  static const std::set<std::string_view> types{"void",  "bool",   "char",     "short",  "int",  "long",
                                                "float", "double", "unsigned", "signed", "auto", "const"};
  const std::string_view word = token.text;
  return token.kind == Token::kWord &&
         (types.contains(word) || word.ends_with("_t") || is_vector_type(word) || is_shouted(word));
}

class OwnNames {
 public:
  explicit OwnNames(const std::vector<Token>& tokens) : tokens_(tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (is(i, "define")) defined_.insert(tokens[i + 1].text);
      if (i > 0 && is(i + 1, "(") && names_a_type(tokens[i - 1])) functions_.insert(tokens[i].text);
    }
  }

  bool is_own(std::size_t i) const {
    const Token& token = tokens_[i];
    if (token.kind != Token::kWord) return false;
    if (defined_.contains(token.text)) return true;
    if (is_of_the_platform(token.text) || is_shouted(token.text) || is_a_member(i)) return false;
    return !is(i + 1, "(") || functions_.contains(token.text);  // else a function that somebody else wrote
  }

 private:
  bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }
  bool is_a_member(std::size_t i) const {
    return i > 0 && (is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "::"));
  }
  const std::vector<Token>& tokens_;
  std::set<std::string_view> defined_, functions_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Joiner().tokens(source); }

std::vector<std::string> without_own_names(const std::vector<Token>& tokens) {
  const OwnNames names(tokens);
  std::map<std::string_view, std::size_t> numbers;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    texts.push_back(names.is_own(i)
                        ? fmt::format("{}", numbers.emplace(text, numbers.size()).first->second) + "#"
                        : std::string(text));
  }
  return texts;
}

bool differs_in_names_only(std::string_view source, std::string_view other) {
  return without_own_names(tokens_of(source)) == without_own_names(tokens_of(other));
}

}  // namespace cudalab::grading
