// The context that a module's functions share: symbols, constants, special registers, and declarations of
// functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/module.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// The context that a module's functions share while they are decoded: symbols, constants, special registers,
// lines.

// The meaning of a symbol, wherever in the module it is declared.
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

// The constants of a program, each as 32 equal lanes.
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
  std::uint32_t line_index(const SourceLine& line);
  // If the instruction's line is in an inlined function of the user's file: the line of the call there, else
  // 0.
  std::uint32_t call_line_index(const ptx::Instruction& instruction);
  const Slot* keep(std::vector<Slot> slots);  // valid as long as the program
};

// An instruction that cannot be decoded.
struct RefusedInstruction {
  Message why;       // opcode_unsupported and the like
  SourceLine where;  // in the file "PTX" if the PTX has no line table
};

// Properties of one function, or of all functions that a kernel can reach, that matter to a launch.
struct FunctionTraits {
  bool communicates = false;    // with other blocks, through memory: the order of blocks matters
  bool waits_for_grid = false;  // uses the grid's workspace, like grid.sync()
  bool needs_stack = false;     // in addition to the functions' variables: alloca
  bool launches = false;        // launches other kernels
  bool asks_outside = false;    // results depend on more than arguments and memory: clocks, calls, textures
  bool calls_any = false;       // through pointers: any function whose address is taken
  std::set<int> callees;
  std::vector<RefusedInstruction> unsupported;
  // Kinds of reductions in global memory. If there is only one kind, the result does not depend on the order
  // of blocks.
  std::set<std::string> reductions;
};

// The declarations of a function: locations of its registers in the frame, and meanings of its symbols.

struct RegisterInfo {
  ptx::Type type{};
  std::size_t bytes = 0;  // per lane; 0: predicate
  Slot slot;
};

class Declarations {
 public:
  // Also sets the properties in `code` that callers and launches need.
  Declarations(const ModuleContext& module, const ptx::Function& source, FunctionCode& code);

  Slot allocate(std::size_t bytes);  // allocates more of the frame
  std::uint32_t frame_bytes() const { return frame_bytes_; }
  std::uint64_t parameter_bytes() const { return parameter_bytes_; }  // of a kernel

  std::optional<RegisterInfo> find_register(const std::string& name) const;
  std::vector<NamedRegisters> named_registers() const;            // in no particular order
  const SymbolValue* find_symbol(const std::string& name) const;  // the function's own or the module's
  const CallSlot* find_call_slot(const std::string& name) const;
  // A variable with a size; nullptr if the name means something else.
  const SharedVariable* find_shared_variable(const std::string& name) const;
  // A shared variable's address; for other names 1, which no alignment divides.
  std::uint64_t shared_offset(const std::string& name) const;
  // A predicate for internal use, with a name that PTX cannot have.
  Slot scratch_predicate(const std::string& name);
  Slot scratch_word(const std::string& name);  // the same with 32 bits

  // Expands the bare names of vector registers: `pair` is {pair.x, pair.y}.
  bool has_vectors() const { return !vectors_.empty(); }
  ptx::Instruction with_vectors(ptx::Instruction instruction) const;

 private:
  Slot scratch(const std::string& name, ptx::Type type);
  struct NumberedRegisters {
    RegisterInfo first;
    std::uint32_t count = 0, step = 0;
  };
  void declare_registers();
  void declare_vector(const ptx::RegisterRange& range, const std::string& name);
  void declare_parameters(FunctionCode& code);
  void declare_variables(FunctionCode& code);
  CallSlot declare_blob(const ptx::Variable& variable);

  const ModuleContext& module_;
  const ptx::Function& source_;
  std::unordered_map<std::string, RegisterInfo> registers_;
  std::unordered_map<std::string, NumberedRegisters> numbered_registers_;
  std::unordered_map<std::string, ptx::Vector> vectors_;  // by bare name
  std::unordered_map<std::string, SymbolValue> symbols_;
  std::uint32_t frame_bytes_ = kFirstRegister;
  std::uint64_t parameter_bytes_ = 0;
};

// Decodes one function of a module.

// Names undecodable instructions in FunctionTraits::unsupported; the function then has no code.
FunctionTraits decode_function(ModuleContext& module, const ptx::Function& source, FunctionCode& code);

}  // namespace cudalab::vgpu
