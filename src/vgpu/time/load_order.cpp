#include "vgpu/time/load_order.h"

#include <algorithm>

namespace cudalab::vgpu {

std::span<const TimedOp> ops_of(const TimedCode& code, const TimedBasicBlock& basic_block) {
  return std::span(code.ops).subspan(basic_block.first_op, basic_block.ops);
}

std::uint32_t base_of(const TimedCode& code, const TimedOp& op) {
  return op.inputs > 0 ? code.registers[op.first_operand + op.results] : kNoRegister;
}

bool mixes_loads(const TimedCode& code, std::span<const TimedBasicBlock* const> basic_blocks) {
  std::uint8_t stored = 0;
  std::uint32_t base = kNoRegister;
  for (const TimedBasicBlock* basic_block : basic_blocks)
    for (const TimedOp& op : ops_of(code, *basic_block)) {
      if (op.space == 0) continue;
      if (!op.writes && (op.space & stored) && base_of(code, op) != base) return true;
      if (op.writes) stored |= op.space, base = base_of(code, op);
    }
  return false;
}

std::vector<bool> loads_ahead_of_stores(const TimedCode& code, std::size_t sites) {
  std::vector<bool> ahead(sites);
  for (const TimedBasicBlock& basic_block : code.basic_blocks) {
    const TimedBasicBlock* const one[]{&basic_block};
    if (mixes_loads(code, one)) continue;
    const std::span<const TimedOp> ops = ops_of(code, basic_block);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const TimedOp& load = ops[i];
      if (load.space == 0 || load.writes || load.site >= sites) continue;
      const std::span<const TimedOp> before = ops.first(basic_block.is_counted ? ops.size() : i);
      ahead[load.site] = std::ranges::any_of(
          before, [&](const TimedOp& op) { return op.writes && base_of(code, op) == base_of(code, load); });
    }
  }
  return ahead;
}

}  // namespace cudalab::vgpu
