// Replaces the names of labels in statements that a scope's end hoists into the function.
#include "ptx/rename.h"

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

}  // namespace cudalab::ptx
