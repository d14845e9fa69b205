// Edits of whole statements: updates, guards, superfluous statements and barriers.
#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "course/repair/generators.h"

namespace cudalab::course {
namespace {

// `a[i] += x;` becomes atomicAdd(&a[i], x);
void update(const KernelSource& s, const KernelSource::Statement& statement, EditList& edits) {
  const std::size_t begin = statement.begin, end = statement.end;
  if (begin >= end || !(s.is_name(begin) || s.at(begin) == "*")) return;
  for (std::size_t i = begin; i < end; ++i) {
    const bool is_step = (s.at(i) == "++" || s.at(i) == "--") && i + 1 == end;
    if (s.at(i) != "+=" && !is_step) continue;
    const std::string target = s.between(begin, i - 1), value = is_step ? "1" : s.between(i + 1, end - 1);
    if (target.find('[') != std::string::npos || target.starts_with("*"))
      edits.replace(begin, end, fmt::format("atomicAdd(&{}, {});", target, value), EditKind::kUpdate);
    return;
  }
}

void guard(const KernelSource& s, const KernelSource::Statement& statement, EditList& edits) {
  constexpr std::size_t kMost = 12;
  if (!s.is_expression(statement) || !s.is_store(statement)) return;
  std::size_t count = 0;
  for (const auto& [left, type] : s.types())
    for (const auto& [right, other] : s.types())
      if (left != right && type == "int" && other == "int" && count++ < kMost)
        edits.insert_before(statement.begin, fmt::format("if ({} < {}) ", left, right), EditKind::kGuard);
}

void superfluous(const KernelSource& s, const KernelSource::Statement& statement, EditList& edits) {
  if (s.is_expression(statement)) edits.replace(statement.begin, statement.end, ";", EditKind::kStatement);
}

// Moves a barrier by a few statements, up or down.
void moved_barriers(const KernelSource& s, std::size_t number, EditList& edits) {
  constexpr std::size_t kFarthest = 4;
  const KernelSource::Statement& barrier = s.statements()[number];
  for (std::size_t i = number > kFarthest ? number - kFarthest : 0;
       i < s.statements().size() && i <= number + kFarthest; ++i) {
    if (i == number || s.at(s.statements()[i].end + 1) == "else") continue;
    const std::size_t place = i < number ? s.statements()[i].begin : s.statements()[i].end;
    const std::size_t where = i < number ? s.token(place).begin : s.token(place).end();
    Edit edit{s.token(barrier.begin).begin, s.token(barrier.end).end(), ";", s.token(barrier.begin).line,
              EditKind::kBarrier};
    edit.second_begin = edit.second_end = where;
    edit.second_text = " __syncthreads(); ";
    if (where < edit.begin) {
      std::swap(edit.begin, edit.second_begin);
      std::swap(edit.end, edit.second_end);
      std::swap(edit.text, edit.second_text);
    }
    edits.add(std::move(edit));
  }
}

bool is_changed(const KernelSource& s, std::string_view name, std::size_t from, std::size_t to) {
  static const std::set<std::string_view> kChanges{
      "=", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=", "<<=", ">>=", "++", "--"};
  for (std::size_t i = from; i < to; ++i)
    if (s.at(i) == name && (kChanges.contains(s.at(i + 1)) || s.at(i - 1) == "++" || s.at(i - 1) == "--"))
      return true;
  return false;
}

// A device function that changes a parameter for its caller: `float next(unsigned& state)`. Kernels cannot
// have references.
void references(const KernelSource& s, EditList& edits) {
  for (std::size_t open = 1; open < s.size(); ++open) {
    if (s.at(open) != "(" || s.is_in_body(open) || !s.is_name(open - 1)) continue;
    const std::size_t end = s.closing(open);
    if (s.at(end + 1) != "{") continue;
    std::size_t first = open;
    while (first > 0 && s.at(first - 1) != ";" && s.at(first - 1) != "}") --first;
    bool is_kernel = false;
    for (std::size_t i = first; i < open; ++i) is_kernel |= s.at(i) == "__global__";
    std::size_t body_end = end + 2;
    while (body_end < s.size() && s.is_in_body(body_end)) ++body_end;
    for (std::size_t i = open + 1; i < end && !is_kernel; ++i)
      if (s.is_name(i) && s.is_type_word(s.at(i - 1)) && is_changed(s, s.at(i), end, body_end))
        edits.insert_before(i, "&", EditKind::kType);
  }
}

void barriers(const KernelSource& s, EditList& edits) {
  if (s.text().find("__shared__") == std::string_view::npos) return;
  constexpr std::string_view kBarrier = "__syncthreads();";
  for (std::size_t i = 0; i < s.statements().size(); ++i) {
    const KernelSource::Statement& statement = s.statements()[i];
    if (s.at(statement.end + 1) == "else") continue;
    edits.insert_behind(statement.end, fmt::format(" {}", kBarrier), EditKind::kBarrier);
    if (s.at(statement.end + 1) == "}")
      edits.insert_behind(statement.end + 1, fmt::format(" {}", kBarrier), EditKind::kBarrier);
    if (s.at(statement.begin) != "__syncthreads") continue;
    edits.replace(statement.begin, statement.end, ";", EditKind::kBarrier);
    moved_barriers(s, i, edits);
  }
}

}  // namespace

void edits_of_statements(const KernelSource& source, EditList& edits) {
  for (const KernelSource::Statement& statement : source.statements()) {
    update(source, statement, edits);
    guard(source, statement, edits);
    superfluous(source, statement, edits);
  }
  references(source, edits);
  barriers(source, edits);
}

}  // namespace cudalab::course
