#include "vgpu/counters/atomic_forms.h"

#include <algorithm>

namespace cudalab::vgpu {
namespace {

using Election = AtomicForm::Election;
using MachineInstruction = AtomicForm::Instruction;

bool has_redux(const std::string& operation) {
  static constexpr std::string_view kNames[] = {"min", "max", "and", "or", "xor"};
  return std::find(std::begin(kNames), std::end(kNames), operation) != std::end(kNames);
}

bool is_float_type(ptx::Type type) {
  static constexpr ptx::Type kFloats[] = {ptx::Type::kF16,    ptx::Type::kF16x2, ptx::Type::kBF16,
                                          ptx::Type::kBF16x2, ptx::Type::kF32,   ptx::Type::kF64};
  return std::find(std::begin(kFloats), std::end(kFloats), type) != std::end(kFloats);
}

MachineInstruction machine_instruction_of(const AtomicUse& use, const Uniformity& uniformity) {
  const std::size_t bytes = ptx::info(use.type).bytes;
  const bool swap = use.operation == "cas";
  if (bytes == 2) return swap ? MachineInstruction::kHalfWordSwap : MachineInstruction::kHalfWordLoop;
  if (swap) return MachineInstruction::kSwap;
  if (!use.in_shared) return MachineInstruction::kPlain;
  if (use.operation == "exch") return MachineInstruction::kPlain;
  if (is_float_type(use.type) || bytes > 4) return MachineInstruction::kSwapLoop;
  const bool counts = use.operation == "add" && use.type == ptx::Type::kU32 && !use.wanted;
  return counts && uniformity.constant(*use.value) == 1u ? MachineInstruction::kCountLanes
                                                         : MachineInstruction::kPlain;
}

// REDUX has integers of 32 bits. A value that is the same in all lanes is multiplied by their number; where
// each lane has its own and wants its own sum back, that is a loop of shuffles, for whole warps only.
Election lanes_elected(const AtomicUse& use, const Uniformity& uniformity) {
  if (is_float_type(use.type) || !uniformity.is_uniform(*use.address) ||
      uniformity.is_of_one_thread(use.statement))
    return Election::kNone;
  const bool narrow = ptx::info(use.type).bytes == 4;
  if (use.operation == "add") {
    if (uniformity.is_uniform(*use.value)) return Election::kAlways;
    if (!narrow) return Election::kNone;
    return use.wanted ? Election::kFullWarp : Election::kAlways;
  }
  return narrow && has_redux(use.operation) && !use.wanted ? Election::kAlways : Election::kNone;
}

}  // namespace

AtomicForm form_of(const AtomicUse& use, const Uniformity& uniformity) {
  AtomicForm form;
  form.instruction = machine_instruction_of(use, uniformity);
  if (form.instruction != MachineInstruction::kCountLanes) form.election = lanes_elected(use, uniformity);
  return form;
}

}  // namespace cudalab::vgpu
