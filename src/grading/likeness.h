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

// A source as tokens, as in the first phase of a compiler: without comments and white space.

struct Token {
  enum Kind { kWord, kNumber, kText, kSign, kEndOfDirective };
  Kind kind{};
  std::string_view text;  // points into the source, which must outlive it
  int line = 1;
};

// Accepts arbitrary bytes: a byte that begins no C++ token becomes a sign of its own. Skips comments and code
// under `#if 0`. An unterminated token ends at the end of its line or of the source.
std::vector<Token> tokens_of(std::string_view source);

// The tokens' texts, with each name that the source itself introduces replaced by the number of its first
// appearance. Names of the language, of CUDA and of the lab (TYPE, BLOCK) are kept, so two sources are equal
// only if they differ in own names, white space and comments.
std::vector<std::string> without_own_names(const std::vector<Token>& tokens);

// True if the file equals the one handed out, apart from own names, white space and comments.
bool differs_in_names_only(std::string_view source, std::string_view other);

// The fraction of one source that appears in another, independent of names, numbers, white space and
// comments. Uses winnowing: S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for
// Document Fingerprinting", SIGMOD 2003.

inline constexpr std::size_t kNoise = 12;  // in tokens: shorter matches are ignored
inline constexpr std::size_t kWindow =
    6;  // in fingerprints: finds common runs of kNoise + kWindow - 1 tokens

// The fingerprints of a source, with the lines at which they begin.
using Fingerprints = std::multimap<std::uint64_t, int>;
Fingerprints fingerprints_of(std::string_view source);

struct Likeness {
  double share = 0;  // common fingerprints / fingerprints of the source with fewer
  std::size_t shared = 0;
  int line = 0, other_line = 0;  // of the first common fingerprint
};

// Ignores fingerprints in `known`: code that the course hands out.
Likeness likeness(const Fingerprints& one, const Fingerprints& other, const Fingerprints& known);

struct HandedIn {
  std::string student, source;
};

// A pair of similar sources of different students. Each source is paired with the most similar one. The
// numbers are indices into `sources`.
struct LikePair {
  std::size_t one = 0, other = 0;
  Likeness likeness;
};
inline constexpr double kLikeEnough = 0.8;
inline constexpr std::size_t kEnoughShared = 6;
inline constexpr std::size_t kFewOwners = 10;  // more sources, if also over a tenth of all, make it an idiom
inline constexpr std::size_t kEnoughForCopies =
    12;  // fingerprints beside the course's code: equal sources are copies, not idioms
bool is_like_enough(const Likeness& likeness);
std::vector<LikePair> like_pairs(const std::vector<HandedIn>& sources, const std::vector<std::string>& known);

// Flags kernels that resemble another student's.

// Compares the kernel files of one exercise with each other and with its solution by tokens, ignoring the
// code that the course hands out (in comparisons with the solution, only the starter). The flags are for the
// instructor and name both places: "81 % like class/bob/x.cu: line 12 here, line 14 there". `grades` are in
// the order of the submissions. The sources are read again and stay on this machine.
void flag_likeness(const std::vector<Submission>& submissions, std::vector<Grade>& grades);

}  // namespace cudalab::grading
