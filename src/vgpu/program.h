// A decoded module: the code of its functions, and what the launch must know to run them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/recording.h"
#include "vgpu/bulk_op.h"
#include "vgpu/matrix_product.h"
#include "vgpu/special_registers.h"
#include "vgpu/texture_op.h"
#include "vgpu/timed_code.h"
#include "vgpu/value_step.h"
#include "vgpu/vgpu.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

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
