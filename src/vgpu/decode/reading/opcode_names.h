// What the parts of an opcode's name say, and how an instruction that cannot be decoded is refused.
#pragma once

#include <string>
#include <string_view>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {

// Why an instruction cannot be decoded; collected, so that one error names them all.
struct Unsupported {
  std::string what;  // "opcode `foo.bar`"
};

// A function or variable of which there is a declaration alone.
inline Unsupported defined_elsewhere(const std::string& name) {
  return {"`" + name + "` is neither defined in this file nor built in"};
}

[[noreturn]] inline void unsupported(const ptx::Instruction& instruction) {
  throw Unsupported{"opcode `" + instruction.opcode + "` is not supported"};
}
[[noreturn]] inline void wrong_operands(const ptx::Instruction& instruction) {
  throw Unsupported{"opcode `" + instruction.opcode + "` is not supported with these operands"};
}

using ptx::has_part;
using ptx::is_one_of;
using ptx::part_of;

// Caches are not modelled, and all threads of the grid see memory alike.
inline bool is_cache_hint(std::string_view part) {
  return part.starts_with("L1::") || part.starts_with("L2::") || part.starts_with("level::");
}
inline bool is_scope(std::string_view part) { return is_one_of(part, {"cta", "cluster", "gpu", "sys"}); }

// Whether the last operand is a cache policy, as createpolicy makes it.
inline bool has_cache_policy(const ptx::Instruction& instruction) {
  return has_part(instruction, "L2::cache_hint");
}

}  // namespace cudalab::vgpu
