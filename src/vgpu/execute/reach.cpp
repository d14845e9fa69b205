#include "vgpu/execute/reach.h"

#include <algorithm>

#include "vgpu/execute/control.h"

namespace cudalab::vgpu {

Reach::Reach(const std::vector<Inst>& code, const Program& program,
             const std::function<bool(const Inst&)>& is_target)
    : code_(code), program_(program), targets_(code.size()), reaches_(code.size() + 1) {
  for (std::size_t i = 0; i < code.size(); ++i) any_ |= targets_[i] = is_target(code[i]);
  for (bool changed = any_; changed;) changed = sweep();
}

// Backwards through the code, which decides all but loops at once.
bool Reach::sweep() {
  bool changed = false;
  for (std::size_t i = code_.size(); i-- > 0;) {
    if (reaches_[i] || !(targets_[i] || leads_there(code_[i]))) continue;
    reaches_[i] = changed = true;
  }
  return changed;
}

bool Reach::leads_there(const Inst& inst) const {
  if (inst.run == control::jump || inst.run == control::call) return from(inst.target);
  if (control::is_branch(inst)) return from(inst.target) || from(inst.fallthrough);
  if (inst.run == control::branch_table) {
    const auto& targets = program_.branch_tables[inst.imm];
    return std::any_of(targets.begin(), targets.end(), [&](const Inst* target) { return from(target); });
  }
  const bool ends =
      inst.run == control::leave || inst.run == control::exit_kernel || inst.run == control::trap;
  return !ends && from(&inst + 1);
}

const Inst* branch_around(const Inst* target, const FunctionCode& function, const Program& program) {
  const Inst* first = function.code.data();
  if (target < first || target >= first + function.code.size()) return nullptr;
  const Reach reach(function.code, program, [&](const Inst& inst) { return &inst == target; });
  for (const Inst* inst = target; inst-- != first;)
    if (control::is_branch(*inst) && !(inst->imm & control::kPassesBy) &&
        reach.from(inst->target) != reach.from(inst->fallthrough))
      return inst;
  return nullptr;
}

namespace {

// A function that is called may hold one.
bool may_be_barrier(const Inst& inst, const Program& program) {
  if (inst.run == control::call) return program.calls[inst.imm].builtin < 0;
  return (inst.run == control::barrier || inst.run == control::barrier_reduce) && inst.b.bits == 0;
}

}  // namespace

void mark_branches_off_barriers(std::vector<Inst>& code, const Program& program) {
  const Reach reach(code, program, [&](const Inst& inst) { return may_be_barrier(inst, program); });
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
