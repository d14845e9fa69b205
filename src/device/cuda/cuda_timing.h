// How long work takes on a GPU: warming up, sampling with events, cold and warm caches.
#pragma once

#include <functional>

#include "device/cuda/cuda_resources.h"
#include "device/device.h"

namespace cudalab::device {

using Work = std::function<void(CUstream)>;  // puts the work on a stream and returns
using Wait = std::function<void(CUevent)>;   // returns when the event has happened; throws where it cannot

// How the runs of a batch get to the GPU. A graph spares the host's cost of each launch, but in a graph the
// driver gives a copy to the copy engine, which reaches two thirds of the bandwidth that the same call has on
// a stream.
enum class Batching { kGraph, kStream };

// Times `work` until the samples agree. What one sample is:
//   warm   As many runs as fill a millisecond, one after the other, between one pair of events; the sample is
//          the time of the batch divided by the runs. In a graph the host's cost of a launch is not in it;
//          the GPU's own pause between two kernels (about a microsecond) is. The caches hold what the run
//          before left there.
//   cold   One run. Before the first event the L2 is overwritten with four times its size; meanwhile the host
//          has queued the run, so that its own cost is not in the sample. The events' cost (one to two
//          microseconds) is.
TimeSummary time_work(const ContextPointer& context, CUstream stream, const Work& work, Batching batching,
                      const TimingPlan& plan, std::size_t l2_bytes, const Wait& wait);

}  // namespace cudalab::device
