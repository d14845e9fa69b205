// What the source's variables hold while a warp goes on, in code that was compiled with -G: read from where
// its debug information says that they lie, in the lanes that have given them a value.
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
  // Both outlive it.
  VariableWatch(const ptx::Module& text, const std::vector<ptx::DebugFunction>& functions);

  // Where an instruction has just been executed.
  struct Moment {
    const FunctionCode& function;
    std::uint32_t statement = 0;
    const ptx::Instruction& instruction;
    const Frame& frame;
    std::uint32_t call = 0;                     // as WarpStep::call
    std::uint32_t executing = 0;                // lanes
    const std::vector<TracedValue>& values;     // that it shows
    const std::vector<TracedAccess>& accesses;  // that it made
  };
  // To be told of each; adds to `trace` what has changed since the last one that had a trace.
  void look(const Moment& moment, const Warp& warp, WarpTrace* trace);
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
    RegisterPlace at;           // of the register
    std::string name;           // of it
    std::size_t parameter = 0;  // which, of the kernel
    std::uint64_t offset = 0;   // in that, or in the call's local memory
  };
  struct KnownVariable {
    Range scope;
    std::uint32_t first_local = 0;  // in locals_
    const ptx::DebugVariable* source = nullptr;
    std::vector<KnownPlace> places;
  };
  struct KnownFunction {
    std::vector<KnownVariable> variables;
    std::vector<std::uint32_t> next;  // by statement: itself, or the next instruction
  };
  struct Value {
    std::uint32_t lanes = 0;  // that have one
    LaneBits bits{};
  };
  struct Call {
    std::unordered_map<std::string, std::uint32_t> registers;  // lanes that have given it a value
    std::unordered_map<std::uint32_t, Value> shown;            // by the local
  };
  const KnownFunction& known(const FunctionCode& function);
  void add_variables(const FunctionCode& function, const ptx::Function& source,
                     const std::map<std::string, std::uint32_t>& labels, const ptx::DebugFunction& debug,
                     KnownFunction& known);
  std::optional<KnownPlace> place_in(const FunctionCode& function, const ptx::Function& source,
                                     const ptx::DebugPlace& place) const;
  Call& call_of(const Moment& moment, WarpTrace* trace);
  void add_changes(const Moment& moment, const Warp& warp, Call& call, WarpTrace& trace);
  Value read(const Moment& moment, const Warp& warp, const Call& call, const KnownPlace& place,
             const ptx::DebugPart& part) const;

  const ptx::Module& text_;
  std::unordered_map<std::string, const ptx::DebugFunction*> by_label_;
  std::map<const FunctionCode*, KnownFunction> functions_;
  std::vector<TracedLocal> locals_;
  std::uint32_t variables_ = 0;
  std::unordered_map<std::uint32_t, Call> calls_;   // by WarpStep::call
  std::map<std::uint32_t, std::uint32_t> written_;  // lanes that have, by the byte of local memory
  std::optional<std::uint32_t> last_call_;
};

}  // namespace cudalab::vgpu
