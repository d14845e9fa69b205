#include "vgpu/stepping/value_types.h"

#include "ptx/opcode_parts.h"
#include "vgpu/stepping/instruction_shape.h"

namespace cudalab::vgpu {
namespace {

constexpr int kRounds = 8;  // through copies of copies, also around loops

// Instructions whose result is one of their sources, whatever these are.
bool is_copy(const ptx::Instruction& instruction) {
  return ptx::is_one_of(instruction.parts[0], {"mov", "selp", "shfl"});
}

const ptx::Register* register_in(const ptx::Operand& operand) {
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value))
    return std::get_if<ptx::Register>(&pair->elements.front().value);
  return std::get_if<ptx::Register>(&operand.value);
}

// Of a copy: its last source is a predicate, or says which lane.
std::size_t end_of_copied(const ptx::Instruction& instruction) {
  return instruction.parts[0] == "selp" ? std::min<std::size_t>(3, instruction.operands.size())
                                        : std::min<std::size_t>(2, instruction.operands.size());
}

}  // namespace

bool is_mere_bits(ptx::Type type) {
  return type == ptx::Type::kB8 || type == ptx::Type::kB16 || type == ptx::Type::kB32 ||
         type == ptx::Type::kB64 || type == ptx::Type::kNone;
}

ValueTypes::ValueTypes(const ptx::Function& function) {
  bool learnt = true;
  for (int round = 0; round < kRounds && learnt; ++round) {
    learnt = false;
    for (const ptx::Statement& statement : function.body)
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement))
        learnt = learn(*instruction) || learnt;
  }
}

ptx::Type ValueTypes::of(const std::string& name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? ptx::Type::kNone : found->second;
}

bool ValueTypes::note(const std::string& name, ptx::Type type) {
  return !is_mere_bits(type) && types_.emplace(name, type).second;
}

bool ValueTypes::learn(const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  bool learnt = false;
  if (is_copy(instruction)) {
    ptx::Type type = type_of_operand(instruction, 1);
    for (std::size_t i = 0; i < end_of_copied(instruction); ++i)
      if (const auto* name = register_in(operands[i]); name && is_mere_bits(type)) type = of(name->name);
    for (std::size_t i = 0; i < end_of_copied(instruction); ++i)
      if (const auto* name = register_in(operands[i])) learnt = note(name->name, type) || learnt;
    return learnt;
  }
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (const auto* name = register_in(operands[i]))
      learnt = note(name->name, type_of_operand(instruction, i)) || learnt;
  if (ptx::is_one_of(instruction.parts[0], {"ld", "st"}))
    for (const ptx::Operand& operand : operands)
      if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
        for (const ptx::Operand& element : vector->elements)
          if (const auto* name = register_in(element))
            learnt = note(name->name, type_of_operand(instruction, 0)) || learnt;
  return learnt;
}

}  // namespace cudalab::vgpu
