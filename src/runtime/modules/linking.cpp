// Names that all objects see are those marked .visible, .weak, .common or .extern; what carries none of these
// is its object's own.
#include "runtime/modules/linking.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/error.h"
#include "ptx/rename.h"

namespace cudalab::runtime {
namespace {

using Renaming = std::map<std::string, std::string>;

// ---- renaming ------------------------------------------------------------------------------------------

using ptx::rename;

void rename(ptx::Operand& operand, const Renaming& renaming);

void rename_part(ptx::Symbol& symbol, const Renaming& renaming) { rename(symbol.name, renaming); }
void rename_part(ptx::Address& address, const Renaming& renaming) {
  for (auto* part : {&address.base, &address.sampler})
    if (auto* symbol = std::get_if<ptx::Symbol>(part)) rename(symbol->name, renaming);
}
void rename_part(ptx::Vector& vector, const Renaming& renaming) {
  for (ptx::Operand& element : vector.elements) rename(element, renaming);
}
template <class Other>
void rename_part(Other&, const Renaming&) {}

void rename(ptx::Operand& operand, const Renaming& renaming) {
  std::visit([&](auto& part) { rename_part(part, renaming); }, operand.value);
}

void rename(ptx::Instruction& instruction, const Renaming& renaming) {
  for (auto* operands : {&instruction.operands, &instruction.call_returns, &instruction.call_arguments})
    for (ptx::Operand& operand : *operands) rename(operand, renaming);
  rename(instruction.call_target, renaming);
}

void rename(ptx::Variable& variable, const Renaming& renaming) {
  rename(variable.name, renaming);
  for (ptx::Initializer& one : variable.initial)
    if (auto* symbol = std::get_if<ptx::Symbol>(&one.value)) rename(symbol->name, renaming);
}

// Names within a function hide none of the module's (ptx::Names sees to it).
void rename(ptx::Module& module, const Renaming& renaming) {
  for (ptx::Variable& variable : module.variables) rename(variable, renaming);
  for (ptx::Function& function : module.functions) {
    rename(function.name, renaming);
    for (ptx::Variable& variable : function.variables) rename(variable, renaming);
    for (ptx::Statement& statement : function.body)
      if (auto* instruction = std::get_if<ptx::Instruction>(&statement)) rename(*instruction, renaming);
  }
  for (ptx::Alias& alias : module.aliases) {
    rename(alias.name, renaming);
    rename(alias.target, renaming);
  }
}

// ---- linking -------------------------------------------------------------------------------------------

bool is_for_all(const ptx::Function& function) {
  return function.is_visible || function.is_weak || function.is_extern;
}
bool is_for_all(const ptx::Variable& variable) {
  return variable.is_visible || variable.is_weak || variable.is_extern || variable.is_common;
}
bool is_definition(const ptx::Function& function) { return !function.is_declaration; }
bool is_definition(const ptx::Variable& variable) { return !variable.is_extern; }

// What is the part's own gets another name where the whole has that name already.
template <class Thing>
void find_clashes(const std::vector<Thing>& whole, const std::vector<Thing>& part, std::size_t number,
                  Renaming& renaming) {
  std::map<std::string, bool> known;  // name -> for all
  for (const Thing& thing : whole) known[thing.name] = is_for_all(thing);
  for (const Thing& thing : part)
    if (known.contains(thing.name) && !is_for_all(thing))
      renaming[thing.name] = fmt::format("{}@object{}", thing.name, number);
}

bool may_stand_twice(const ptx::Function& function) { return function.is_weak; }
bool may_stand_twice(const ptx::Variable& variable) { return variable.is_weak || variable.is_common; }

template <class Thing>
void add(std::vector<Thing>& whole, std::vector<Thing>& part) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < whole.size(); ++i) known[whole[i].name] = i;
  for (Thing& thing : part) {
    const auto found = known.find(thing.name);
    if (found == known.end()) {
      whole.push_back(std::move(thing));
      continue;
    }
    Thing& before = whole[found->second];
    if (!is_definition(thing)) continue;
    if (is_definition(before) && !may_stand_twice(before) && !may_stand_twice(thing))
      throw usage_error("`{}` is defined in two objects of the program; leave one of them out", thing.name);
    if (!is_definition(before)) before = std::move(thing);
  }
}

void add(ptx::Module& whole, ptx::Module part, std::size_t number) {
  Renaming renaming;
  find_clashes(whole.variables, part.variables, number, renaming);
  find_clashes(whole.functions, part.functions, number, renaming);
  if (!renaming.empty()) rename(part, renaming);
  add(whole.variables, part.variables);
  add(whole.functions, part.functions);
  std::move(part.aliases.begin(), part.aliases.end(), std::back_inserter(whole.aliases));
}

}  // namespace

ptx::Module linked(std::vector<ptx::Module> parts) {
  ptx::Module whole = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) add(whole, std::move(parts[i]), i);
  return whole;
}

}  // namespace cudalab::runtime
