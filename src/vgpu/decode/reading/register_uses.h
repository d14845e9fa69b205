// Analyzes the uses of a function's registers, as far as the checks need it.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ptx/module.h"

namespace cudalab::vgpu {

class RegisterUses {
 public:
  explicit RegisterUses(const ptx::Function& function);

  // Whether an instruction other than a store uses the register.
  bool is_computed_with(const ptx::Operand& destination) const;
  // Whether the function does not name the register again.
  bool is_unused(const ptx::Operand& destination) const;
  // Whether an atomic instruction updates the same address: a load from it then belongs to a lock-free
  // algorithm, such as a loop around atomicCAS, and a store to it to a lock.
  bool is_updated_atomically(const ptx::Address& address) const;
  // Whether the loaded value is the expected value of an atom.cas at the same address, even if one of the two
  // instructions uses the variable's name and the other a register. The loop then repeats until no other
  // thread has changed the value in between.
  bool is_expected_by_swap(const ptx::Operand& loaded, const ptx::Address& address) const;

 private:
  // The register or variable of an address and its offset, followed through registers that are set once.
  std::string place_of(const ptx::Address& address) const;

  // Registers that are set once, with the move or addition that sets them; nullptr: another instruction.
  std::unordered_map<std::string, const ptx::Instruction*> set_once_;
  std::unordered_set<std::string> computed_, atomic_addresses_;
  std::unordered_map<std::string, std::unordered_set<std::string>> expected_;  // by address: registers
  std::unordered_map<std::string, int> mentions_;                              // of registers and other names
};

}  // namespace cudalab::vgpu
