// What a function declares: where in its frame its registers lie, and what its symbols stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"
#include "vgpu/decode/module_context.h"

namespace cudalab::vgpu {

struct RegisterInfo {
  ptx::Type type{};
  std::size_t bytes = 0;  // a lane; 0: predicate
  Slot slot;
};

class Declarations {
 public:
  // Also fills in what the function's callers and launches must know.
  Declarations(const ModuleContext& module, const ptx::Function& source, FunctionCode& code);

  Slot allocate(std::size_t bytes);  // more of the frame
  std::uint32_t frame_bytes() const { return frame_bytes_; }
  std::uint64_t parameter_bytes() const { return parameter_bytes_; }  // of a kernel

  std::optional<RegisterInfo> find_register(const std::string& name) const;
  std::vector<NamedRegisters> named_registers() const;            // in no particular order
  const SymbolValue* find_symbol(const std::string& name) const;  // the function's own or the module's
  const CallSlot* find_call_slot(const std::string& name) const;
  // One with a size; nullptr where the name stands for something else.
  const SharedVariable* find_shared_variable(const std::string& name) const;
  // A shared variable's address; 1, which no alignment divides, for what is none.
  std::uint64_t shared_offset(const std::string& name) const;
  // A predicate of the decoder's own, by a name that PTX cannot have.
  Slot scratch_predicate(const std::string& name);
  Slot scratch_word(const std::string& name);  // likewise, of 32 bits

  // With the bare names of vector registers spelt out: `pair` is {pair.x, pair.y}.
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
  std::unordered_map<std::string, ptx::Vector> vectors_;  // by their bare names
  std::unordered_map<std::string, SymbolValue> symbols_;
  std::uint32_t frame_bytes_ = kFirstRegister;
  std::uint64_t parameter_bytes_ = 0;
};

}  // namespace cudalab::vgpu
