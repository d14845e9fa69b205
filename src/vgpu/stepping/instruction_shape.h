// What an instruction of the text reads and writes, as far as somebody who looks on wants to see it: which
// memories it accesses by which operands, and whose values are shown.
#pragma once

#include <cstdint>
#include <vector>

#include "core/measurement.h"
#include "ptx/module.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

struct AddressUse {
  std::size_t operand = 0;  // an ptx::Address
  ptx::Space space{};       // kNone: as the address says
  AccessKind kind{};
  std::uint32_t bytes = 0, elements = 1;  // a lane; elements in registers
  std::uint32_t lanes = kAllLanes;        // whose addresses count
};
// None of parameters, which every kernel reads.
std::vector<AddressUse> address_uses(const ptx::Instruction& instruction);

// The registers that it writes; of a store those, and the numbers, that it stores.
std::vector<const ptx::Operand*> shown_operands(const ptx::Instruction& instruction);

bool is_block_barrier(const ptx::Instruction& instruction);  // also of a cluster

// The type that the instruction gives an operand that is no address; kNone where it gives none.
ptx::Type type_of_operand(const ptx::Instruction& instruction, std::size_t operand);

}  // namespace cudalab::vgpu
