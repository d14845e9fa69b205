// Finds similar kernels of different students by winnowing of source tokens.
#include "grading/likeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include "compile/sources/source_parts.h"
#include "core/digest.h"
#include "core/files.h"
#include "core/text.h"
#include "course/exercise.h"
#include "grading/grade_file.h"
#include "lab/locate.h"

namespace cudalab::grading {
namespace {

// ---- tokens -------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 27> kLongSigns{
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--", "<<", ">>", "<=",
    ">=",  "==",  "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^="};

// Splits the source further: a directive's text into tokens, and punctuation into C++'s multi-character
// operators.
class Joiner {
 public:
  std::vector<Token> tokens(std::string_view source) {
    add(source, 1);
    return std::move(tokens_);
  }

 private:
  void add(std::string_view source, int first_line) {
    const std::vector<compile::SourceToken> cut = compile::tokens_of(source);
    for (std::size_t i = 0; i < cut.size(); ++i) {
      const int line = first_line + cut[i].line - 1;
      switch (cut[i].kind) {
        case compile::TokenKind::kWord: tokens_.push_back({Token::kWord, cut[i].text, line}); break;
        case compile::TokenKind::kText:
          tokens_.push_back(
              {is_digit(cut[i].text.front()) ? Token::kNumber : Token::kText, cut[i].text, line});
          break;
        case compile::TokenKind::kMark: i += add_sign(source, cut[i].begin, line); break;
        case compile::TokenKind::kDirective: add_directive(cut[i].text, line);
      }
    }
  }

  // Returns the number of additional characters consumed.
  std::size_t add_sign(std::string_view source, std::size_t at, int line) {
    const std::string_view rest = source.substr(at);
    if (rest.starts_with("\\\n")) return 0;  // a line continuation
    const auto* sign = std::ranges::find_if(kLongSigns, [&](auto one) { return rest.starts_with(one); });
    const std::size_t length = sign == kLongSigns.end() ? 1 : sign->size();
    tokens_.push_back({Token::kSign, rest.substr(0, length), line});
    return length - 1;
  }

  void add_directive(std::string_view text, int line) {
    tokens_.push_back({Token::kSign, text.substr(0, 1), line});
    add(text.substr(1), line);
    tokens_.push_back({Token::kEndOfDirective, "\n", line});
  }

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

// By convention, names in capitals (TYPE, BLOCK, M_PI) are macros. If the source does not define one, a
// header does.
bool is_shouted(std::string_view word) {
  return std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
}

// Matches float4, uint2, and so on.
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
    return !is(i + 1, "(") || functions_.contains(token.text);  // otherwise it calls an external function
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

std::vector<Token> tokens_of(std::string_view source) { return Joiner().tokens(source); }

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

namespace {

// Own names and numbers are easily changed, so all are treated as equal.
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

// The rightmost minimum of a window, as in the paper: adjacent windows mostly select the same one.
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

using Keys = std::set<std::uint64_t>;

// For each source the first with the same fingerprints: itself, if it is the first, has few, or is the same
// student's. However many students hand in the same long kernel, its passages are no idioms.
std::vector<std::size_t> firsts_of(const std::vector<Keys>& all, const std::vector<HandedIn>& sources) {
  std::map<Keys, std::size_t> seen;
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t first = all[i].size() < kEnoughForCopies ? i : seen.emplace(all[i], i).first->second;
    firsts.push_back(first != i && sources[first].student == sources[i].student ? i : first);
  }
  return firsts;
}

// Maps each fingerprint to the sources that contain it, of equal sources the first. A fingerprint in many
// sources is an idiom of the exercise and is ignored.
std::map<std::uint64_t, std::set<std::size_t>> owners_of(const std::vector<Keys>& all,
                                                         const std::vector<std::size_t>& firsts) {
  std::map<std::uint64_t, std::set<std::size_t>> owners;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::uint64_t key : all[i]) owners[key].insert(firsts[i]);
  const std::size_t many = std::max(kFewOwners, all.size() / 10);
  std::erase_if(owners, [&](const auto& entry) { return entry.second.size() > many; });
  return owners;
}

using IndexPair = std::pair<std::size_t, std::size_t>;

// The pairs of sources with enough common fingerprints that are no idioms, and each source with the first
// that equals it.
std::set<IndexPair> candidates(const std::vector<Keys>& all, const std::vector<HandedIn>& sources) {
  const std::vector<std::size_t> firsts = firsts_of(all, sources);
  std::map<IndexPair, std::size_t> shared;
  for (const auto& [fingerprint, owners] : owners_of(all, firsts))
    for (const std::size_t one : owners)
      for (const std::size_t other : owners)
        if (one != other) ++shared[{one, other}];
  std::set<IndexPair> pairs;
  for (const auto& [pair, count] : shared)
    if (count >= kEnoughShared) pairs.insert(pair);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (firsts[i] != i) pairs.insert({{i, firsts[i]}, {firsts[i], i}});
  return pairs;
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
  std::vector<Keys> keys;
  for (const HandedIn& one : sources) {
    all.push_back(fingerprints_of(one.source));
    keys.push_back(keys_without(all.back(), of_course));
  }
  std::map<std::size_t, LikePair> most;
  for (const IndexPair& pair : candidates(keys, sources)) {
    if (sources[pair.first].student == sources[pair.second].student) continue;
    const Likeness found = likeness(all[pair.first], all[pair.second], of_course);
    LikePair& best = most.try_emplace(pair.first, LikePair{pair.first, pair.first, {}}).first->second;
    if (found.share > best.likeness.share) best = {pair.first, pair.second, found};
  }
  std::vector<LikePair> pairs;
  for (const auto& [one, pair] : most)
    if (pair.likeness.share >= kLikeEnough) pairs.push_back(pair);
  return pairs;
}

namespace {

struct Kernels {
  std::vector<std::size_t> places;  // indices among all submissions
  std::vector<HandedIn> sources;
};

// Of identical files, only the first is included, since identical files are flagged separately.
std::map<std::string, Kernels> kernels_by_exercise(const std::vector<Submission>& submissions,
                                                   const std::vector<Grade>& grades) {
  std::map<std::string, Kernels> all;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    if (grades[i].exercise.empty() || !grades[i].problem.empty() || !is_kernel_file(submissions[i].file))
      continue;
    if (!seen.insert(grades[i].content).second) continue;
    FileText file = read_submission(submissions[i].file, kLargestKernel);
    if (!file.problem.empty()) continue;
    Kernels& of_exercise = all[grades[i].exercise];
    of_exercise.places.push_back(i);
    of_exercise.sources.push_back({grades[i].student, std::move(file.text)});
  }
  return all;
}

struct HandedOut {
  std::string starter, solution;
};

HandedOut handed_out(const std::vector<course::Exercise>& course, const std::string& name) {
  const course::Exercise* exercise = course::find_exercise(course, name);
  if (!exercise) return {};
  return {read_text(exercise->starter()), read_text(exercise->solution())};
}

constexpr int kLinesShown = 8;

std::string lines_from(const std::string& source, int first) {
  std::istringstream lines(source);
  std::string text;
  int number = 1;
  for (std::string line; std::getline(lines, line) && number < first + kLinesShown; ++number)
    if (number >= first) text += fmt::format("{:>4}  {}\n", number, harmless_line(line, 110));
  return text;
}

const Alike& note(const Likeness& likeness, const std::string& source, const std::string& other,
                  const std::string& other_source, Grade& grade) {
  return grade.alike.emplace_back(Alike{other, likeness.share, likeness.line, likeness.other_line,
                                        lines_from(source, likeness.line),
                                        lines_from(other_source, likeness.other_line)});
}

void flag_students(const Kernels& kernels, const HandedOut& course, std::vector<Grade>& grades) {
  for (const LikePair& pair : like_pairs(kernels.sources, {course.starter, course.solution})) {
    Grade& grade = grades[kernels.places[pair.one]];
    const Alike& alike =
        note(pair.likeness, kernels.sources[pair.one].source, grades[kernels.places[pair.other]].file,
             kernels.sources[pair.other].source, grade);
    grade.flags.push_back(words_on(alike));
  }
}

// Notes similarity without a flag: if an exercise leaves little choice, independent work resembles the
// solution.
void note_who_is_like_the_solution(const Kernels& kernels, const HandedOut& course,
                                   std::vector<Grade>& grades) {
  const Fingerprints starter = fingerprints_of(course.starter), solution = fingerprints_of(course.solution);
  for (std::size_t i = 0; i < kernels.places.size(); ++i) {
    const std::string& source = kernels.sources[i].source;
    const Likeness found = likeness(fingerprints_of(source), solution, starter);
    if (is_like_enough(found)) note(found, source, kSolution, course.solution, grades[kernels.places[i]]);
  }
}

}  // namespace

void flag_likeness(const std::vector<Submission>& submissions, std::vector<Grade>& grades) {
  const std::map<std::string, Kernels> all = kernels_by_exercise(submissions, grades);
  if (all.empty()) return;
  const std::vector<course::Exercise> course = course::load_course(lab::labs_directory(), lab::labs());
  for (const auto& [exercise, kernels] : all) {
    const HandedOut of_course = handed_out(course, exercise);
    note_who_is_like_the_solution(kernels, of_course, grades);
    flag_students(kernels, of_course, grades);
  }
}

}  // namespace cudalab::grading
