// Runs one launch of a kernel on the host's threads.
#pragma once

#include <optional>

#include "core/measurement.h"
#include "vgpu/block.h"

namespace cudalab::vgpu {

// What the card refuses about a launch, before anything runs: fills in what shared memory and clusters it
// gets.
std::optional<Hazard> prepare_launch(Launch& launch);

// `launch` says what to run; the rest of it is filled in here. Results do not depend on `host_threads`.
LaunchResult run_launch(Launch& launch, unsigned host_threads);

}  // namespace cudalab::vgpu
