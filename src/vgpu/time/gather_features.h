// From what the interpreter counted and traced to what the time model is fed with.
#pragma once

#include <span>
#include <vector>

#include "core/prediction.h"
#include "vgpu/block.h"
#include "vgpu/time/access_trace.h"
#include "vgpu/time/launch_features.h"

namespace cudalab::vgpu {

// `sites` and `counts`: of all host threads together.
LaunchFeatures gather_features(const Launch& launch, const Occupancy& occupancy,
                               std::span<const BasicBlockCount> counts, std::span<const SiteTotals> sites,
                               std::span<AccessTrace* const> traces);

}  // namespace cudalab::vgpu
