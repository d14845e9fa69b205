#include "vgpu/decode/barrier_exits.h"

#include <algorithm>

#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

// A function that is called may hold one.
bool may_be_barrier(const Inst& inst, const Program& program) {
  if (inst.run == control::call) return program.calls[inst.imm].builtin < 0;
  return (inst.run == control::barrier || inst.run == control::barrier_reduce) && inst.b.bits == 0;
}

class Reach {
 public:
  Reach(const std::vector<Inst>& code, const Program& program)
      : code_(code), program_(program), reaches_(code.size() + 1) {
    for (std::size_t i = 0; i < code.size(); ++i) any_ |= may_be_barrier(code[i], program);
    for (bool changed = any_; changed;) changed = sweep();
  }
  bool any() const { return any_; }
  bool from(const Inst* inst) const { return reaches_[static_cast<std::size_t>(inst - code_.data())]; }

 private:
  // Backwards through the code, which settles all but loops at once.
  bool sweep() {
    bool changed = false;
    for (std::size_t i = code_.size(); i-- > 0;) {
      if (reaches_[i] || !(may_be_barrier(code_[i], program_) || leads_there(code_[i]))) continue;
      reaches_[i] = changed = true;
    }
    return changed;
  }
  bool leads_there(const Inst& inst) const {
    if (inst.run == control::jump || inst.run == control::call) return from(inst.target);
    if (inst.run == control::branch) return from(inst.target) || from(inst.fallthrough);
    if (inst.run == control::branch_table) {
      const auto& targets = program_.branch_tables[inst.imm];
      return std::any_of(targets.begin(), targets.end(), [&](const Inst* target) { return from(target); });
    }
    const bool ends =
        inst.run == control::leave || inst.run == control::exit_kernel || inst.run == control::trap;
    return !ends && from(&inst + 1);
  }

  const std::vector<Inst>& code_;
  const Program& program_;
  std::vector<bool> reaches_;
  bool any_ = false;
};

}  // namespace

void mark_branches_off_barriers(std::vector<Inst>& code, const Program& program) {
  const Reach reach(code, program);
  if (!reach.any()) return;
  for (Inst& inst : code) {
    if (inst.run != control::branch || (inst.imm & control::kPassesBy)) continue;
    const bool taken = reach.from(inst.target), others = reach.from(inst.fallthrough);
    if (taken == others) continue;
    inst.run = control::branch_off_barriers;
    inst.imm |= taken ? 0 : control::kTakenLeave;
  }
}

}  // namespace cudalab::vgpu
