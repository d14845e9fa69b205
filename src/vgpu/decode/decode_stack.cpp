// alloca, stacksave, stackrestore: memory on a thread's stack whose size is known only while it runs.
#include <algorithm>
#include <bit>

#include "vgpu/decode/function_decoder.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {

// Each lane's first free byte of the current function's stack.
void FunctionDecoder::use_stack() {
  traits_.needs_stack = true;
  if (code_.stack_top.bits == 0) code_.stack_top = allocate(kWarpSize * sizeof(std::uint32_t));
}

// alloca.TYPE d, size{, alignment};   d is an address in local memory
void FunctionDecoder::decode_alloca(const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (operands.size() < 2) unsupported(instruction);
  std::uint64_t alignment = 8;
  if (operands.size() > 2) {
    const auto* literal = std::get_if<ptx::Immediate>(&operands.at(2).value);
    constexpr std::uint64_t kMostAlignment = 1 << 12;
    if (!literal || !std::has_single_bit(literal->bits) || literal->bits > kMostAlignment)
      unsupported(instruction);
    alignment = std::max<std::uint64_t>(literal->bits, 8);
  }
  use_stack();
  const Slot size = source(operands.at(1), ptx::Type::kU64), to = result(operands.at(0), ptx::Type::kU64);
  Inst& inst = emit(control::stack_allocate);
  inst.a = size;
  inst.d = to;
  inst.imm = alignment;
}

// stacksave.TYPE d;   stackrestore.TYPE a
void FunctionDecoder::decode_stack_mark(const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 1) unsupported(instruction);
  use_stack();
  if (instruction.parts.at(0) == "stacksave") {
    const Slot to = result(instruction.operands.at(0), ptx::Type::kU64);
    emit(control::stack_save).d = to;
  } else {
    const Slot from = source(instruction.operands.at(0), ptx::Type::kU64);
    emit(control::stack_restore).a = from;
  }
}

}  // namespace cudalab::vgpu
