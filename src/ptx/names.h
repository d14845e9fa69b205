// The registers, variables and labels that a function's scopes declare, and their unique names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ptx/module.h"

namespace cudalab::ptx {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class Value>
using NameMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;
using NameSet = std::unordered_set<std::string, StringHash, std::equal_to<>>;

// Scopes are hoisted into their function, so a name that is already in use gets a number: the second `tmp`
// becomes `tmp@2`, the second `%r<8>` becomes `%r@2_<8>` with registers `%r@2_0` and so on. Labels of inner
// scopes always get a number, because a branch may precede its label.
class Names {
 public:
  enum class Kind { kRegister, kVariable, kLabel };
  struct Resolved {
    bool is_register = false;
    std::string name;
  };
  using Renaming = std::pair<std::string, std::string>;  // from, to

  // `is_module_name` says whether the module declares a name. An inner declaration that hides such a name is
  // renamed.
  explicit Names(std::function<bool(std::string_view)> is_module_name);

  std::size_t depth() const { return scopes_.size(); }
  void enter();
  // Leaves the innermost scope and returns its renamed labels.
  std::vector<Renaming> leave();

  // Declare a name in the innermost scope. They return the unique name, or nothing if this scope already
  // declares it.
  std::optional<std::string> declare(std::string_view name, Kind kind);
  std::optional<std::string> declare_registers(std::string_view prefix, std::uint32_t count);

  // The meaning of `name` at the current position. `%v.x` is element x of register `%v`. An undeclared name
  // is a special register if it starts with `%`, otherwise a symbol.
  Resolved resolve(std::string_view name) const;

 private:
  struct Entry {
    Kind kind{};
    std::string unique;
  };
  struct Range {
    std::uint32_t count = 0;
    std::string unique;
  };
  struct Scope {
    NameMap<Entry> names;
    NameMap<Range> ranges;
    std::vector<Renaming> labels;
    std::size_t surprises = 0;  // number of names whose meaning differs from their spelling; see `surprises_`
  };

  bool is_taken(std::string_view name) const;
  bool is_range_taken(std::string_view prefix) const;
  std::string unique_name(std::string_view name);
  std::string unique_prefix(std::string_view prefix);
  void take(std::string_view name);
  void note_surprise(bool surprise);
  std::optional<Resolved> find(std::string_view name) const;
  static const Range* find_range(const Scope& scope, std::string_view name, std::size_t& prefix_length);

  std::function<bool(std::string_view)> is_module_name_;
  std::vector<Scope> scopes_;
  NameMap<std::uint32_t> taken_;   // every assigned name, with the last number tried for it
  NameMap<std::uint32_t> ranges_;  // every assigned register range, with its count
  NameSet range_stems_;            // `%r` for a range `%r<8>` or `%r1<8>`, because they may share names
  NameSet numbered_stems_;     // `%r` for a single name `%r7`, because a range `%r<8>` would conflict with it
  std::size_t surprises_ = 0;  // sum over the open scopes; if 0, a name with `%` needs no lookup
};

// Renames `name` if it is a key of a map from old to new names.
template <class Map>
void rename(std::string& name, const Map& names) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

// Replaces the labels that are keys of `labels` in operands, calls' prototypes and lists of branch targets.
void rename_labels(std::span<Statement> statements, const NameMap<std::string>& labels);
void rename_labels(std::span<BranchTargets> lists, const NameMap<std::string>& labels);

}  // namespace cudalab::ptx
