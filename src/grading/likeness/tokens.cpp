// Cuts a source into tokens, and numbers the names that are its own.
#include "grading/likeness/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "core/text.h"

namespace cudalab::grading {
namespace {

// ---- cutting ------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 27> kLongSigns{
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--", "<<", ">>", "<=",
    ">=",  "==",  "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^="};

class Cutter {
 public:
  explicit Cutter(std::string_view source) : source_(source) {}

  std::vector<Token> tokens() {
    while (at_ < source_.size()) step();
    end_directive();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool sees(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  void step() {
    if (peek() == '\n') return end_line();
    if (sees("\\\n")) return skip(2);
    if (kBlanks.find(peek()) != std::string_view::npos) return skip(1);
    if (sees("//")) return skip_line_comment();
    if (sees("/*")) return skip_to("*/", 2);
    if (sees("R\"")) return take_raw_text();
    if (peek() == '"' || peek() == '\'') return take_quoted(peek());
    if (is_word_start(peek())) return take_word();
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return take_number();
    take_sign();
  }

  void skip(std::size_t count) {
    const std::string_view skipped = source_.substr(at_, count);
    line_ += static_cast<int>(std::count(skipped.begin(), skipped.end(), '\n'));
    at_ += skipped.size();
  }
  void take(Token::Kind kind, std::size_t count) {
    tokens_.push_back({kind, source_.substr(at_, count), line_});
    skip(count);
  }
  // From `from` bytes on to the end of `end`, or of the source.
  std::size_t length_to(std::string_view end, std::size_t from) const {
    const std::size_t found = source_.find(end, at_ + from);
    return found == std::string_view::npos ? source_.size() - at_ : found + end.size() - at_;
  }
  void skip_to(std::string_view end, std::size_t from) { skip(length_to(end, from)); }

  void end_line() {
    end_directive();
    skip(1);
  }
  void end_directive() {
    if (in_directive_) tokens_.push_back({Token::kEndOfDirective, "\n", line_});
    in_directive_ = false;
  }

  void skip_line_comment() {
    while (at_ < source_.size() && peek() != '\n') skip(sees("\\\n") ? 2 : 1);
  }

  void take_quoted(char quote) {
    std::size_t length = 1;
    while (at_ + length < source_.size() && peek(length) != quote && peek(length) != '\n')
      length += peek(length) == '\\' ? 2 : 1;
    take(Token::kText, length + 1);
  }

  void take_raw_text() {
    const std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) return take(Token::kWord, 1);
    const std::string end = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
    take(Token::kText, length_to(end, open - at_));
  }

  void take_word() {
    std::size_t length = 1;
    while (is_word(peek(length))) ++length;
    take(Token::kWord, length);
  }

  void take_number() {
    std::size_t length = 1;
    const auto goes_on = [&] {
      const char before = peek(length - 1), here = peek(length);
      const bool is_sign_of_exponent =
          (here == '+' || here == '-') && std::string_view("eEpP").find(before) != std::string_view::npos;
      return is_word(here) || here == '.' || here == '\'' || is_sign_of_exponent;
    };
    while (at_ + length < source_.size() && goes_on()) ++length;
    take(Token::kNumber, length);
  }

  void take_sign() {
    if (peek() == '#') in_directive_ = true;
    for (const std::string_view sign : kLongSigns)
      if (sees(sign)) return take(Token::kSign, sign.size());
    take(Token::kSign, 1);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool in_directive_ = false;
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

std::vector<Token> tokens_of(std::string_view source) { return Cutter(source).tokens(); }

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
