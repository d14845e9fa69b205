// A source as a compiler first sees it: tokens, without comments and blanks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudalab::grading {

struct Token {
  enum Kind { kWord, kNumber, kText, kSign, kEndOfDirective };
  Kind kind{};
  std::string_view text;  // of the source, which must outlive it
  int line = 1;
};

// Of any bytes at all: what is no token of C++ is a sign of one byte. Comments and what stands under `#if 0`
// are left out; what does not end, ends with its line or with the source.
std::vector<Token> tokens_of(std::string_view source);

// The tokens' texts, with each name that the source itself gives to something replaced by the number of its
// first appearance. Names of the language, of CUDA's and of the lab's (TYPE, BLOCK) stay as they are, so that
// only sources which differ in names of their own, blanks and comments are equal.
std::vector<std::string> without_own_names(const std::vector<Token>& tokens);

// Nothing was done but that: the file is as it was handed out.
bool differs_in_names_only(std::string_view source, std::string_view other);

}  // namespace cudalab::grading
