// What an operand consists of: itself, or the elements of its vector or pair.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace cudalab::ptx {

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

}  // namespace cudalab::ptx
