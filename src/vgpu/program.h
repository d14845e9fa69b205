// A decoded module: the code of its functions, the operands of rare instructions, and what a launch needs to
// run it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dim3.h"
#include "core/measurement.h"
#include "vgpu/timed_code.h"
#include "vgpu/vgpu.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The operation of a bulk copy, or of a store counted by an mbarrier; determined at decoding.

// Combines the elements at `from` with those in memory.
using Reduction = void (*)(std::byte* memory, const std::byte* from, std::size_t bytes);

struct BulkOp {
  bool to_global = false, from_global = false;    // otherwise shared memory
  bool in_groups = false;                         // otherwise an mbarrier counts its bytes
  bool has_ranks = false;                         // .multicast::cluster
  Reduction reduce = nullptr;                     // nullptr: copies
  std::uint32_t elements = 0, element_bytes = 0;  // for st.async and red.async
};

// The types and shape of a wmma.mma or mma; determined at decoding.

// Types of matrix elements; their properties are in matrices/mma.h.
enum class Element : std::uint8_t {
  kF16,
  kBF16,
  kTF32,
  kE4M3,
  kE5M2,
  kF32,
  kF64,
  kS8,
  kU8,
  kS4,
  kU4,
  kB1,
  kS32
};

struct ProductTypes {
  Element a{}, b{}, c{}, d{};
  bool saturates = false;  // integers: the result is clamped to the range of s32
  bool ands = false;       // single bits are combined by `and`, else by `xor`; the ones are counted
};

// The shape of a matrix multiplication: m × k times k × n.
struct ProductShape {
  int m = 0, n = 0, k = 0;
  friend bool operator==(const ProductShape&, const ProductShape&) = default;
};

struct MatrixProduct {
  ProductTypes types;
  ProductShape shape;
};

// A decoded texture or surface instruction: everything that does not fit into Inst.

enum class BoundaryMode : std::uint8_t { kTrap, kClamp, kZero };

// The level of a mipmapped texture: the first one, or given by an operand or by gradients.
enum class LevelFrom : std::uint8_t { kFirst, kOperand, kGradients };

struct TextureOp {
  int dimensions = 1;
  bool is_layered = false;
  bool is_cube = false;    // three coordinates are a direction; the faces are layers of two dimensions
  bool has_layer = false;  // in the instruction
  bool has_float_coordinates = false;
  std::array<Slot, 3> coordinates{};  // 32 bits per lane
  Slot layer{};
  LevelFrom level_from = LevelFrom::kFirst;
  Slot level{};
  std::array<std::array<Slot, 3>, 2> gradients{};  // in the x and y direction of the screen
  std::array<Slot, 4> values{};                    // results of a fetch or read, sources of a write
  int value_count = 0;
  // tld4: the gathered channel.
  std::size_t channel = 0;
  // Surfaces: size of each value, and behaviour beyond the edges.
  std::size_t value_bytes = 4;
  BoundaryMode boundary = BoundaryMode::kTrap;
  std::size_t coordinate_count() const { return is_cube ? 3 : static_cast<std::size_t>(dimensions); }
  std::size_t access_bytes() const { return value_bytes * static_cast<std::size_t>(value_count); }
};

// Properties that txq and suq can query.
enum class TextureQuery : std::uint8_t { kWidth, kHeight, kDepth, kLayers };

// An instruction's use of values that may be undefined. The checks follow undefined values from their origin
// (unwritten local memory, a shuffle from an inactive lane) to their use.

struct ValueStep {
  enum class Kind : std::uint8_t {
    kMix,     // each result depends on all sources; without sources it is defined
    kSelect,  // from[0] if the predicate `chooser` is true, else from[1]
    kAnd,     // of predicates: one that is false decides the result
    kOr,      // of predicates: one that is true decides the result
    kLoad,    // from local memory; comes after the instruction
    kStore,   // stores from[i] as element i; comes before the instruction
    kShuffle,
  };
  Kind kind = Kind::kMix;
  std::vector<Slot> to, from;     // registers; `from`: Slot{} for a constant
  std::vector<Slot> matters;      // addresses and conditions, in which an undefined value is an error
  std::array<bool, 2> negated{};  // for kAnd, kOr
  Slot chooser;                   // for kSelect
  Slot distance, clamp, mask;     // for kShuffle: the operands b and c, and the member mask
  enum class Mode : std::uint8_t { kUp, kDown, kButterfly, kIndex } mode{};
};

// The source lane of a shuffle (PTX ISA, "shfl.sync").

// For the operands b and c of a lane: the source lane if it is inside the segment; else the lane itself.
inline std::uint32_t source_lane(ValueStep::Mode mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t distance = b & 31, mask = c >> 8 & 31, clamp = c & 31;
  const std::uint32_t last = (lane & mask) | (clamp & ~mask);
  std::uint32_t from = lane;
  switch (mode) {
    case ValueStep::Mode::kUp:
      from = lane - distance;
      return static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last) ? from & 31 : lane;
    case ValueStep::Mode::kDown: from = lane + distance; break;
    case ValueStep::Mode::kButterfly: from = lane ^ distance; break;
    case ValueStep::Mode::kIndex: from = (lane & mask) | (distance & ~mask); break;
  }
  return from <= last ? from & 31 : lane;
}

// Read-only registers that tell a thread its position (PTX ISA, "Special Registers").

// The position of a warp, and the dimensions around it.
struct WarpPosition {
  Dim3 grid, block;
  Dim3 block_index{0, 0, 0};
  Dim3 cluster{1, 1, 1};  // blocks
  bool is_explicit_cluster = false;
  std::uint32_t warp = 0;
  std::uint32_t multiprocessor = 0, multiprocessors = 1;
  std::uint32_t dynamic_shared_bytes = 0, total_shared_bytes = 0;
  std::uint32_t dynamic_shared_base = 0, reserved_shared_base = 0;
  std::uint64_t grid_workspace = 0;
};

enum class Refresh : std::uint8_t { kOncePerLaunch, kEveryBlock };

struct SpecialRegister {
  std::string_view name;
  Refresh refresh{};
  std::uint32_t (*value)(const WarpPosition& position, std::uint32_t lane) = nullptr;
};

// nullptr if the name is no special register, or if its value changes while a warp runs (clocks).
const SpecialRegister* find_special_register(std::string_view name);

// The address of the memory in which grid.sync() counts, for cooperative_groups.h: high and low half.
inline constexpr std::string_view kGridWorkspaceHigh = "%envreg1", kGridWorkspaceLow = "%envreg2";

// The start of `extern __shared__` memory, which depends on the kernel; read like a special register.
inline constexpr std::string_view kDynamicSharedBase = "dynamic shared base";

// Shared memory per block that cooperative_groups.h uses for tiles of several warps: zero when a block
// begins.
inline constexpr std::string_view kReservedShared = "%reserved_smem_offset_1";
inline constexpr std::uint32_t kReservedSharedBytes = 288;  // size expected by details/memory.h

// A decoded module: the code of its functions, and what a launch needs to run it.

struct CallSlot {
  Slot slot;
  std::uint32_t bytes = 0;  // per lane
};

// Registers of a function as its text names them: `.reg .f32 %f<8>` is {"%f", 8}; a single register has count
// 0.
struct NamedRegisters {
  std::string name;
  std::uint32_t count = 0;
  ptx::Type type{};
  std::uint32_t lane_bytes = 0;  // 0: predicates
  Slot first;
  std::uint32_t step = 0;  // bytes from one register to the next
};

// An instruction of the code without counterpart in the text, such as the start of a basic block.
inline constexpr std::uint32_t kNoStatement = ~0u;

struct FunctionCode {
  std::string name;
  bool is_kernel = false;
  std::vector<Inst> code;                     // in the order that reconverges lanes (basic_block_layout.h)
  std::uint32_t frame_bytes = 0;              // registers of a warp
  std::uint32_t local_bytes = 0;              // .local variables of a thread
  Slot stack_top;                             // for alloca: each lane's first free byte; empty if unused
  std::vector<CallSlot> parameters, returns;  // of a called function; empty for a kernel
  std::vector<std::uint32_t> statements;      // parallel to `code`: indices in ptx::Function::body
  // By index in ptx::Function::body, of inlined instructions: the line of the call (an index into
  // Program::lines).
  std::map<std::uint32_t, std::uint32_t> call_lines;
  std::vector<NamedRegisters> registers;
  const Inst* entry() const { return code.data(); }
};

struct CallInfo {
  int function = -1;  // -1: indirect, through the address in Inst::a
  int builtin = -1;   // >= 0: index of a device runtime function
  std::vector<CallSlot> arguments, results;
};

struct SpecialUse {
  const SpecialRegister* special = nullptr;
  Slot slot;
};

// The operands of a vote, match or reduction, for display.
struct LaneQuestion {
  ExchangeKind kind{};
  Slot value, mask;
  bool is_wide = false;  // the value has 8 bytes; else 4, or, for a vote, it is a predicate
};

// The instructions of a basic block, so counting its executions counts its instructions.
struct BasicBlockInfo {
  enum class End : std::uint8_t { kOther, kBranch, kBarrier };
  std::uint32_t instructions = 0;    // in PTX
  std::uint32_t lane_exchanges = 0;  // shuffles, votes, matches, reductions
  // Index into Program::lines, number of instructions.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;
  End end = End::kOther;
  std::uint32_t end_line = 0;  // of the branch or barrier at its end
};

struct SharedVariable {
  std::vector<int> kernels;  // that can access it, as indices of functions
  std::string name;
  std::uint32_t offset = 0;
  std::uint64_t bytes = 0;
};

struct KernelCode {
  int function = 0;
  std::uint32_t local_bytes = 0;  // per thread, including the stack for calls
  bool ordered = false;           // blocks communicate through memory: run them in order
  bool waits_for_grid = false;    // all blocks must be resident on the GPU at once
  bool launches = false;          // launches other kernels
  bool asks_outside = false;      // results depend on more than arguments and memory
};

inline constexpr std::size_t kGridWorkspaceBytes = 64;

inline std::atomic<std::uint64_t> programs_decoded{0};

struct Program {
  std::uint64_t number = ++programs_decoded;  // of no other program
  std::string source_name;                    // the CUDA file, as named in messages
  std::vector<SourceLine> lines;              // [0] is "unknown"
  std::vector<SiteInfo> sites;
  std::vector<BasicBlockInfo> basic_blocks;  // of all functions
  TimedCode timed;
  HostBytes constants;  // the operand file kConstants
  std::uint32_t special_bytes = 0;
  std::vector<SpecialUse> specials;
  std::vector<std::unique_ptr<FunctionCode>> functions;
  std::deque<std::vector<Slot>> slot_lists;
  std::vector<TextureOp> texture_ops;
  std::vector<BulkOp> bulk_ops;
  std::vector<MatrixProduct> products;
  std::vector<CallInfo> calls;
  std::deque<ValueStep> value_steps;
  std::vector<LaneQuestion> lane_questions;
  std::vector<std::vector<const Inst*>> branch_tables;
  std::vector<KernelInfo> kernels;
  std::vector<KernelCode> kernel_code;  // parallel to kernels
  std::vector<SharedVariable> shared_variables;
  std::vector<VariableInfo> variables;

  std::uint64_t grid_workspace =
      0;  // address at which grid.sync() counts; 0: not used. kGridWorkspaceBytes, zero at launch
  std::size_t card_local_bytes = 0;  // maximum local memory per thread
  GlobalMemory* memory = nullptr;    // contains the module's variables
  ~Program();
};

}  // namespace cudalab::vgpu
