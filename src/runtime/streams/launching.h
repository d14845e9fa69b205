// Queues work on streams, or records it into the graph that a stream is captured into; launches kernels.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/runtime.h"

namespace cudalab::runtime {

// Null where the stream is captured: nothing runs then.
WorkRef submit(Stream& stream, Job job);

struct KernelLaunch {
  LaunchSpec spec;
  bool is_cooperative = false;
};

// `arguments` as cudaLaunchKernel takes them: an address for each parameter. Throws Failure as the card
// answers.
void launch(const KernelRef& kernel, const KernelLaunch& shape, void** arguments, Stream& stream);

// The same as a job for a graph, checked now and run later.
Job kernel_job(const KernelRef& kernel, const KernelLaunch& shape, void** arguments, int device);

}  // namespace cudalab::runtime
