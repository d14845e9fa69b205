// Queues work on streams, or adds it to the graph that a stream is captured into; launches kernels.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/runtime.h"

namespace cudalab::runtime {

// Queues the job. Returns null if the stream is captured: nothing runs then.
WorkRef submit(Stream& stream, Job job);

struct KernelLaunch {
  LaunchSpec spec;
  bool is_cooperative = false;
};

// `arguments` as in cudaLaunchKernel: the address of each argument. Throws Failure with the error that CUDA
// returns.
void launch(const KernelRef& kernel, const KernelLaunch& shape, void** arguments, Stream& stream);

// The launch as a job of a graph: its arguments are checked now, and it runs later.
Job kernel_job(const KernelRef& kernel, const KernelLaunch& shape, void** arguments, int device);

}  // namespace cudalab::runtime
