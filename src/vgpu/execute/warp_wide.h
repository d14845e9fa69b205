// Warp-wide synchronization (*.sync, __syncwarp()), and which code can still reach an instruction.
#pragma once

#include <functional>
#include <vector>

#include "vgpu/program.h"

namespace cudalab::vgpu {

// Finds from which instructions of a function any of the target instructions can be reached.

class Reach {
 public:
  // `code` must be complete, with the targets of its jumps.
  Reach(const std::vector<Inst>& code, const Program& program,
        const std::function<bool(const Inst&)>& is_target);
  // The same along paths without any instruction for which `stops` holds, except at the target itself.
  Reach(const std::vector<Inst>& code, const Program& program,
        const std::function<bool(const Inst&)>& is_target, std::function<bool(const Inst&)> stops);
  bool any() const { return any_; }
  bool from(const Inst* inst) const { return reaches_[static_cast<std::size_t>(inst - code_.data())]; }

 private:
  bool sweep();
  bool leads_there(const Inst& inst) const;
  const std::vector<Inst>& code_;
  const Program& program_;
  std::function<bool(const Inst&)> stops_;
  std::vector<bool> targets_, reaches_;
  bool any_ = false;
};

// The last branch before the instruction from which a path leads around it; nullptr if there is none.
const Inst* branch_around(const Inst* target, const FunctionCode& function, const Program& program);

// The last branch before the instruction with one side that leads to it and another side that leads to the
// function's end, both without passing this branch again; nullptr if there is none. The back edge of a loop
// before the instruction leads to neither.
const Inst* branch_past(const Inst* target, const FunctionCode& function, const Program& program);

// Converts each branch with one side from which no barrier can be reached, and another side from which one
// can, to branch_off_barriers(), which records the lanes that leave.
void mark_branches_off_barriers(std::vector<Inst>& code, const Program& program);

}  // namespace cudalab::vgpu
