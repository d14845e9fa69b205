// Splits PTX text into tokens: words, directives, numbers, strings and punctuation.
#include "ptx/lexer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "messages/ptx.h"

namespace cudalab::ptx {
namespace {

enum Class : std::uint8_t { kOther = 0, kBlank = 1, kDigit = 2, kNameStart = 4, kNamePart = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (char c : {' ', '\t', '\r', '\n', '\f', '\v'}) classes[static_cast<unsigned char>(c)] = kBlank;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit | kNamePart;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kNameStart | kNamePart;
  for (char c : {'_', '$'}) classes[static_cast<unsigned char>(c)] = kNameStart | kNamePart;
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool is(char c, Class wanted) { return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0; }

constexpr std::array<std::string_view, 8> kPairs{"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

std::string_view without_trailing_nulls(std::string_view text) {
  while (text.ends_with('\0')) text.remove_suffix(1);
  return text;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view name)
    : text_(without_trailing_nulls(text)), name_(name) {
  if (text_.size() > kMaxTextBytes)
    throw usage_error(msg::ptx_text_too_long(name_, text_.size(), kMaxTextBytes));
}

// token ::= word | directive | number | string | punctuation
Token Lexer::next() {
  skip_blanks();
  if (position_ == text_.size()) return token(Token::Kind::kEnd, position_, position_);
  if (++tokens_ > kMaxTokens)
    throw error(token(Token::Kind::kEnd, position_, position_), msg::ptx_tokens_too_many());
  const char c = text_[position_];
  if (is(c, kNameStart) || (c == '%' && is(at(position_ + 1), kNamePart))) return word();
  if (is(c, kDigit)) return number();
  if (c == '.' && is(at(position_ + 1), kNamePart)) return directive();
  return c == '"' ? string() : punctuation();
}

void Lexer::skip_past_closing_brace() {
  while (true) {
    const Token skipped = next();
    if (skipped.kind == Token::Kind::kEnd)
      throw error(skipped, msg::ptx_expected(Code{"}"}, msg::ptx_found_end()));
    if (skipped.text == "}") return;
    --tokens_;
  }
}

Error Lexer::error(const Token& at, Message problem) const {
  const std::size_t offset = static_cast<std::size_t>(at.text.data() - text_.data());
  const std::size_t newline = text_.substr(0, offset).rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset + 1 : offset - newline;
  return usage_error(msg::ptx_error(name_, at.line, column, std::move(problem)));
}

// blanks ::= (space | newline | comment)*
void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (is(c, kBlank)) {
      line_ += c == '\n';
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      skip_line_comment();
    } else if (c == '/' && at(position_ + 1) == '*') {
      skip_block_comment();
    } else {
      return;
    }
  }
}

void Lexer::skip_line_comment() { position_ = std::min(text_.find('\n', position_), text_.size()); }

void Lexer::skip_block_comment() {
  const std::size_t end = text_.find("*/", position_ + 2);
  if (end == std::string_view::npos)
    throw error(token(Token::Kind::kEnd, position_, position_), msg::ptx_comment_unclosed());
  line_ += static_cast<int>(std::count(text_.begin() + position_, text_.begin() + end, '\n'));
  position_ = end + 2;
}

Token Lexer::token(Token::Kind kind, std::size_t begin, std::size_t end) {
  position_ = end;
  return {kind, text_.substr(begin, end - begin), line_};
}

// word ::= (name_start | "%") name_part* (("." | "::") name_part+)*
Token Lexer::word() {
  std::size_t end = end_of_name(position_ + 1);
  while (true) {
    if (at(end) == '.' && is(at(end + 1), kNamePart)) {
      end = end_of_name(end + 1);
    } else if (at(end) == ':' && at(end + 1) == ':' && is(at(end + 2), kNamePart)) {
      end = end_of_name(end + 2);
    } else {
      return token(Token::Kind::kWord, position_, end);
    }
  }
}

// directive ::= "." name_part+ ("::" name_part+)*
Token Lexer::directive() {
  std::size_t end = end_of_name(position_ + 1);
  while (at(end) == ':' && at(end + 1) == ':' && is(at(end + 2), kNamePart)) end = end_of_name(end + 2);
  return token(Token::Kind::kDirective, position_, end);
}

// number ::= digit name_part* ("." digit* exponent?)?     the sign of the exponent is not a name_part
Token Lexer::number() {
  std::size_t end = end_of_name(position_);
  const bool decimal =
      std::all_of(text_.begin() + position_, text_.begin() + end, [](char c) { return is(c, kDigit); });
  if (decimal && at(end) == '.') end = end_of_name(end + 1);
  const char prefix = at(position_ + 1);  // 0x, 0f and 0d digits may end in `e` before a minus sign
  const bool prefixed =
      at(position_) == '0' && !is(prefix, kDigit) && prefix != '.' && prefix != 'e' && prefix != 'E';
  const bool exponent = at(end - 1) == 'e' || at(end - 1) == 'E';
  if (!prefixed && exponent && (at(end) == '-' || at(end) == '+')) end = end_of_name(end + 1);
  return token(Token::Kind::kNumber, position_, end);
}

// string ::= '"' any character but '"' and newline '"'
Token Lexer::string() {
  const std::size_t end = text_.find_first_of("\"\n", position_ + 1);
  const Token opening = token(Token::Kind::kString, position_ + 1, position_ + 1);
  if (end == std::string_view::npos || text_[end] == '\n') throw error(opening, msg::ptx_string_unclosed());
  const Token result = token(Token::Kind::kString, position_, end);
  ++position_;
  return result;
}

Token Lexer::punctuation() {
  const std::string_view two = text_.substr(position_, 2);
  const bool pair = std::find(kPairs.begin(), kPairs.end(), two) != kPairs.end();
  return token(Token::Kind::kPunctuation, position_, position_ + (pair ? 2 : 1));
}

// name_part ::= letter | digit | "_" | "$" | "@" before a digit, as in the renamed `name@2`
std::size_t Lexer::end_of_name(std::size_t from) const {
  while (name_continues_at(from)) ++from;
  return from;
}

bool Lexer::name_continues_at(std::size_t position) const {
  const char c = at(position);
  return is(c, kNamePart) || (c == '@' && is(at(position + 1), kDigit));
}

}  // namespace cudalab::ptx
