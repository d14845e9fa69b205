// Finds similar kernels of different students by winnowing of source tokens.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grading/grade.h"
#include "grading/submission.h"

namespace cudalab::grading {

// A source as a compiler first sees it: tokens, without comments and blanks.

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

// How much of one source stands in another, whatever its names, numbers, blanks and comments: winnowing, as
// in S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting",
// SIGMOD 2003.

inline constexpr std::size_t kNoise = 12;  // tokens: what is shorter is no sign of anything
inline constexpr std::size_t kWindow =
    6;  // fingerprints: a shared stretch of kNoise + kWindow - 1 tokens is found

// Fingerprints of a source and the lines that they begin at.
using Fingerprints = std::multimap<std::uint64_t, int>;
Fingerprints fingerprints_of(std::string_view source);

struct Likeness {
  double share = 0;  // of the fingerprints of the one with fewer that the other has, too
  std::size_t shared = 0;
  int line = 0, other_line = 0;  // where the first shared one stands
};

// Without those of `known`: code that the course hands out is nobody's.
Likeness likeness(const Fingerprints& one, const Fingerprints& other, const Fingerprints& known);

struct HandedIn {
  std::string student, source;
};

// Of a class: who is like whom, each with the one of another student that it is most like. Places are indices
// of `sources`.
struct LikePair {
  std::size_t one = 0, other = 0;
  Likeness likeness;
};
inline constexpr double kLikeEnough = 0.8;
inline constexpr std::size_t kEnoughShared = 6;
inline constexpr std::size_t kFewOwners = 10;  // a fingerprint of more sources, and of a tenth, is an idiom
bool is_like_enough(const Likeness& likeness);
std::vector<LikePair> like_pairs(const std::vector<HandedIn>& sources, const std::vector<std::string>& known);

// Flags kernels that are like another student's.

// For the instructor, among the kernel files of one exercise and with its solution: by tokens
// (likeness/winnowing.h), without what the course hands out; compared with the solution, without the starter.
// Says both places: "81 % like class/bob/x.cu: line 12 here, line 14 there". `grades` are those of the
// submissions, in their order; the sources are read again, and stay on this machine.
void flag_likeness(const std::vector<Submission>& submissions, std::vector<Grade>& grades);

}  // namespace cudalab::grading
