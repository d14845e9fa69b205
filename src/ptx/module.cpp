// Looks up the functions and variables of a parsed module by name.
#include "ptx/module.h"

#include <algorithm>

namespace cudalab::ptx {
namespace {

template <class Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const Function* Module::find_function(std::string_view name) const {
  const Function* function = find_named(functions, name);
  if (function != nullptr && !function->is_declaration) return function;
  const Alias* alias = find_named(aliases, name);
  return alias == nullptr ? function : find_named(functions, alias->target);
}

const Variable* Module::find_variable(std::string_view name) const { return find_named(variables, name); }

}  // namespace cudalab::ptx
