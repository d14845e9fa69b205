// Cuts CUDA C++ source into words, marks and preprocessor lines; it knows no grammar beyond that.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cudalab::compile {

enum class TokenKind {
  kWord,       // a name or keyword
  kText,       // a number, a string or a character
  kMark,       // one character of punctuation
  kDirective,  // a preprocessor line with its continuations
};

struct SourceToken {
  TokenKind kind{};
  std::string_view text;  // in the source that was cut
  std::size_t begin = 0;  // its place there
  int line = 0;           // that it begins in, the first being 1
  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view wanted) const { return text == wanted; }
};

// Comments and what stands under `#if 0` are left out. Never fails: what is not closed ends with its line, or
// with the source.
std::vector<SourceToken> tokens_of(std::string_view source);

// The word after `#`: "include", "if"; empty where none is.
std::string_view directive_name(const SourceToken& directive);
// What follows that word, without blanks around it and without a comment at its end.
std::string_view directive_rest(const SourceToken& directive);

}  // namespace cudalab::compile
