// alloca, stacksave, stackrestore: memory on a thread's stack whose size is known only while it runs.
#include <algorithm>
#include <bit>

#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {

namespace {

// Each lane's first free byte of the current function's stack.
void use_stack(FunctionScope& scope) {
  scope.traits.needs_stack = true;
  if (scope.result.stack_top.bits == 0)
    scope.result.stack_top = scope.declarations.allocate(kWarpSize * sizeof(std::uint32_t));
}

}  // namespace

// alloca.TYPE d, size{, alignment};   d is an address in local memory
void decode_alloca(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  std::uint64_t alignment = 8;
  if (operands.size() > 2) {
    const auto* literal = std::get_if<ptx::Immediate>(&operands.at(2).value);
    constexpr std::uint64_t kMostAlignment = 1 << 12;
    if (!literal || !std::has_single_bit(literal->bits) || literal->bits > kMostAlignment)
      unsupported(instruction);
    alignment = std::max<std::uint64_t>(literal->bits, 8);
  }
  use_stack(scope);
  const Slot size = scope.operands.source(operands.at(1), ptx::Type::kU64),
             to = scope.operands.result(operands.at(0), ptx::Type::kU64);
  Inst& inst = scope.code.emit(control::stack_allocate);
  inst.a = size;
  inst.d = to;
  inst.imm = alignment;
}

// stacksave.TYPE d
void decode_stack_save(FunctionScope& scope, const ptx::Instruction& instruction) {
  use_stack(scope);
  const Slot to = scope.operands.result(instruction.operands[0], ptx::Type::kU64);
  scope.code.emit(control::stack_save).d = to;
}

// stackrestore.TYPE a
void decode_stack_restore(FunctionScope& scope, const ptx::Instruction& instruction) {
  use_stack(scope);
  const Slot from = scope.operands.source(instruction.operands[0], ptx::Type::kU64);
  scope.code.emit(control::stack_restore).a = from;
}

}  // namespace cudalab::vgpu
