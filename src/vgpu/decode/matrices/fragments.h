// What the matrix instructions of a warp share while they are decoded.
#pragma once

#include <vector>

#include "vgpu/decode/function_scope.h"
#include "vgpu/matrices/elements.h"

namespace cudalab::vgpu {

// All lanes of the warp take part.
void wait_for_whole_warp(FunctionScope& scope);

// The registers of a fragment; all of one type.
void add_fragment(FunctionScope& scope, std::vector<Slot>& slots, const ptx::Instruction& instruction,
                  std::size_t operand, int registers, Element element, bool is_result);

// One a space that a generic address may be in. They count no requests: how the card splits them is not
// known.
std::uint32_t add_fragment_sites(FunctionScope& scope, bool store, int bytes_per_lane);

// `m16n8k16`
std::optional<ProductShape> shape_named(std::string_view name);

// Of an opcode's parts, those that there is no other of.
void leave_out_implied(std::vector<std::string>& parts);

// Keeps the product and adds an instruction that runs it.
void emit_product(FunctionScope& scope, const MatrixProduct& product, std::vector<Slot> slots, Inst made,
                  Handler run);

// Throws Unsupported for a name that is none.
Element element_of(const ptx::Instruction& instruction, std::string_view name);

}  // namespace cudalab::vgpu
