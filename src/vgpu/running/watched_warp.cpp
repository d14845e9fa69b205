#include "vgpu/running/watched_warp.h"

#include "vgpu/block.h"

namespace cudalab::vgpu {

void run_watched(const Inst* inst, Warp& warp, WarpWatch& watch) {
  while (inst) {
    watch.before(inst, warp);
    const Inst* next = nullptr;
    try {
      next = inst->run(inst, warp);
    } catch (const KernelFault& fault) {
      watch.fault(warp, fault.hazard);
      throw;
    }
    watch.after(inst, warp, next);
    inst = next;
  }
}

}  // namespace cudalab::vgpu
