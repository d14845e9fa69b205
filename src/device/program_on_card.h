// Runs a program on a GPU, with NVIDIA's own runtime: what it does there is told by Nsight Compute alone.
#pragma once

#include "device/device.h"
#include "device/programs/program_run.h"

namespace cudalab::device {

// `request.on_card` is meant. With `profiled` under Nsight Compute; the outcome then has a log of the kernels
// that were launched and their counters, else one without kernels. Throws Error(kUnavailable) where Nsight
// Compute is missing or may not count.
ProgramOutcome run_on_card(ProgramRequest request, const DeviceInfo& gpu, bool profiled);

}  // namespace cudalab::device
