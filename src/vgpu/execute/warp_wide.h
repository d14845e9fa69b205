// Waiting for other lanes of the warp (*.sync, __syncwarp()), and which code can still reach an instruction.
#pragma once

#include <functional>
#include <vector>

#include "vgpu/program.h"

namespace cudalab::vgpu {

// From where in a function's code some of its instructions can be reached.

class Reach {
 public:
  // `code` is complete: its jumps have their targets.
  Reach(const std::vector<Inst>& code, const Program& program,
        const std::function<bool(const Inst&)>& is_target);
  bool any() const { return any_; }
  bool from(const Inst* inst) const { return reaches_[static_cast<std::size_t>(inst - code_.data())]; }

 private:
  bool sweep();
  bool leads_there(const Inst& inst) const;
  const std::vector<Inst>& code_;
  const Program& program_;
  std::vector<bool> targets_, reaches_;
  bool any_ = false;
};

// The branch that stands last before the instruction and has a way that leads around it; or nullptr.
const Inst* branch_around(const Inst* target, const FunctionCode& function, const Program& program);

// Lets the branches that lead some lanes away from all barriers, where others may still reach one, remember
// them.
void mark_branches_off_barriers(std::vector<Inst>& code, const Program& program);

}  // namespace cudalab::vgpu
