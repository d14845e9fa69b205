// Instructions that are not single rows of the opcode table: operand counts, name parts, and refusals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "messages/vgpu.h"
#include "ptx/module.h"
#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {

// The meaning of an opcode's name parts, and how undecodable instructions are refused.

// Thrown for an instruction that cannot be decoded. The reasons are collected, and one error names them all.
struct Unsupported {
  Message what;  // opcode_unsupported and the like
};

// The error for a function or variable that is only declared.
inline Unsupported defined_elsewhere(const std::string& name) {
  return {msg::name_defined_elsewhere(Code{name})};
}

[[noreturn]] inline void unsupported(const ptx::Instruction& instruction) {
  throw Unsupported{msg::opcode_unsupported(Code{instruction.opcode})};
}
[[noreturn]] inline void wrong_operands(const ptx::Instruction& instruction) {
  throw Unsupported{msg::opcode_operands_unsupported(Code{instruction.opcode})};
}

using ptx::has_part;
using ptx::is_one_of;
using ptx::part_of;
using ptx::Word;

// A word of an opcode and its meaning.
template <class Value>
struct Meaning {
  Word word;
  Value value;
};

// Caches are not modelled, and all threads of the grid see the same memory.
inline bool is_cache_hint(Word part) {
  const std::string_view text = part.text();
  return text.starts_with("L1::") || text.starts_with("L2::") || text.starts_with("level::");
}
inline bool is_scope(Word part) { return is_one_of(part, {"cta", "cluster", "gpu", "sys"}); }

inline bool is_shared(Word part) { return is_one_of(part, {"shared", "shared::cta", "shared::cluster"}); }

// `v2`, `v4` or `v8`: the number of elements; 1 for another word.
inline int vector_elements(Word part) { return part == "v2" ? 2 : part == "v4" ? 4 : part == "v8" ? 8 : 1; }

// Whether the last operand is a cache policy from createpolicy.
inline bool has_cache_policy(const ptx::Instruction& instruction) {
  return has_part(instruction, "L2::cache_hint");
}

// Instructions that are not one row of the opcode table: number of operands and decoder.

struct FunctionScope;

using Decode = void (*)(FunctionScope&, const ptx::Instruction&);

struct OperandCount {
  std::uint8_t fewest, most;  // without a cache policy
  constexpr OperandCount(int count) : OperandCount(count, count) {}
  constexpr OperandCount(int fewest, int most)
      : fewest(static_cast<std::uint8_t>(fewest)), most(static_cast<std::uint8_t>(most)) {}
};

using ptx::Flow;

struct Form {
  std::string_view name;  // the first parts of the opcode
  OperandCount operands;
  Decode decode;
};

std::span<const Form> all_forms();

// The form with the longest name that the opcode begins with; nullptr if the opcode is only in the opcode
// table.
const Form* find_form(const ptx::Instruction& instruction);

// Throws Unsupported if the count is wrong.
void check_operand_count(const ptx::Instruction& instruction, OperandCount count);

bool is_branch(const ptx::Instruction& instruction);
bool ends_basic_block(const ptx::Instruction& instruction);
// Whether control flow may continue after the instruction that ends a basic block.
bool falls_through(const ptx::Instruction& instruction);

}  // namespace cudalab::vgpu
