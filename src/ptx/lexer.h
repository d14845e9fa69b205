// Cuts PTX text into tokens: words, directives, numbers, strings and punctuation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"

namespace cudalab::ptx {

struct Token {
  enum class Kind {
    kEnd,
    kWord,         // `ld.global.f32`, `%tid.x`, `$L__BB0_1`: dots and `::` inside belong to the word
    kDirective,    // `.reg`; the dot is part of the text, the next dot starts another token
    kNumber,       // `12`, `0x1FU`, `0f3F800000`, `1.5e-3`
    kString,       // without the quotes
    kPunctuation,  // one character, or one of << >> <= >= == != && ||
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  int line = 1;  // 1-based
};

// Reads tokens one after the other. Both functions throw Error(kUsage) on text that is no token.
class Lexer {
 public:
  // `name` stands in messages. Null characters at the end are ignored: NVRTC's size of the text counts one.
  Lexer(std::string_view text, std::string_view name);

  Token next();
  // Skips to after the next `}`; for sections, whose contents nothing here needs.
  void skip_past_closing_brace();

  // "NAME:LINE:COLUMN: MESSAGE", where the position is that of `at`, a part of the text.
  [[nodiscard]] Error error(const Token& at, std::string_view message) const;

 private:
  void skip_blanks();
  void skip_line_comment();
  void skip_block_comment();
  Token token(Token::Kind kind, std::size_t begin, std::size_t end);
  Token word();
  Token directive();
  Token number();
  Token string();
  Token punctuation();
  std::size_t end_of_name(std::size_t from) const;
  bool name_continues_at(std::size_t position) const;
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  std::string_view text_;
  std::string name_;
  std::size_t position_ = 0;
  std::size_t tokens_ = 0;
  int line_ = 1;
};

}  // namespace cudalab::ptx
