// The instructions that are not one row of the opcode table: how many operands each takes, what decodes it,
// and where control goes behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/module.h"

namespace cudalab::vgpu {

struct FunctionScope;

using Decode = void (*)(FunctionScope&, const ptx::Instruction&);

struct OperandCount {
  std::uint8_t fewest, most;  // a cache policy not counted
  constexpr OperandCount(int count) : OperandCount(count, count) {}
  constexpr OperandCount(int fewest, int most)
      : fewest(static_cast<std::uint8_t>(fewest)), most(static_cast<std::uint8_t>(most)) {}
};

// What ends a basic block, and what its code goes on with.
enum class Flow : std::uint8_t {
  kOn,             // to the next instruction
  kOnInNextBlock,  // a barrier: paths may wait there
  kOnTogether,  // waits for lanes; with a guard it ends the basic block, as lanes that skip it must not wait
  kBack,        // a call: its target is where the callee returns to
  kToLabels,    // a branch
  kNowhere,     // the function or the kernel ends
};

struct Form {
  std::string_view name;  // the first parts of the opcode
  OperandCount operands;
  Decode decode;
  Flow flow = Flow::kOn;
};

std::span<const Form> all_forms();

// The form with the longest name that the opcode begins with; nullptr where the opcode table alone knows it.
const Form* find_form(const ptx::Instruction& instruction);

// Throws Unsupported.
void check_operand_count(const ptx::Instruction& instruction, OperandCount count);

bool is_branch(const ptx::Instruction& instruction);
bool ends_basic_block(const ptx::Instruction& instruction);
// Whether control may go on behind the instruction that ends a basic block.
bool falls_through(const ptx::Instruction& instruction);

}  // namespace cudalab::vgpu
