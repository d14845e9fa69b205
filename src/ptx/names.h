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

// Which registers, variables and labels the scopes of one function declare, and under which unique names.

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class Value>
using NameMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;
using NameSet = std::unordered_set<std::string, StringHash, std::equal_to<>>;

// Scopes are hoisted into their function, so a name that is in use already gets a number: the second `tmp`
// becomes `tmp@2`, the second `%r<8>` becomes `%r@2_<8>` (its registers `%r@2_0` …). Labels of inner scopes
// always get one, because a jump may come before its label.
class Names {
 public:
  enum class Kind { kRegister, kVariable, kLabel };
  struct Resolved {
    bool is_register = false;
    std::string name;
  };
  using Renaming = std::pair<std::string, std::string>;  // from, to

  // `is_module_name` says whether the module declares a name; what hides it in an inner scope is renamed.
  explicit Names(std::function<bool(std::string_view)> is_module_name);

  std::size_t depth() const { return scopes_.size(); }
  void enter();
  // Leaves the innermost scope; returns the labels in it that were renamed.
  std::vector<Renaming> leave();

  // Declare in the innermost scope. They return the unique name, or nothing when that scope has it already.
  std::optional<std::string> declare(std::string_view name, Kind kind);
  std::optional<std::string> declare_registers(std::string_view prefix, std::uint32_t count);

  // What a use of `name` means here. `%v.x` is the x of register `%v`. A name that nobody declared is a
  // register where it starts with `%` (a special one), else a symbol.
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
    std::size_t surprises = 0;  // names that do not simply mean themselves: see `surprises_`
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
  NameMap<std::uint32_t> taken_;   // every name that was handed out -> the last number tried after it
  NameMap<std::uint32_t> ranges_;  // every register range that was handed out -> its count
  NameSet range_stems_;            // `%r` for a range `%r<8>` or `%r1<8>`: they may share names
  NameSet numbered_stems_;         // `%r` for a single name `%r7`: a range `%r<8>` would clash with it
  std::size_t surprises_ = 0;      // of all open scopes; while 0, a name with `%` is a register as it stands
};

// Replaces the names of labels in statements that a scope's end hoists into the function.

// The name that a map from old to new ones gives; what is no key of it stays.
template <class Map>
void rename(std::string& name, const Map& names) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

// Wherever an operand, a call's prototype or a list of branch targets names a key of `labels`, it then names
// its value.
void rename_labels(std::span<Statement> statements, const NameMap<std::string>& labels);
void rename_labels(std::span<BranchTargets> lists, const NameMap<std::string>& labels);

}  // namespace cudalab::ptx
