// Runs one launch of a kernel on host threads.
#pragma once

#include <optional>

#include "core/measurement.h"
#include "vgpu/block.h"

namespace cudalab::vgpu {

// Checks a launch as a GPU does before running it, and sets its shared memory and cluster size. Returns the
// hazard if the GPU would reject the launch.
std::optional<Hazard> prepare_launch(Launch& launch);

// `launch` specifies what to run; its other members are set here. Results do not depend on `host_threads`.
LaunchResult run_launch(Launch& launch, unsigned host_threads);

}  // namespace cudalab::vgpu
