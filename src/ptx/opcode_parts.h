// Access to the parts of an instruction: components of the opcode's name and elements of operands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ptx/module.h"

namespace cudalab::ptx {

// Calls visit(element) for the operand itself or for each element of its vector or pair, from left to right.
// Elements are never vectors or pairs.
template <class Visit>
void for_each_element(const Operand& operand, const Visit& visit) {
  const std::vector<Operand>* elements = nullptr;
  if (const auto* vector = std::get_if<Vector>(&operand.value)) elements = &vector->elements;
  if (const auto* pair = std::get_if<DestinationPair>(&operand.value)) elements = &pair->elements;
  if (!elements) return visit(operand);
  for (const Operand& element : *elements) for_each_element(element, visit);
}

// The register of an element, also if it is negated (`!%p1`); null if the element is not a register.
inline const Register* register_of(const Operand& element) {
  if (const auto* negated = std::get_if<Negated>(&element.value)) return &negated->name;
  return std::get_if<Register>(&element.value);
}

// The base register of an address; null if there is none.
inline const Register* base_register_of(const Operand& element) {
  const auto* address = std::get_if<Address>(&element.value);
  return address ? std::get_if<Register>(&address->base) : nullptr;
}

// Functions on the parts of an opcode's name: "ld", "global" and "u32" of `ld.global.u32`.

inline bool has_part(const Instruction& instruction, Word part) {
  return std::ranges::find(instruction.parts, part) != instruction.parts.end();
}

// Empty if there is no such part.
inline Word part_of(const Instruction& instruction, std::size_t index) {
  return index < instruction.parts.size() ? instruction.parts[index] : Word();
}

// Calls visit(element) for each element of the operand that the instruction writes. (What a call returns is
// in call_returns.)
template <class Visit>
void for_each_result(const Instruction& instruction, const Visit& visit) {
  if (instruction.facts->has_result && !instruction.operands.empty() &&
      !std::holds_alternative<Address>(instruction.operands.front().value))
    for_each_element(instruction.operands.front(), visit);
}

}  // namespace cudalab::ptx
