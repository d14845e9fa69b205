// Operands that the asynchronous instructions share.
#pragma once

#include <optional>

#include "vgpu/decode/function_scope.h"

namespace cudalab::vgpu {

std::optional<std::uint64_t> number_in(const ptx::Operand& operand);

// Throws Unsupported where the operand is no address. `space`: as in the opcode's name; shared memory has
// windows.
Slot address_operand(FunctionScope& scope, const ptx::Instruction& instruction, std::size_t operand,
                     std::string_view space);

// A site that the checks know memory by; its accesses count nothing.
std::uint32_t add_uncounted_site(FunctionScope& scope, SiteKind kind, int bytes);

}  // namespace cudalab::vgpu
