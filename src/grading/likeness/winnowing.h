// How much of one source stands in another, whatever its names, numbers, blanks and comments: winnowing, as
// in S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting",
// SIGMOD 2003.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::grading {

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

}  // namespace cudalab::grading
