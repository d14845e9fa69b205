// The record of what one warp of a launch did, instruction by instruction, as plain data, and the interface
// for watching a warp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "core/measurement.h"
#include "ptx/debug/variables.h"
#include "ptx/module.h"
#include "vgpu/warp_shape.h"

namespace cudalab {

// Interface for watching each instruction that one warp executes. A watched warp runs in its own loop
// (running/block_runner.cpp), so other warps have no overhead.

struct Hazard;
}  // namespace cudalab

namespace cudalab::vgpu {

struct Inst;
struct Warp;

class WarpWatch {
 public:
  WarpWatch(Dim3 block, std::uint32_t warp) : block_(block), warp_(warp) {}
  virtual ~WarpWatch() = default;
  const Dim3& block() const { return block_; }
  std::uint32_t warp() const { return warp_; }
  // Whether the functions below are called for this warp of the block.
  virtual bool watches(std::uint32_t warp) const { return warp == warp_; }

  // Called before and after an instruction; `next` is nullptr if the warp cannot continue. A watcher that
  // needs no more throws WatchedEnough.
  virtual void before(const Inst* inst, Warp& warp) = 0;
  virtual void after(const Inst* inst, Warp& warp, const Inst* next) = 0;
  // Called if the instruction of the last before() has stopped the kernel.
  virtual void fault(Warp& warp, const Hazard& hazard) = 0;

 private:
  Dim3 block_;
  std::uint32_t warp_;
};

// Thrown to end a launch when the watcher needs no more.
struct WatchedEnough {};

// The record of what one warp of a launch did, instruction by instruction, as plain data: its position, the
// active lanes, values read and written, and the state of the other warps of its block.

// One operand of an instruction in all lanes: a register that it wrote or stored, or a constant that it
// stored.
struct TracedValue {
  std::string name;         // "%f3"; as in PTX
  ptx::Type type{};         // as the function uses it; kB32 and the like if unknown
  std::uint32_t bytes = 0;  // per lane; 0: a predicate, whose values are 0 and 1
  bool is_number = false;   // a constant in the text: `name` is its decimal form
};

// An instruction of the text; a step is one execution of it.
struct TracedInstruction {
  std::string text;      // "ld.global.f32 %f1, [%rd4];"
  std::string function;  // as in PTX
  SourceLine where;
  std::vector<SourceLine> inlined_at;  // the lines it was inlined into, innermost first
  std::vector<TracedValue> values;
  std::uint32_t statement = 0;  // position in the function's body
};

// A memory access of an instruction's lanes.
struct TracedAccess {
  MemorySpace space{};
  AccessKind kind{};
  std::uint32_t bytes = 0;     // per lane
  std::uint32_t elements = 1;  // number of elements in them
  std::uint32_t lanes = 0;     // active lanes
  // Shared and local memory: offset from its beginning; else the device address.
  std::array<std::uint64_t, kWarpSize> address{};
  // Name of the buffer that the first active lane accesses: "in", "tile"; empty if it has none.
  std::string buffer;
  std::uint64_t begin = 0;  // the buffer's own address
  // Sectors, or wavefronts for shared memory; 0 in other memory spaces.
  std::uint32_t transactions = 0, fewest = 0;
};

struct TracedHazard {
  HazardKind kind{};
  Message what, fix;
};

// The state of another warp while one is traced.
struct WarpState {
  enum Kind : std::uint8_t { kReady, kAtBarrier, kAtClusterBarrier, kWaitsForLanes, kEnded };
  Kind kind = kReady;
  int barrier = 0;
  std::uint32_t lanes = 0;  // lanes that wait
  friend bool operator==(const WarpState&, const WarpState&) = default;
};

// A scalar in a variable of the source: the variable itself, an element, or a member. Only in code compiled
// with -G.
struct TracedLocal {
  std::string name, type;  // "acc[1]"; type of the whole variable, "float[4]"
  ptx::Type value{};
  std::uint32_t variable = 0;  // equal for all parts of one variable
  bool is_argument = false;    // of the function that it belongs to
};

// A step's change of one local. During a call, the locals of the caller are not changed; they are valid again
// after the call.
struct LocalChange {
  std::uint32_t local = 0;  // index into WarpTrace::locals
  std::uint32_t call = 0;   // the call that it belongs to (WarpStep::call)
  std::uint32_t lanes = 0;  // lanes in which it has a value; 0: it is out of scope
  std::uint32_t value = 0;  // index into WarpTrace::values
};

struct WarpStep {
  std::uint64_t number = 0;       // counted from the warp's first instruction
  std::uint32_t instruction = 0;  // index into WarpTrace::instructions
  std::uint32_t active = 0;       // lanes on this path
  std::uint32_t executing = 0;    // those whose guard is true
  std::uint32_t first_value = 0;  // index into WarpTrace::values, one entry per value of the instruction
  std::uint32_t first_access = 0, accesses = 0;  // range in WarpTrace::accesses
  std::uint32_t first_hazard = 0, hazards = 0;   // range in WarpTrace::hazards
  std::uint32_t first_change = 0, changes = 0;   // range in WarpTrace::changes
  std::uint32_t call = 0;                        // 0: the kernel itself; 1: a function that it called
  std::uint32_t state = 0;                       // afterwards: index into WarpTrace::states
  bool parts = false;                            // its lanes diverge
  bool meets = false;                            // lanes have reconverged before it
  bool is_barrier = false;                       // of the block or its cluster
};

struct TracedVariable {
  std::string name;
  std::uint32_t offset = 0;
  std::uint64_t bytes = 0;
};

// The location of a local of an open call: a register, local memory, or the kernel's parameters.
struct LocalPlace {
  std::uint32_t local = 0;    // index into WarpTrace::locals
  std::uint32_t call = 0;     // as in WarpStep
  std::uint32_t lanes = 0;    // lanes in which it has a value
  std::string in_register;    // "%r5"; empty: memory
  std::uint64_t address = 0;  // generic; of local memory
  bool is_parameter = false;  // in the kernel's parameters, which have no address
};

struct TracedBuffer {
  std::string name;
  std::uint64_t address = 0, bytes = 0;
  bool is_constant = false;
};

// The state that the warp finds before a step, after the changes that belong to the step.
struct WarpView {
  std::uint32_t call = 0;                      // of the warp, as in WarpStep
  std::vector<std::byte> shared;               // of the block
  std::vector<TracedBuffer> buffers;           // of global and constant memory
  std::vector<std::vector<std::byte>> memory;  // the readable beginning of each requested range
  std::vector<LocalPlace> places;
};

// An instruction of the module, executed or not. It has no values.
struct ListedInstruction {
  TracedInstruction code;
  std::string label;  // of the statement before it; empty if that is none
};

struct WarpTrace {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::vector<TracedInstruction> instructions;
  std::vector<WarpStep> steps;                               // the requested ones
  std::vector<std::array<std::uint64_t, kWarpSize>> values;  // bits
  std::vector<TracedAccess> accesses;
  std::vector<TracedHazard> hazards;
  std::vector<TracedLocal> locals;             // empty if the code was not compiled with -G
  std::vector<LocalChange> changes;            // the first step contains all current values
  std::vector<std::vector<WarpState>> states;  // of the block's warps
  bool ended = false;                      // the last step is the warp's last: the warp ended or was stopped
  std::optional<TracedHazard> stopped_by;  // a fault of another warp, or one that belongs to no step
  std::vector<std::byte> shared;           // the block's shared memory after the last step
  std::vector<TracedVariable> shared_variables;
  std::optional<WarpView> view;            // if requested and reached
  std::vector<ListedInstruction> listing;  // if requested

  std::uint32_t warps() const {
    return states.empty() ? 0 : static_cast<std::uint32_t>(states.front().size());
  }
  const TracedInstruction& instruction_of(const WarpStep& step) const {
    return instructions[step.instruction];
  }
};

// A change of the warp's state by a debugger.
struct TraceChange {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint64_t step = 0;     // the change happens before this step of the warp
  std::uint32_t lane = 0;     // of a register or of local memory
  std::string in_register;    // of the function in `call`; empty: memory
  std::uint32_t call = 0;     // as in WarpStep
  std::uint64_t address = 0;  // generic
  std::vector<std::byte> bytes;
};

struct MemoryRange {
  std::uint64_t address = 0;  // generic
  std::uint64_t bytes = 0;
  std::uint32_t lane = 0;  // of local memory
};

struct TraceRequest {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint64_t first = 0;        // earlier steps are executed but not kept
  std::uint64_t most = 1u << 16;  // maximum number of kept steps
  // The result of ptx::debug_functions for the text; nullptr: variables have no names.
  const std::vector<ptx::DebugFunction>* variables = nullptr;
  std::vector<TraceChange> changes = {};      // those of other blocks are ignored
  std::optional<std::uint64_t> view_at = {};  // the step before which WarpTrace::view is taken
  std::vector<MemoryRange> view_ranges = {};  // memory that the view contains
  bool lists_module = false;                  // whether WarpTrace::listing is wanted
};

}  // namespace cudalab::vgpu
