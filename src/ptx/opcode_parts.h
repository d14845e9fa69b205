// What the parts of an opcode's name say: "ld", "global" and "u32" of `ld.global.u32`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "ptx/module.h"

namespace cudalab::ptx {

inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

inline bool has_part(const Instruction& instruction, std::string_view part) {
  return std::ranges::find(instruction.parts, part) != instruction.parts.end();
}

// Empty behind the last.
inline std::string_view part_of(const Instruction& instruction, std::size_t index) {
  return index < instruction.parts.size() ? std::string_view(instruction.parts[index]) : std::string_view();
}

}  // namespace cudalab::ptx
