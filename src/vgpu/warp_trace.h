// What one warp of a launch did, instruction by instruction, as plain data, and who is told while it runs.
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

namespace cudalab::vgpu {

struct InstructionStart;
struct InstructionEnd;
struct InstructionFault;

// The instrument that hears of each instruction that one warp executes (instrumentation.h). That warp runs in
// a loop of its own, so the others pay nothing. A watcher that has seen enough throws WatchedEnough.
class WarpWatch {
 public:
  WarpWatch(Dim3 block, std::uint32_t warp) : block_(block), warp_(warp) {}
  virtual ~WarpWatch() = default;
  const Dim3& block() const { return block_; }
  std::uint32_t warp() const { return warp_; }

  virtual void on(const InstructionStart& event) = 0;
  virtual void on(const InstructionEnd& event) = 0;
  virtual void on(const InstructionFault& event) = 0;

 private:
  Dim3 block_;
  std::uint32_t warp_;
};

// Ends a launch whose watcher has seen enough.
struct WatchedEnough {};

// What one warp of a launch did, instruction by instruction, as plain data: where it was, which lanes took
// part, what they read and wrote, and what all warps of its block were doing meanwhile.

// One operand of an instruction in all lanes: a register that it wrote or stored, or a number that it stored.
struct TracedValue {
  std::string name;         // "%f3"; as PTX spells it
  ptx::Type type{};         // as the function computes with it; kB32 and the like where nothing tells
  std::uint32_t bytes = 0;  // a lane; 0: a predicate, whose values are 0 and 1
  bool is_number = false;   // stands in the text: `name` is its decimal form
};

// An instruction of the text; a step is one execution of it.
struct TracedInstruction {
  std::string text;      // "ld.global.f32 %f1, [%rd4];"
  std::string function;  // as PTX spells it
  SourceLine where;
  std::vector<SourceLine> inlined_at;  // the lines it was inlined into, from the inside out
  std::vector<TracedValue> values;
};

// What the lanes of an instruction asked of a memory.
struct TracedAccess {
  MemorySpace space{};
  AccessKind kind{};
  std::uint32_t bytes = 0;     // a lane
  std::uint32_t elements = 1;  // that they are
  std::uint32_t lanes = 0;     // that take part
  // Shared and local memory: bytes from its beginning; else the device's address.
  std::array<std::uint64_t, kWarpSize> address{};
  std::string buffer;  // that the first of these lanes reaches: "in", "tile"; empty: none that has a name
  std::uint64_t begin = 0;                     // the buffer's own address
  std::uint32_t transactions = 0, fewest = 0;  // sectors; in shared memory wavefronts; 0 where neither counts
};

struct TracedHazard {
  HazardKind kind{};
  Message what, fix;
};

// What a warp is about while another is looked at.
struct WarpState {
  enum Kind : std::uint8_t { kReady, kAtBarrier, kAtClusterBarrier, kWaitsForLanes, kEnded };
  Kind kind = kReady;
  int barrier = 0;
  std::uint32_t lanes = 0;  // that wait
  friend bool operator==(const WarpState&, const WarpState&) = default;
};

// A number in a variable of the source: all of it, an element, a member. Of code compiled with -G.
struct TracedLocal {
  std::string name, type;  // "acc[1]"; the variable's own, "float[4]"
  ptx::Type value{};
  std::uint32_t variable = 0;  // parts of one share it
};

// What a step has made of one. That which it is in a call of a call comes back with that call.
struct LocalChange {
  std::uint32_t local = 0;  // index into WarpTrace::locals
  std::uint32_t call = 0;   // in which: WarpStep::call
  std::uint32_t lanes = 0;  // that have given it a value; 0: here it is no more
  std::uint32_t value = 0;  // in WarpTrace::values
};

struct WarpStep {
  std::uint64_t number = 0;                      // from the warp's first instruction on
  std::uint32_t instruction = 0;                 // index into WarpTrace::instructions
  std::uint32_t active = 0;                      // lanes that go this way
  std::uint32_t executing = 0;                   // of them, those whose guard holds
  std::uint32_t first_value = 0;                 // in WarpTrace::values, as many as the instruction has
  std::uint32_t first_access = 0, accesses = 0;  // in WarpTrace::accesses
  std::uint32_t first_hazard = 0, hazards = 0;   // in WarpTrace::hazards
  std::uint32_t first_change = 0, changes = 0;   // in WarpTrace::changes
  std::uint32_t call = 0;                        // 0: the kernel itself, 1: what it called
  std::uint32_t state = 0;                       // when it was done: index into WarpTrace::states
  bool parts = false;                            // its lanes go two ways
  bool meets = false;                            // lanes that had parted are together again when it begins
  bool is_barrier = false;                       // of the block, or of its cluster
};

struct TracedVariable {
  std::string name;
  std::uint32_t offset = 0;
  std::uint64_t bytes = 0;
};

struct WarpTrace {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::vector<TracedInstruction> instructions;
  std::vector<WarpStep> steps;                               // those that were asked for
  std::vector<std::array<std::uint64_t, kWarpSize>> values;  // bits
  std::vector<TracedAccess> accesses;
  std::vector<TracedHazard> hazards;
  std::vector<TracedLocal> locals;             // empty where the code was not compiled with -G
  std::vector<LocalChange> changes;            // the first step has all that there is
  std::vector<std::vector<WarpState>> states;  // of the block's warps
  bool ended = false;                          // the last step is the warp's last: it ended, or was stopped
  std::optional<TracedHazard> stopped_by;      // by another's fault, or one that is nobody's step
  std::vector<std::byte> shared;               // the block's shared memory behind the last step
  std::vector<TracedVariable> shared_variables;

  std::uint32_t warps() const {
    return states.empty() ? 0 : static_cast<std::uint32_t>(states.front().size());
  }
  const TracedInstruction& instruction_of(const WarpStep& step) const {
    return instructions[step.instruction];
  }
};

struct TraceRequest {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint64_t first = 0;        // steps before are executed, and not kept
  std::uint64_t most = 1u << 16;  // that are kept
  // What ptx::debug_functions found in the text; null: variables have no names.
  const std::vector<ptx::DebugFunction>* variables = nullptr;
};

}  // namespace cudalab::vgpu
