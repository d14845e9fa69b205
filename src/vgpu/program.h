// A decoded module: the code of its functions, the operands of rare instructions, and what a launch needs to
// run it.
#pragma once

#include <array>
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

// What a bulk copy, or a store that an mbarrier counts, does: decided when it is decoded.

// Combines the elements at `from` with those in memory.
using Reduction = void (*)(std::byte* memory, const std::byte* from, std::size_t bytes);

struct BulkOp {
  bool to_global = false, from_global = false;    // else shared memory
  bool in_groups = false;                         // else an mbarrier counts its bytes
  bool has_ranks = false;                         // .multicast::cluster
  Reduction reduce = nullptr;                     // nullptr: copies
  std::uint32_t elements = 0, element_bytes = 0;  // of st.async and red.async
};

// What a wmma.mma or mma multiplies: decided when it is decoded.

// Types of matrix elements; matrices/elements.h knows more of them.
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
  bool saturates = false;  // integers: the result stays at the limits of s32
  bool ands = false;       // single bits: `and`, else `xor`; the ones are counted
};

// m × k times k × n.
struct ProductShape {
  int m = 0, n = 0, k = 0;
  friend bool operator==(const ProductShape&, const ProductShape&) = default;
};

struct MatrixProduct {
  ProductTypes types;
  ProductShape shape;
};

// An instruction on a texture or a surface, decoded: what does not fit into Inst.

enum class BoundaryMode : std::uint8_t { kTrap, kClamp, kZero };

// Of a texture with several levels: the first, or the one that is asked for.
enum class LevelFrom : std::uint8_t { kFirst, kOperand, kGradients };

struct TextureOp {
  int dimensions = 1;
  bool is_layered = false;
  bool has_float_coordinates = false;
  std::array<Slot, 3> coordinates{};  // 32 bits a lane
  Slot layer{};
  LevelFrom level_from = LevelFrom::kFirst;
  Slot level{};
  std::array<std::array<Slot, 3>, 2> gradients{};  // along x and y of the picture
  std::array<Slot, 4> values{};                    // results of a fetch or read, sources of a write
  int value_count = 0;
  // tld4: the channel that is gathered.
  std::size_t channel = 0;
  // Surfaces: of each value, and what happens beyond the edges.
  std::size_t value_bytes = 4;
  BoundaryMode boundary = BoundaryMode::kTrap;
  std::size_t access_bytes() const { return value_bytes * static_cast<std::size_t>(value_count); }
};

// What txq and suq can ask.
enum class TextureQuery : std::uint8_t { kWidth, kHeight, kDepth, kLayers };

// What an instruction does with values that may be undefined: for the checks, which follow those from where
// they arise (local memory that nobody has written, a lane that takes no part) to where they matter.

struct ValueStep {
  enum class Kind : std::uint8_t {
    kMix,     // each result depends on all sources; without sources it is defined
    kSelect,  // from[0] where the predicate `chooser` holds, else from[1]
    kAnd,     // of predicates: a false one decides
    kOr,      // a true one does
    kLoad,    // of local memory; comes after the instruction
    kStore,   // of from[i] as element i; comes before
    kShuffle,
  };
  Kind kind = Kind::kMix;
  std::vector<Slot> to, from;     // registers; from: Slot{} for a constant
  std::vector<Slot> matters;      // addresses and conditions: here an undefined value does harm
  std::array<bool, 2> negated{};  // of kAnd, kOr
  Slot chooser;                   // of kSelect
  Slot distance, clamp, mask;     // of kShuffle: the operands b and c, and the member mask
  enum class Mode : std::uint8_t { kUp, kDown, kButterfly, kIndex } mode{};
};

// Which lane a shuffle reads (PTX ISA, "shfl.sync").

// For the operands b and c of a lane: the lane that is read, where that is inside the segment; else the lane
// itself.
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

// The read-only registers that tell a thread where it is (PTX ISA, "Special Registers").

// Where a warp is, and what it runs in.
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

// nullptr for a name that is no special register, or one whose value changes while a warp runs (clocks).
const SpecialRegister* find_special_register(std::string_view name);

// The address of the memory in which grid.sync() counts, as cooperative_groups.h asks for it: high and low
// half.
inline constexpr std::string_view kGridWorkspaceHigh = "%envreg1", kGridWorkspaceLow = "%envreg2";

// Where `extern __shared__` memory begins, which depends on the kernel: read like a special register.
inline constexpr std::string_view kDynamicSharedBase = "dynamic shared base";

// Shared memory of the block's own that cooperative_groups.h uses for tiles of several warps: zero when a
// block begins.
inline constexpr std::string_view kReservedShared = "%reserved_smem_offset_1";
inline constexpr std::uint32_t kReservedSharedBytes = 288;  // details/memory.h expects as many

// A decoded module: the code of its functions, and what the launch must know to run them.

struct CallSlot {
  Slot slot;
  std::uint32_t bytes = 0;  // a lane
};

// Registers of a function as its text names them: `.reg .f32 %f<8>` is {"%f", 8}, a single one has count 0.
struct NamedRegisters {
  std::string name;
  std::uint32_t count = 0;
  ptx::Type type{};
  std::uint32_t lane_bytes = 0;  // 0: predicates
  Slot first;
  std::uint32_t step = 0;  // bytes from one to the next
};

// An instruction of the code that stands for none in the text, such as the start of a basic block.
inline constexpr std::uint32_t kNoStatement = ~0u;

struct FunctionCode {
  std::string name;
  bool is_kernel = false;
  std::vector<Inst> code;         // in the order that brings diverged lanes together (control_flow.h)
  std::uint32_t frame_bytes = 0;  // registers of a warp
  std::uint32_t local_bytes = 0;  // .local variables of a thread
  Slot stack_top;                 // of alloca: each lane's first free byte; none where it is not used
  std::vector<CallSlot> parameters, returns;  // of a called function; empty for a kernel
  std::vector<std::uint32_t> statements;      // beside `code`: of ptx::Function::body
  std::vector<NamedRegisters> registers;
  const Inst* entry() const { return code.data(); }
};

struct CallInfo {
  int function = -1;  // -1: indirect, by the address in Inst::a
  int builtin = -1;   // >= 0: one of the functions that the card's run time provides
  std::vector<CallSlot> arguments, results;
};

struct SpecialUse {
  const SpecialRegister* special = nullptr;
  Slot slot;
};

// What a vote, a match or a reduction asks of the lanes of a warp, for pictures.
struct LaneQuestion {
  ExchangeKind kind{};
  Slot value, mask;
  bool is_wide = false;  // the value has 8 bytes; else 4, or, of a vote, it is a predicate
};

// What a basic block consists of, so that counting its executions counts its instructions.
struct BasicBlockInfo {
  enum class End : std::uint8_t { kOther, kBranch, kBarrier };
  std::uint32_t instructions = 0;    // in PTX
  std::uint32_t lane_exchanges = 0;  // of them: shuffles, votes, matches, reductions
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;  // of them: index into Program::lines, how many
  End end = End::kOther;
  std::uint32_t end_line = 0;  // of the branch or barrier
};

struct SharedVariable {
  std::vector<int> kernels;  // that have it, by their functions
  std::string name;
  std::uint32_t offset = 0;
  std::uint64_t bytes = 0;
};

struct KernelCode {
  int function = 0;
  std::uint32_t local_bytes = 0;  // of a thread, with room for what it calls
  bool ordered = false;           // blocks communicate through memory: run them in order
  bool waits_for_grid = false;    // all blocks must be on the card at once
  bool launches = false;          // other kernels
};

inline constexpr std::size_t kGridWorkspaceBytes = 64;

struct Program {
  std::string source_name;        // the CUDA file, as messages name it
  std::vector<SourceLine> lines;  // [0] is "unknown"
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
      0;  // where grid.sync() counts; 0: not used. kGridWorkspaceBytes, zero at launch
  std::size_t card_local_bytes = 0;  // a thread may have at most
  GlobalMemory* memory = nullptr;    // holds the variables
  ~Program();
};

}  // namespace cudalab::vgpu
