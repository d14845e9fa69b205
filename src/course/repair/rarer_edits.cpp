// Edits that undo rarer mistakes; they are tried after the others.
#include <fmt/format.h>

#include <array>

#include "course/repair/generators.h"

namespace cudalab::course {
namespace {

// `1.0 / 2` for `1 / 2`, and 0.5 for a 1 that `?:` selects.
void whole_division(const KernelSource& s, std::size_t i, EditList& edits) {
  if (!s.is_whole_number(i)) return;
  if (s.at(i + 1) == "/" && s.is_number(i + 2))
    edits.replace(i, fmt::format("{}.0", s.at(i)), EditKind::kConstant);
  if (i > 0 && (s.at(i - 1) == "?" || s.at(i - 1) == ":") && s.at(i) == "1")
    edits.replace(i, "0.5", EditKind::kConstant);
}

// `to - from` for `from - to`.
void exchanged_operands(const KernelSource& s, std::size_t i, EditList& edits) {
  if ((s.at(i) != "-" && s.at(i) != "/") || i == 0) return;
  const auto is_alone = [&s](std::size_t operand) { return s.is_name(operand) || s.is_number(operand); };
  const std::string_view before = i > 1 ? s.at(i - 2) : "", behind = s.at(i + 2);
  if (!is_alone(i - 1) || !is_alone(i + 1) || before == "." || behind == "." || behind == "(" ||
      behind == "[")
    return;
  edits.replace(i - 1, i + 1, fmt::format("{} {} {}", s.at(i + 1), s.at(i), s.at(i - 1)),
                EditKind::kOperator);
}

// Exchanges two adjacent arguments of a call.
void exchanged_arguments(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "(" || i == 0 || (!s.is_name(i - 1) && s.at(i - 1) != ">")) return;
  std::vector<std::pair<std::size_t, std::size_t>> arguments;
  std::size_t begin = i + 1;
  const std::size_t end = s.closing(i);
  for (std::size_t at_token = i + 1; at_token <= end; ++at_token) {
    if (s.at(at_token) == "(" || s.at(at_token) == "[") at_token = s.closing(at_token);
    if ((s.at(at_token) != "," && at_token != end) || at_token == begin) continue;
    arguments.emplace_back(begin, at_token - 1);
    begin = at_token + 1;
  }
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    const auto [first, last] = arguments[k - 1];
    const auto [next_first, next_last] = arguments[k];
    edits.replace(first, next_last,
                  fmt::format("{}, {}", s.between(next_first, next_last), s.between(first, last)),
                  EditKind::kVariable);
  }
}

// `i == 0 || i == n` for `i == 0`, and a further boolean variable as a condition.
void further_condition(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) == "==" && s.is_name(i - 1) && s.is_number(i + 1))
    for (const KernelSource::Scalar& scalar : s.few_scalars_at(i - 1, true))
      edits.insert_behind(i + 1, fmt::format(" || {} == {}", s.at(i - 1), scalar.name), EditKind::kGuard);
  if (s.at(i) != "if" || s.at(i + 1) != "(") return;
  for (const KernelSource::Scalar& scalar : s.scalars_at(i))
    if (s.types().at(scalar.name) == "bool")
      edits.insert_behind(i + 1, fmt::format("{} && ", scalar.name), EditKind::kGuard);
}

// The lane or the warp instead of the thread, and the last thread instead of the first.
void other_lane(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "threadIdx" || s.at(i + 1) != "." || s.at(i + 2) != "x") return;
  if (s.at(i + 3) != "%") edits.insert_behind(i + 2, " % 32", EditKind::kIndex);
  if (s.at(i + 3) != "/") edits.insert_behind(i + 2, " / 32", EditKind::kIndex);
  if (s.at(i + 3) == "==" && s.at(i + 4) == "0")
    edits.replace(i + 4, "blockDim.x - 1", EditKind::kComparison);
}

// Twice the number of elements, and a stride over the grid instead of the block.
void other_extent(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.is_name(i) && i > 0 && s.types().contains(s.at(i)) && s.types().at(s.at(i)) == "int" &&
      (s.at(i - 1) == "/" || s.at(i - 1) == "==" || s.at(i - 1) == "<" || s.at(i - 1) == "<="))
    edits.replace(i, fmt::format("(2 * {})", s.at(i)), EditKind::kConstant);
  if (s.at(i) != "+=" || (s.at(i + 1) != "BLOCK" && s.at(i + 1) != "blockDim")) return;
  const std::size_t last = s.at(i + 1) == "BLOCK" ? i + 1 : i + 3;
  if (s.at(last + 1) != ")") return;
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, true))
    edits.replace(i + 1, last, std::string(scalar.name), EditKind::kVariable);
}

// In a subscript, a variable instead of a constant. In an atomic addition, another array's element instead
// of a constant.
void other_element(const KernelSource& s, std::size_t i, EditList& edits) {
  if (!s.is_whole_number(i)) return;
  if (s.at(i + 1) == "]" && (s.at(i - 1) == "-" || s.at(i - 1) == "+"))
    for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, true))
      edits.replace(i, std::string(scalar.name), EditKind::kIndex);
  if (s.at(i + 1) != ")" || s.at(i - 1) != "," || s.at(i - 2) != "]") return;
  std::size_t open = i - 2;
  while (open > 0 && s.at(open) != "[") --open;
  if (open == 0) return;
  for (const auto& [name, type] : s.types())
    if (s.at(open + 1) != "]" && name != s.at(open - 1) && (type.ends_with("*") || s.is_array(name)))
      edits.replace(i, fmt::format("{}[{}]", name, s.between(open + 1, i - 3)), EditKind::kVariable);
}

// `f(from + x)` for `f(x)`.
void offset_argument(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "(" || i == 0 || !s.is_name(i - 1) || s.at(i + 1) == ")" || s.at(i - 1) == "if") return;
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, false))
    edits.insert_behind(i, fmt::format("{} + ", scalar.name), EditKind::kOperator);
}

// A variable instead of a constant as the last argument of a call: `f(x, step)` for `f(x, 1)`.
void variable_argument(const KernelSource& s, std::size_t i, EditList& edits) {
  if (!s.is_whole_number(i) || s.at(i + 1) != ")" || i == 0 || s.at(i - 1) != ",") return;
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, true))
    edits.replace(i, std::string(scalar.name), EditKind::kVariable);
}

// At the end of a term, `x[i] * x[i]` for `x[i]`, and `d * d` for `d`.
void squared(const KernelSource& s, std::size_t i, EditList& edits) {
  if ((s.at(i + 1) != ";" && s.at(i + 1) != "-" && s.at(i + 1) != "+") || !s.is_in_expression(i)) return;
  std::size_t begin = i;
  if (s.at(i) == "]") {
    for (int depth = 0; begin > 0; --begin) {
      if (s.at(begin) == "]") ++depth;
      if (s.at(begin) == "[" && --depth == 0) break;
    }
    if (begin == 0) return;
    --begin;
  }
  if (s.is_name(begin) && s.at(begin - 1) != "." && s.at(begin - 1) != "*")
    edits.insert_behind(i, fmt::format(" * {}", s.between(begin, i)), EditKind::kOperator);
}

// Another amount in an atomic addition: 1, or the sum that a leader lane adds for its group of lanes.
void added_amount(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "atomicAdd" || s.at(i + 1) != "(") return;
  const std::size_t end = s.closing(i + 1);
  std::size_t comma = end;
  for (std::size_t k = i + 2; k < end; ++k) {
    if (s.at(k) == "(" || s.at(k) == "[") k = s.closing(k);
    if (s.at(k) == ",") comma = k;
  }
  if (comma + 1 >= end) return;
  if (!s.is_number(end - 1)) edits.replace(comma + 1, end - 1, "1", EditKind::kConstant);
  if (s.text().find("_sync") == std::string_view::npos) return;
  for (const KernelSource::Scalar& scalar : s.few_scalars_at(i, true))
    edits.replace(comma + 1, end - 1, fmt::format("__popc({})", scalar.name), EditKind::kFunction);
}

}  // namespace

std::span<const TokenGenerator> rarer_edits() {
  static constexpr std::array<TokenGenerator, 11> kAll{
      whole_division, exchanged_operands, exchanged_arguments, further_condition, other_lane, other_extent,
      other_element,  offset_argument,    added_amount,        variable_argument, squared};
  return kAll;
}

}  // namespace cudalab::course
