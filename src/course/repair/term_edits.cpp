// Edits for missing terms, factors, casts and leaders, and for initial values that are not neutral.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "course/repair/generators.h"

namespace cudalab::course {
namespace {

// The neutral elements of minimum and maximum, as numbers, because the source may lack the headers of their
// names.
constexpr std::array<std::string_view, 2> kWholeExtremes{"2147483647", "(-2147483647 - 1)"};
constexpr std::array<std::string_view, 2> kRealExtremes{"3.402823466e+38f", "(-3.402823466e+38f)"};
constexpr std::array<std::string_view, 6> kExtremeNames{"INT_MAX", "INT_MIN", "FLT_MAX",
                                                        "FLT_MIN", "DBL_MAX", "INFINITY"};

bool is_value(const KernelSource& s, std::size_t first, std::size_t last) {
  const std::string_view before = first > 0 ? s.at(first - 1) : "", behind = s.at(last + 1);
  return (before == "=" || before == "return" || before == ":" || before == ",") &&
         (behind == ";" || behind == ")" || behind == ",");
}

// `-FLT_MAX` for a 0 with which a maximum begins.
void extreme_value(const KernelSource& s, std::size_t i, EditList& edits) {
  const bool is_named = std::ranges::find(kExtremeNames, s.at(i)) != kExtremeNames.end();
  if (!is_named && !s.is_number(i)) return;
  const std::size_t first = i > 1 && s.at(i - 1) == "-" && !s.ends_operand(i - 2) ? i - 1 : i;
  if (!is_value(s, first, i)) return;
  const auto replace = [&](std::string_view text) {
    edits.replace(first, i, std::string(text), EditKind::kConstant);
  };
  const bool may_be_real = is_named || !s.is_whole_number(i) || s.at(i) == "0";
  if (s.is_whole_number(i) || is_named) std::ranges::for_each(kWholeExtremes, replace);
  if (may_be_real) std::ranges::for_each(kRealExtremes, replace);
  if (is_named) replace("0");
}

// A further term or factor in an index: `in[start + t]` for `in[t]`, `z[i * step]` for `z[i]`.
void further_term(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "[" || i == 0 || s.declares(i - 1)) return;
  const std::size_t end = s.closing(i);
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, true)) {
    edits.insert_behind(i, fmt::format("{} + ", scalar.name), EditKind::kIndex);
    edits.insert_before(end, fmt::format(" - {}", scalar.name), EditKind::kIndex);
    if (end == i + 2) edits.insert_before(end, fmt::format(" * {}", scalar.name), EditKind::kIndex);
  }
}

// A further term in an argument or in parentheses: `exp(x - most)` for `exp(x)`, `(j - i)` for `(j)`.
void term_before_parenthesis(const KernelSource& s, std::size_t i, EditList& edits) {
  if ((s.at(i + 1) != ")" && s.at(i + 1) != ",") || !s.ends_operand(i) || !s.is_in_expression(i)) return;
  for (const bool is_whole : {true, false})
    for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, is_whole))
      for (const char* sign : {"-", "+"})
        edits.insert_behind(i, fmt::format(" {} {}", sign, scalar.name), EditKind::kOperator);
}

// The last one in place of the first: `t == TILE - 1` for `t == 0`.
void last_one(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "0" || i == 0 || s.at(i - 1) != "==") return;
  edits.replace(i, "blockDim.x - 1", EditKind::kComparison);
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, true))
    edits.replace(i, fmt::format("{} - 1", scalar.name), EditKind::kComparison);
}

// Another member of a structure: `p.vy` for `p.vx`.
void other_member(const KernelSource& s, std::size_t i, EditList& edits) {
  constexpr std::size_t kMost = 4;
  static const std::set<std::string_view> kBuiltIn{"threadIdx", "blockIdx", "blockDim", "gridDim"};
  if (i < 2 || s.at(i - 1) != "." || !s.is_name(i) || kBuiltIn.contains(s.at(i - 2))) return;
  std::set<std::string_view> others;
  for (std::size_t k = 2; k < s.size() && others.size() < kMost; ++k)
    if (s.at(k - 1) == "." && s.is_name(k) && s.at(k) != s.at(i) && !kBuiltIn.contains(s.at(k - 2)))
      others.insert(s.at(k));
  for (const std::string_view other : others) edits.replace(i, std::string(other), EditKind::kVariable);
}

// A sum that needs more bits: `long long sum` for `int sum`.
void wider_type(const KernelSource& s, std::size_t i, EditList& edits) {
  if ((s.at(i) == "int" || s.at(i) == "short" || s.at(i) == "char") && s.is_name(i + 1) && s.at(i + 2) == "=")
    edits.replace(i, "long long", EditKind::kType);
}

// `sum / (double)n` for `sum / n`.
void real_quotient(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) == "/" && i > 0 && s.ends_operand(i - 1)) edits.insert_behind(i, " (double)", EditKind::kType);
}

// The number of a thread in the grid, which lacks the block's share: `blockIdx.x * blockDim.x + threadIdx.x`
// for `threadIdx.x` is an edit of another generator; this one adds a constant distance: `threadIdx.x + R`.
void distant_thread(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "threadIdx" || s.at(i + 1) != "." || s.at(i + 3) != ";") return;
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, true))
    edits.insert_behind(i + 2, fmt::format(" + {}", scalar.name), EditKind::kIndex);
}

// `i < TILE + R` or `i < TILE + 2 * R` for `i < TILE` in the head of a loop.
void farther_end(const KernelSource& s, std::size_t i, EditList& edits) {
  if ((s.at(i) != "<" && s.at(i) != "<=") || s.at(i + 2) != ";" || !s.ends_operand(i + 1)) return;
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i + 1, true))
    for (const char* times : {"", "2 * "})
      edits.insert_behind(i + 1, fmt::format(" + {}{}", times, scalar.name), EditKind::kComparison);
}

// `2 * WIDTH - x` for `WIDTH - x`.
void doubled(const KernelSource& s, std::size_t i, EditList& edits) {
  static const std::set<std::string_view> kBefore{"=", "return", "(", ",", "+", "-", "+=", "-=", "["};
  static const std::set<std::string_view> kBehind{"+", "-", ";", ")", ",", "]"};
  if (i == 0 || !s.is_name(i) || !kBefore.contains(s.at(i - 1)) || !kBehind.contains(s.at(i + 1))) return;
  const auto type = s.types().find(s.at(i));
  const bool is_pointer = type != s.types().end() && type->second.ends_with("*");
  if (!is_pointer) edits.insert_before(i, "2 * ", EditKind::kConstant);
}

// `n == 3 || alive && n == 2` for `n == 3 || n == 2`.
void further_premise(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "||" || !s.is_name(i + 1)) return;
  for (const KernelSource::Scalar& scalar : s.scalars_at(i))
    if ((scalar.is_whole || s.types().at(scalar.name) == "bool") && scalar.name != s.at(i + 1))
      edits.insert_behind(i, fmt::format(" {} &&", scalar.name), EditKind::kGuard);
}

// Only one thread executes a statement: `if (lane == 0) atomicAdd(…)`.
void leader(const KernelSource& s, std::size_t i, EditList& edits) {
  const bool begins =
      i > 0 && (s.at(i - 1) == ";" || s.at(i - 1) == "{" || s.at(i - 1) == "}" || s.at(i - 1) == ")");
  const bool is_update = s.at(i).starts_with("atomic") || (s.is_name(i) && s.at(i + 1) == "[");
  if (!begins || !is_update) return;
  edits.insert_before(i, "if (threadIdx.x == 0) ", EditKind::kGuard);
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, true)) {
    edits.insert_before(i, fmt::format("if ({} == 0) ", scalar.name), EditKind::kGuard);
    edits.insert_before(i, fmt::format("if ({} > 0) ", scalar.name), EditKind::kGuard);
  }
}

}  // namespace

std::span<const TokenGenerator> neutral_edits() {
  static constexpr std::array<TokenGenerator, 1> kAll{extreme_value};
  return kAll;
}

std::span<const TokenGenerator> term_edits() {
  static constexpr std::array<TokenGenerator, 11> kAll{
      further_term,   term_before_parenthesis, last_one, other_member, wider_type,
      real_quotient,  distant_thread,          leader,   farther_end,  doubled,
      further_premise};
  return kAll;
}

}  // namespace cudalab::course
