// Maps the names in a function's scopes to unique registers, variables and labels.
#include "ptx/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text.h"

namespace cudalab::ptx {
namespace {}  // namespace

void rename_labels(std::span<Statement> statements, const NameMap<std::string>& labels) {
  for (Statement& statement : statements) {
    Instruction* instruction = std::get_if<Instruction>(&statement);
    if (instruction == nullptr) continue;
    rename(instruction->call_prototype, labels);
    for (Operand& operand : instruction->operands)
      if (Symbol* symbol = std::get_if<Symbol>(&operand.value)) rename(symbol->name, labels);
  }
}

void rename_labels(std::span<BranchTargets> lists, const NameMap<std::string>& labels) {
  for (BranchTargets& list : lists)
    for (std::string& target : list.targets) rename(target, labels);
}

namespace {

constexpr std::size_t kMaxIndexDigits = 9;  // digits of a register's number in its range

std::string_view without_trailing_digits(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

// Calls visit(prefix, index) for each way to read `name` as a register of a range, until a call returns true.
// `%r10` is number 10 of `%r` or number 0 of `%r1`.
template <class Visit>
bool any_split(std::string_view name, Visit visit) {
  for (std::size_t digits = 1; digits <= kMaxIndexDigits && digits < name.size(); ++digits) {
    const std::string_view number = name.substr(name.size() - digits);
    if (!is_digit(number.front())) return false;
    if (number.front() == '0' && digits > 1) continue;
    std::uint32_t index = 0;
    std::from_chars(number.data(), number.data() + number.size(), index);
    if (visit(name.substr(0, name.size() - digits), index)) return true;
  }
  return false;
}

}  // namespace

Names::Names(std::function<bool(std::string_view)> is_module_name)
    : is_module_name_(std::move(is_module_name)) {
  enter();
}

void Names::enter() { scopes_.emplace_back(); }

std::vector<Names::Renaming> Names::leave() {
  std::vector<Renaming> labels = std::move(scopes_.back().labels);
  surprises_ -= scopes_.back().surprises;
  scopes_.pop_back();
  return labels;
}

std::optional<std::string> Names::declare(std::string_view name, Kind kind) {
  Scope& scope = scopes_.back();
  if (scope.names.contains(name)) return std::nullopt;
  const bool inner = scopes_.size() > 1;
  const bool rename = is_taken(name) || (inner && (kind == Kind::kLabel || is_module_name_(name)));
  std::string unique = rename ? unique_name(name) : std::string(name);
  take(unique);
  scope.names.emplace(name, Entry{kind, unique});
  if (kind == Kind::kLabel && rename) scope.labels.emplace_back(name, unique);
  note_surprise(rename || (kind != Kind::kRegister && name.starts_with('%')));
  return unique;
}

std::optional<std::string> Names::declare_registers(std::string_view prefix, std::uint32_t count) {
  Scope& scope = scopes_.back();
  if (scope.ranges.contains(prefix)) return std::nullopt;
  const bool rename = is_range_taken(prefix);
  std::string unique = rename ? unique_prefix(prefix) : std::string(prefix);
  ranges_.emplace(unique, count);
  range_stems_.emplace(without_trailing_digits(unique));
  scope.ranges.emplace(prefix, Range{count, unique});
  note_surprise(rename);
  return unique;
}

Names::Resolved Names::resolve(std::string_view name) const {
  if (surprises_ == 0 && name.front() == '%') return {true, std::string(name)};
  const std::string_view base = name.substr(0, name.find('.'));
  std::optional<Resolved> found = find(base);
  if (!found) return {name.front() == '%', std::string(name)};
  found->name += name.substr(base.size());
  return *std::move(found);
}

std::optional<Names::Resolved> Names::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto entry = scope->names.find(name);
        entry != scope->names.end() && entry->second.kind != Kind::kLabel)
      return Resolved{entry->second.kind == Kind::kRegister, entry->second.unique};
    std::size_t prefix_length = 0;
    if (const Range* range = find_range(*scope, name, prefix_length))
      return Resolved{true, range->unique + std::string(name.substr(prefix_length))};
  }
  return std::nullopt;
}

const Names::Range* Names::find_range(const Scope& scope, std::string_view name, std::size_t& prefix_length) {
  const Range* found = nullptr;
  if (scope.ranges.empty()) return nullptr;
  any_split(name, [&](std::string_view prefix, std::uint32_t index) {
    const auto range = scope.ranges.find(prefix);
    if (range == scope.ranges.end() || index >= range->second.count) return false;
    prefix_length = prefix.size();
    found = &range->second;
    return true;
  });
  return found;
}

bool Names::is_taken(std::string_view name) const {
  if (taken_.contains(name)) return true;
  return any_split(name, [&](std::string_view prefix, std::uint32_t index) {
    const auto range = ranges_.find(prefix);
    return range != ranges_.end() && index < range->second;
  });
}

// `%r<20>` conflicts with another `%r<5>`, with `%r1<5>` (both may contain `%r10`) and with a single `%r3`.
bool Names::is_range_taken(std::string_view prefix) const {
  const std::string_view stem = without_trailing_digits(prefix);
  return range_stems_.contains(stem) || numbered_stems_.contains(stem);
}

std::string Names::unique_name(std::string_view name) {
  std::uint32_t& number = taken_.try_emplace(std::string(name), 1).first->second;
  std::string unique;
  do {
    unique = fmt::format("{}@{}", name, ++number);
  } while (is_taken(unique));
  return unique;
}

std::string Names::unique_prefix(std::string_view prefix) {
  std::uint32_t& number = taken_.try_emplace(std::string(prefix), 1).first->second;
  std::string unique;
  do {
    unique = fmt::format("{}@{}_", prefix, ++number);
  } while (is_range_taken(unique));
  return unique;
}

void Names::take(std::string_view name) {
  taken_.try_emplace(std::string(name), 1);
  if (is_digit(name.back())) numbered_stems_.emplace(without_trailing_digits(name));
}

void Names::note_surprise(bool surprise) {
  scopes_.back().surprises += surprise;
  surprises_ += surprise;
}

}  // namespace cudalab::ptx
