// What a function does with its registers, as far as the checks want to know.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ptx/module.h"

namespace cudalab::vgpu {

class RegisterUses {
 public:
  explicit RegisterUses(const ptx::Function& function);

  // Whether anything but a store takes the register: its value matters.
  bool is_computed_with(const ptx::Operand& destination) const;
  // Whether the function never names the register again.
  bool is_unused(const ptx::Operand& destination) const;
  // Whether an atomic instruction updates the same place: a load there belongs to an algorithm of atomics,
  // such as a loop around atomicCAS, and a store there to a lock.
  bool is_updated_atomically(const ptx::Address& address) const;
  // Whether what a load brings is what an atom.cas at the same place expects there, also where one of the two
  // names the variable and the other a register with its address: the loop tries until nobody came between.
  bool is_expected_by_swap(const ptx::Operand& loaded, const ptx::Address& address) const;

 private:
  // The register or variable that an address is of, and how far from it, through registers that are set once.
  std::string place_of(const ptx::Address& address) const;

  // Registers that are set once, and by what: a move or an addition; nothing: by another instruction.
  std::unordered_map<std::string, const ptx::Instruction*> set_once_;
  std::unordered_set<std::string> computed_, atomic_addresses_;
  std::unordered_map<std::string, std::unordered_set<std::string>> expected_;  // by place: registers
  std::unordered_map<std::string, int> mentions_;                              // of registers and other names
};

}  // namespace cudalab::vgpu
