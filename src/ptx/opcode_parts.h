// Parts of an instruction: the components of an opcode's name, and the elements of an operand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace cudalab::ptx {

// What an operand consists of: itself, or the elements of its vector or pair.

// Calls visit(element) for each, from left to right; none of them is a vector or a pair.
template <class Visit>
void for_each_element(const Operand& operand, const Visit& visit) {
  const std::vector<Operand>* elements = nullptr;
  if (const auto* vector = std::get_if<Vector>(&operand.value)) elements = &vector->elements;
  if (const auto* pair = std::get_if<DestinationPair>(&operand.value)) elements = &pair->elements;
  if (!elements) return visit(operand);
  for (const Operand& element : *elements) for_each_element(element, visit);
}

// The register that an element is, or whose opposite (`!%p1`); nullptr: it is none.
inline const Register* register_of(const Operand& element) {
  if (const auto* negated = std::get_if<Negated>(&element.value)) return &negated->name;
  return std::get_if<Register>(&element.value);
}

// The register that an element is an address from; nullptr: it is none.
inline const Register* base_register_of(const Operand& element) {
  const auto* address = std::get_if<Address>(&element.value);
  return address ? std::get_if<Register>(&address->base) : nullptr;
}

// What the parts of an opcode's name say: "ld", "global" and "u32" of `ld.global.u32`.

inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

inline bool has_part(const Instruction& instruction, std::string_view part) {
  return std::ranges::find(instruction.parts, part) != instruction.parts.end();
}

// Empty behind the last.
inline std::string_view part_of(const Instruction& instruction, std::size_t index) {
  return index < instruction.parts.size() ? std::string_view(instruction.parts[index]) : std::string_view();
}

}  // namespace cudalab::ptx
