// What the parts of an opcode's name say, and how an instruction that cannot be decoded is refused.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "ptx/module.h"

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

inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Empty behind the last.
inline std::string_view part_of(const ptx::Instruction& instruction, std::size_t index) {
  return index < instruction.parts.size() ? std::string_view(instruction.parts[index]) : std::string_view();
}

// Caches are not modelled, and all threads of the grid see memory alike.
inline bool is_cache_hint(std::string_view part) {
  return part.starts_with("L1::") || part.starts_with("L2::") || part.starts_with("level::");
}
inline bool is_scope(std::string_view part) { return is_one_of(part, {"cta", "cluster", "gpu", "sys"}); }

// Whether the last operand is a cache policy, as createpolicy makes it.
inline bool has_cache_policy(const ptx::Instruction& instruction) {
  return std::find(instruction.parts.begin(), instruction.parts.end(), "L2::cache_hint") !=
         instruction.parts.end();
}

}  // namespace cudalab::vgpu
