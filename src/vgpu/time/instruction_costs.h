// The cost of a PTX instruction after ptxas has translated it, and which loads ptxas hoists above stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ptx/module.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

// The loads that the compiler hoists above earlier stores.

std::span<const TimedOp> ops_of(const TimedCode& code, const TimedBasicBlock& basic_block);

// The base register of an access's address.
inline constexpr std::uint32_t kNoRegister = ~0u;
std::uint32_t base_of(const TimedCode& code, const TimedOp& op);

// Whether a load with another base register follows stores that it may alias. Then the compiler hoists no
// load above them. (Read off machine code.)
bool mixes_loads(const TimedCode& code, std::span<const TimedBasicBlock* const> basic_blocks);

// By site: loads hoisted above stores with the same base register, so these stores cannot cause them L1
// misses. In unrolled loops, stores after the load count as well, because the next round's load is hoisted
// above them.
std::vector<bool> loads_ahead_of_stores(const TimedCode& code, std::size_t sites);

// The cost of a PTX instruction, computed from the instruction alone.

struct InstructionCost {
  UnitUse use{};  // machine instructions per warp, by unit
  float latency = 0;
  Source source = Source::kArithmetic;
  bool is_barrier = false;
  bool is_apart = false;  // see TimedOp
  TimedFence fence = TimedFence::kNone;
};

// Empty if the table of costs lacks the opcode.
std::optional<InstructionCost> cost_of(const ptx::Instruction& instruction);

}  // namespace cudalab::vgpu
