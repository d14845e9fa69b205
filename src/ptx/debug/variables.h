// The variables of functions in code compiled with -G, and their locations: a range of labels, and a register
// or bytes of memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace cudalab::ptx {

// One number in a variable: the variable itself, an element or a member.
struct DebugPart {
  std::string name;  // "sum", "acc[1]", "pair.x"
  Type type{};
  std::uint64_t offset = 0;  // bytes from the variable's beginning
};

// A range between two labels of the function. An empty label means the end of the enclosing range.
struct DebugRange {
  std::string begin, end;
};

struct DebugPlace {
  enum Kind : std::uint8_t { kRegister, kMemory };
  Kind kind = kRegister;
  std::string name;          // name of a register or of a PTX variable
  std::uint64_t offset = 0;  // in the register or variable
  DebugRange range;
};

struct DebugVariable {
  std::string name, type;  // "acc", "float[4]"
  int line = 0;            // of the declaration
  DebugRange scope;
  std::vector<DebugPart> parts;  // at most kMostParts
  std::vector<DebugPlace> places;
  bool is_argument = false;  // of the function
};
inline constexpr std::size_t kMostParts = 64;

struct DebugFunction {
  std::string begin;                     // first label of the function
  std::vector<DebugVariable> variables;  // variables of inner blocks follow those of outer blocks
};

// Empty if the text was compiled without -G. Entries that cannot be read are skipped.
std::vector<DebugFunction> debug_functions(std::string_view ptx);

}  // namespace cudalab::ptx
