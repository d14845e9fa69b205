// What ptxas makes of a PTX instruction as far as time is concerned, and which loads it moves above stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ptx/module.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

// Which loads the compiler lets go ahead of the stores in front of them.

std::span<const TimedOp> ops_of(const TimedCode& code, const TimedBasicBlock& basic_block);

// The register that the address of an access begins with.
inline constexpr std::uint32_t kNoRegister = ~0u;
std::uint32_t base_of(const TimedCode& code, const TimedOp& op);

// Whether loads from elsewhere stand behind its stores, which may be to what they read: then it leaves all of
// them where they are. (Read off machine code.)
bool mixes_loads(const TimedCode& code, std::span<const TimedBasicBlock* const> basic_blocks);

// By site: loads that go ahead of stores to their own surroundings, and so never miss for what these change.
// In loops that are unrolled, those that the next rounds' loads go ahead of are counted as well.
std::vector<bool> loads_ahead_of_stores(const TimedCode& code, std::size_t sites);

// What ptxas makes of a PTX instruction, as far as its time goes: pure, from the instruction alone.

struct InstructionCost {
  UnitUse use{};  // machine instructions of a warp, by unit
  float latency = 0;
  Source source = Source::kArithmetic;
  bool is_barrier = false;
  bool is_apart = false;  // see TimedOp
  TimedFence fence = TimedFence::kNone;
};

InstructionCost cost_of(const ptx::Instruction& instruction);

}  // namespace cudalab::vgpu
