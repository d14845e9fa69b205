// The variables of a source's functions and where code that was compiled with -G keeps them: between which
// labels, in which register, or in which bytes of memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace cudalab::ptx {

// A number in a variable: all of it, an element, a member.
struct DebugPart {
  std::string name;  // "sum", "acc[1]", "pair.x"
  Type type{};
  std::uint64_t offset = 0;  // bytes from the variable's beginning
};

// Labels of the function; empty: as far as what holds the range reaches.
struct DebugRange {
  std::string begin, end;
};

struct DebugPlace {
  enum Kind : std::uint8_t { kRegister, kMemory };
  Kind kind = kRegister;
  std::string name;          // of the register, or of PTX's variable
  std::uint64_t offset = 0;  // in that
  DebugRange range;
};

struct DebugVariable {
  std::string name, type;  // "acc", "float[4]"
  int line = 0;            // that declares it
  DebugRange scope;
  std::vector<DebugPart> parts;  // kMostParts of them, at most
  std::vector<DebugPlace> places;
};
inline constexpr std::size_t kMostParts = 64;

struct DebugFunction {
  std::string begin;                     // its first label
  std::vector<DebugVariable> variables;  // those of inner blocks behind those of outer ones
};

// None where the text was compiled without -G. What cannot be read is left out.
std::vector<DebugFunction> debug_functions(std::string_view ptx);

}  // namespace cudalab::ptx
