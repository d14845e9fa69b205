#include "vgpu/block.h"

#include "core/text.h"

namespace cudalab::vgpu {

Dim3 block_with_number(const Launch& launch, std::uint64_t number) {
  const Dim3 &grid = launch.request->grid, &shape = launch.cluster;
  const Dim3 clusters{grid.x / shape.x, grid.y / shape.y, grid.z / shape.z};
  const Dim3 cluster = position_in(clusters, number / shape.volume());
  const Dim3 within = position_in(shape, number % shape.volume());
  return {cluster.x * shape.x + within.x, cluster.y * shape.y + within.y, cluster.z * shape.z + within.z};
}

std::uint64_t number_of_block(const Launch& launch, Dim3 block) {
  const Dim3 &grid = launch.request->grid, &shape = launch.cluster;
  const Dim3 clusters{grid.x / shape.x, grid.y / shape.y, grid.z / shape.z};
  const Dim3 cluster{block.x / shape.x, block.y / shape.y, block.z / shape.z};
  const Dim3 within{block.x % shape.x, block.y % shape.y, block.z % shape.z};
  return linear_index(clusters, cluster) * shape.volume() + linear_index(shape, within);
}

Dim3 thread_of(const Warp& warp, int lane) {
  return position_in(warp.launch->request->block, std::uint64_t{warp.index} * kWarpSize + lane);
}

std::string thread_text(const Dim3& thread) { return "thread " + coordinates(thread); }
std::string block_text(const Dim3& block) { return "block " + coordinates(block); }

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
