// Runs a whole program on a GPU with NVIDIA's runtime. There, only Nsight Compute can observe it.
#pragma once

#include "device/device.h"
#include "device/programs/program_run.h"

namespace cudalab::device {

// Runs a program for `request.on_card`. With `profiled` it runs under Nsight Compute, and the outcome has a
// log with the launched kernels and their counters. Otherwise the log has no kernels. Throws
// Error(kUnavailable) if Nsight Compute is missing or has no permission to count.
ProgramOutcome run_on_card(ProgramRequest request, const DeviceInfo& gpu, bool profiled);

}  // namespace cudalab::device
