// Normalises tokens, hashes runs of them, and keeps the least hash of each window.
#include "grading/likeness/winnowing.h"

#include <algorithm>
#include <set>

#include "core/fnv_hash.h"
#include "grading/likeness/tokens.h"

namespace cudalab::grading {
namespace {

// Names of one's own and numbers are easily changed: each is as good as any other.
std::vector<std::uint64_t> normalised(const std::vector<Token>& tokens) {
  std::vector<std::uint64_t> hashes;
  const std::vector<std::string> texts = without_own_names(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_own = tokens[i].kind == Token::kWord && texts[i].ends_with('#');
    hashes.push_back(fnv_hash(is_own ? "name" : tokens[i].kind == Token::kNumber ? "0" : texts[i]));
  }
  return hashes;
}

std::uint64_t hash_of_run(const std::vector<std::uint64_t>& hashes, std::size_t begin) {
  std::uint64_t hash = kFnvBasis;
  for (std::size_t i = begin; i < begin + kNoise; ++i) hash = fnv_hash(hash, hashes[i]);
  return hash ^ (hash >> 29);
}

// The rightmost least of a window, as in the paper: neighbouring windows mostly share it.
std::size_t least_of(const std::vector<std::uint64_t>& runs, std::size_t begin, std::size_t end) {
  std::size_t least = begin;
  for (std::size_t i = begin; i < end; ++i)
    if (runs[i] <= runs[least]) least = i;
  return least;
}

std::set<std::uint64_t> keys_without(const Fingerprints& all, const Fingerprints& known) {
  std::set<std::uint64_t> keys;
  for (const auto& [fingerprint, line] : all)
    if (!known.contains(fingerprint)) keys.insert(fingerprint);
  return keys;
}

}  // namespace

Fingerprints fingerprints_of(std::string_view source) {
  const std::vector<Token> tokens = tokens_of(source);
  const std::vector<std::uint64_t> hashes = normalised(tokens);
  std::vector<std::uint64_t> runs;
  for (std::size_t i = 0; i + kNoise <= hashes.size(); ++i) runs.push_back(hash_of_run(hashes, i));
  Fingerprints found;
  std::size_t last = runs.size();
  for (std::size_t i = 0; i < runs.size() && (i == 0 || i + kWindow <= runs.size()); ++i) {
    const std::size_t least = least_of(runs, i, std::min(i + kWindow, runs.size()));
    if (least != last) found.emplace(runs[least], tokens[least].line);
    last = least;
  }
  return found;
}

Likeness likeness(const Fingerprints& one, const Fingerprints& other, const Fingerprints& known) {
  const std::set<std::uint64_t> ours = keys_without(one, known), theirs = keys_without(other, known);
  Likeness found;
  for (const std::uint64_t fingerprint : ours) {
    if (!theirs.contains(fingerprint)) continue;
    const int line = one.find(fingerprint)->second;
    if (found.shared++ == 0 || line < found.line) {
      found.line = line;
      found.other_line = other.find(fingerprint)->second;
    }
  }
  const std::size_t fewer = std::min(ours.size(), theirs.size());
  if (fewer > 0) found.share = static_cast<double>(found.shared) / static_cast<double>(fewer);
  return found;
}

namespace {

// Which sources have a fingerprint. One that many have is an idiom of the exercise, nobody's own.
std::map<std::uint64_t, std::set<std::size_t>> owners_of(const std::vector<Fingerprints>& all,
                                                         const Fingerprints& known) {
  std::map<std::uint64_t, std::set<std::size_t>> owners;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::uint64_t key : keys_without(all[i], known)) owners[key].insert(i);
  const std::size_t many = std::max(kFewOwners, all.size() / 10);
  std::erase_if(owners, [&](const auto& entry) { return entry.second.size() > many; });
  return owners;
}

// How many fingerprints two sources share, of pairs that share any.
std::map<std::pair<std::size_t, std::size_t>, std::size_t> shared_by_pair(
    const std::vector<Fingerprints>& all, const Fingerprints& known) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> shared;
  for (const auto& [fingerprint, owners] : owners_of(all, known))
    for (const std::size_t one : owners)
      for (const std::size_t other : owners)
        if (one != other) ++shared[{one, other}];
  return shared;
}

}  // namespace

bool is_like_enough(const Likeness& likeness) {
  return likeness.share >= kLikeEnough && likeness.shared >= kEnoughShared;
}

std::vector<LikePair> like_pairs(const std::vector<HandedIn>& sources,
                                 const std::vector<std::string>& known) {
  Fingerprints of_course;
  for (const std::string& source : known) of_course.merge(fingerprints_of(source));
  std::vector<Fingerprints> all;
  for (const HandedIn& one : sources) all.push_back(fingerprints_of(one.source));
  std::map<std::size_t, LikePair> most;
  for (const auto& [pair, count] : shared_by_pair(all, of_course)) {
    if (count < kEnoughShared || sources[pair.first].student == sources[pair.second].student) continue;
    const Likeness found = likeness(all[pair.first], all[pair.second], of_course);
    LikePair& best = most.try_emplace(pair.first, LikePair{pair.first, pair.first, {}}).first->second;
    if (found.share > best.likeness.share) best = {pair.first, pair.second, found};
  }
  std::vector<LikePair> pairs;
  for (const auto& [one, pair] : most)
    if (pair.likeness.share >= kLikeEnough) pairs.push_back(pair);
  return pairs;
}

}  // namespace cudalab::grading
