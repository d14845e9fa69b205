// Tracks the values of source variables while a warp runs, in code compiled with -G: reads them from the
// locations that the debug information specifies, in the lanes that have assigned them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/debug/variables.h"
#include "vgpu/stepping/traced_code.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

class VariableWatch {
 public:
  // Both arguments must outlive the object.
  VariableWatch(const ptx::Module& text, const std::vector<ptx::DebugFunction>& functions);

  // The state after an instruction was executed.
  struct Moment {
    const FunctionCode& function;
    std::uint32_t statement = 0;
    const ptx::Instruction& instruction;
    const Frame& frame;
    std::uint32_t call = 0;                     // as WarpStep::call
    std::uint32_t executing = 0;                // lanes
    const std::vector<TracedValue>& values;     // displayed values
    const std::vector<TracedAccess>& accesses;  // its memory accesses
  };
  // Must be called after each instruction; adds to `trace` the changes since the last call with a trace.
  void look(const Moment& moment, const Warp& warp, WarpTrace* trace);
  // The locations of the locals that had a value in this call and its callers at the last look with a trace.
  std::vector<LocalPlace> places(std::uint32_t call) const;
  std::vector<TracedLocal> take() { return std::move(locals_); }

 private:
  struct Range {
    std::uint32_t begin = 0, end = 0;  // statements
    bool has(std::uint32_t statement) const { return begin <= statement && statement < end; }
  };
  struct KnownPlace {
    enum Kind : std::uint8_t { kRegister, kLocal, kParameter };
    Kind kind = kRegister;
    Range range;
    RegisterPlace at;           // location of the register
    std::string name;           // name of the register
    std::size_t parameter = 0;  // index of the kernel's parameter
    std::uint64_t offset = 0;   // in the parameter, or in the call's local memory
  };
  struct KnownVariable {
    Range scope;
    std::uint32_t first_local = 0;  // index in locals_
    const ptx::DebugVariable* source = nullptr;
    std::vector<KnownPlace> places;
  };
  // The register to which a kernel copies a parameter, or a part of it, before it uses the value.
  struct ParameterCopy {
    std::string name;
    RegisterPlace at;
  };
  using ParameterCopies =
      std::map<std::pair<std::size_t, std::uint64_t>, ParameterCopy>;  // parameter, offset
  struct KnownFunction {
    std::vector<KnownVariable> variables;
    ParameterCopies copies;
    std::vector<std::uint32_t> next;  // by statement: itself, or the next instruction
  };
  struct Value {
    std::uint32_t lanes = 0;  // that have a value
    LaneBits bits{};
    const KnownPlace* place = nullptr;
    std::string in_register;    // empty if the place is in memory
    std::uint64_t address = 0;  // generic, if the place is in local memory
  };
  struct Call {
    std::unordered_map<std::string, std::uint32_t> registers;  // lanes that have assigned it
    std::unordered_map<std::uint32_t, Value> shown;            // by local
  };
  const KnownFunction& known(const FunctionCode& function);
  void add_variables(const FunctionCode& function, const ptx::Function& source,
                     const std::map<std::string, std::uint32_t>& labels, const ptx::DebugFunction& debug,
                     KnownFunction& known);
  std::optional<KnownPlace> place_in(const FunctionCode& function, const ptx::Function& source,
                                     const ptx::DebugPlace& place) const;
  Call& call_of(const Moment& moment, WarpTrace* trace);
  void add_changes(const Moment& moment, const Warp& warp, Call& call, WarpTrace& trace);
  static ParameterCopies copies_in(const FunctionCode& function, const ptx::Function& source);
  Value read(const Moment& moment, const Warp& warp, const Call& call, const KnownPlace& place,
             const ptx::DebugPart& part) const;
  Value read_register(const Moment& moment, const Call& call, const std::string& name,
                      const RegisterPlace& at, std::size_t bytes) const;
  Value read_parameter(const Moment& moment, const Warp& warp, const Call& call, const KnownPlace& place,
                       const ptx::DebugPart& part) const;

  const ptx::Module& text_;
  std::unordered_map<std::string, const ptx::DebugFunction*> by_label_;
  std::map<const FunctionCode*, KnownFunction> functions_;
  std::vector<TracedLocal> locals_;
  std::uint32_t variables_ = 0;
  std::unordered_map<std::uint32_t, Call> calls_;   // by WarpStep::call
  std::map<std::uint32_t, std::uint32_t> written_;  // lanes that have written each byte of local memory
  std::optional<std::uint32_t> last_call_;
};

}  // namespace cudalab::vgpu
