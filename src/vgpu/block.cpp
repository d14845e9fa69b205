#include "vgpu/block.h"

namespace cudalab::vgpu {

Dim3 thread_of(const Warp& warp, int lane) {
  return position_in(warp.launch->request->block, std::uint64_t{warp.index} * kWarpSize + lane);
}

SourceLine line_of(const Warp& warp, const Inst* inst) { return warp.launch->program->lines[inst->source]; }

Hazard hazard_at(const Inst* inst, const Warp& warp, int lane, HazardKind kind) {
  Hazard hazard;
  hazard.kind = kind;
  hazard.kernel = warp.launch->kernel->symbol;
  hazard.where = line_of(warp, inst);
  hazard.block = warp.block->index;
  hazard.thread = thread_of(warp, lane);
  return hazard;
}

void report_hazard(Block& block, Hazard hazard) {
  for (Hazard& known : block.hazards) {
    if (known.kind != hazard.kind || known.where != hazard.where || known.other != hazard.other ||
        known.buffer != hazard.buffer)
      continue;
    known.occurrences += hazard.occurrences;
    return;
  }
  block.hazards.push_back(std::move(hazard));
}

}  // namespace cudalab::vgpu
