// Splits PTX text into tokens, and defines the size limits of accepted text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/diagnostics/message.h"
#include "core/error.h"

namespace cudalab::ptx {

// Size limits of PTX text. Compilers emit far less; the limits stop hostile text.

inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxTokens = std::size_t{8} << 20;      // without debug sections
inline constexpr std::size_t kMaxStatements = std::size_t{1} << 20;  // sum over all functions
inline constexpr std::size_t kMaxScopeDepth = 64;                    // nested `{ }` inside a function
inline constexpr std::size_t kMaxOpcodeParts = 32;                   // `ld.global.v4.f32` has four
inline constexpr std::size_t kMaxDimensions = 8;                     // `x[2][3]` has two
// Zeros that complete the rows of initializers such as `{{1}, {2}}`.
inline constexpr std::size_t kMaxPaddedElements = std::size_t{1} << 20;
inline constexpr std::uint64_t kMaxRegistersPerFunction = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxFiles = std::uint64_t{1} << 16;  // the highest `.file` number
inline constexpr std::size_t kMaxInlineDepth = 64;                  // lines kept in `inlined_at`
// The sum of the lengths of file names, repeated for each instruction.
inline constexpr std::size_t kMaxLineTableBytes = std::size_t{256} << 20;
inline constexpr std::size_t kShownNameLength = 40;  // longest excerpt of the text in an error message

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

// The beginning of a name or a number, for an error message.
inline Code shortened(std::string_view text) { return {std::string(text.substr(0, kShownNameLength))}; }

// Reads one token at a time. Both functions throw Error(kUsage) if the text is not a valid token.
class Lexer {
 public:
  // `name` appears in error messages. Trailing null characters are ignored, because NVRTC counts one in the
  // size of the text.
  Lexer(std::string_view text, std::string_view name);

  Token next();
  // Skips the text up to and including the next `}`. Used for sections whose contents are not needed.
  void skip_past_closing_brace();

  // An error `ptx_error` with the problem and the position of `at`, which is a part of the text.
  [[nodiscard]] Error error(const Token& at, Message problem) const;

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
