// Replaces the names of labels in statements that a scope's end hoists into the function.
#pragma once

#include <span>
#include <string>

#include "ptx/module.h"
#include "ptx/names.h"

namespace cudalab::ptx {

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
