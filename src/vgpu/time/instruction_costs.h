// What ptxas makes of a PTX instruction, as far as its time goes: pure, from the instruction alone.
#pragma once

#include "ptx/module.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

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
