// Runs one launch of a kernel on the host's threads.
#pragma once

#include "core/measurement.h"
#include "vgpu/block.h"

namespace cudalab::vgpu {

// `launch` says what to run; the rest of it is filled in here. Results do not depend on `host_threads`.
LaunchResult run_launch(Launch& launch, unsigned host_threads);

}  // namespace cudalab::vgpu
