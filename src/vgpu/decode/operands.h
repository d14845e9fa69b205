// From operands in the text to slots: registers, immediates, special registers, addresses. Where that takes
// code, such as a conversion to another width, it is emitted.
#pragma once

#include <optional>
#include <string>

#include "vgpu/decode/code_buffer.h"
#include "vgpu/decode/declarations.h"

namespace cudalab::vgpu {

// The bits of a literal where a value of the given type is wanted.
std::uint64_t literal_bits(const ptx::Immediate& literal, ptx::Type type);

class Operands {
 public:
  Operands(ModuleContext& module, const ptx::Function& source, Declarations& declarations, CodeBuffer& code,
           FunctionTraits& traits);

  Slot source(const ptx::Operand& operand, ptx::Type type);
  Slot source_register(const std::string& name, ptx::Type type);
  Slot predicate(const std::string& name) const;
  Slot constant(std::uint64_t bits, std::size_t lane_bytes);  // 1, 2, 4 or 8; 0: a predicate
  // Where a result goes. A register wider than the type is filled by a conversion after the instruction.
  Slot result(const ptx::Operand& operand, ptx::Type type);

  SymbolValue symbol(const std::string& name) const;
  Slot address_of(const ptx::Symbol& symbol, std::size_t bytes);
  // The address of an operand in brackets, 64 bits wide; the displacement is not part of it.
  Slot wide_address(const ptx::Address& address);
  // The whole 64-bit address of an operand in brackets; in shared memory the generic one.
  Slot generic_address(const ptx::Address& address, bool in_shared);

 private:
  Slot wide_register(const ptx::Operand& operand) const;
  Slot resized(Slot from, std::size_t from_bytes, ptx::Type type);
  Slot is_set(Slot special);
  Slot clock(const std::string& name, ptx::Type type);
  Slot local_address(std::uint64_t offset, std::size_t bytes);
  Slot dynamic_shared_address(std::uint64_t offset, std::size_t bytes);
  void use_grid_workspace();

  ModuleContext& module_;
  const ptx::Function& source_;
  Declarations& declarations_;
  CodeBuffer& code_;
  FunctionTraits& traits_;
};

}  // namespace cudalab::vgpu
