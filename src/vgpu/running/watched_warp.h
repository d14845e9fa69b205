// Executes a turn of a warp that somebody watches.
#pragma once

#include "vgpu/warp_watch.h"

namespace cudalab::vgpu {

// From `inst` on, until the warp cannot go on. Throws what the instructions throw.
void run_watched(const Inst* inst, Warp& warp, WarpWatch& watch);

}  // namespace cudalab::vgpu
