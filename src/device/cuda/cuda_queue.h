// What the parts of the CUDA device share with it: its context and stream, and how it starts, waits and
// times.
#pragma once

#include <functional>

#include "device/cuda/cuda_timing.h"

namespace cudalab::device {

struct CudaQueue {
  ContextPointer context;
  CUstream stream = nullptr;
  std::function<void()> enter;                         // throws once the GPU is lost
  std::function<void(const Launch&, CUstream)> start;  // throws where the launch is refused
  std::function<void(CUevent)> wait;                   // throws where what was before the event failed
  std::function<TimeSummary(const Work&, Batching, const TimingPlan&)> time;
};

}  // namespace cudalab::device
