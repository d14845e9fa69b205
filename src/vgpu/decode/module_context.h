// What the functions of a module share while they are decoded: symbols, constants, special registers, lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/module.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// What a symbol stands for, wherever in the module it is declared.
struct SymbolValue {
  enum class Kind {
    kGlobalAddress,
    kSharedOffset,
    kDynamicShared,
    kFunction,
    kLocalOffset,
    kParameter,
    kCallSlot
  } kind;
  std::uint64_t value = 0;  // address, offset or function number
  CallSlot slot;            // kCallSlot
};

// The constants of a program: each 32 equal lanes.
class ConstantPool {
 public:
  Slot slot(std::uint64_t bits, std::size_t lane_bytes);  // 1, 2, 4 or 8; 0: a predicate
  HostBytes contents() const;

 private:
  std::map<std::pair<std::uint64_t, std::size_t>, Slot> slots_;
  std::uint32_t size_ = kFirstRegister;
};

struct ModuleContext {
  const ptx::Module* module = nullptr;
  Program* program = nullptr;
  std::string source_name;
  std::unordered_map<std::string, SymbolValue> symbols;  // of the module
  std::map<std::string, Slot, std::less<>> specials;
  ConstantPool constants;
  std::map<std::pair<std::string, int>, std::uint32_t> line_numbers;
  std::set<int> address_taken;  // functions that a call through a pointer may reach

  Slot special_slot(const SpecialRegister& special);
  const SourceLine& line_of_user(const ptx::Instruction& instruction) const;
  std::uint32_t line_index(const ptx::Instruction& instruction);
  const Slot* keep(std::vector<Slot> slots);  // as long as the program is there
};

// What matters to a launch, of one function or of all that a kernel can reach.
struct FunctionTraits {
  bool communicates = false;    // through memory, with other blocks: the order of blocks matters
  bool waits_for_grid = false;  // asks for the grid's workspace, as grid.sync() does
  bool needs_stack = false;     // beyond the variables of the functions: alloca
  bool launches = false;        // other kernels
  bool calls_any = false;       // through pointers: any function whose address is taken
  std::set<int> callees;
  std::vector<std::string> unsupported;  // instructions that cannot be decoded, with their lines
  // Kinds of reductions in global memory. One kind alone gives the same result in any order of blocks.
  std::set<std::string> reductions;
};

}  // namespace cudalab::vgpu
