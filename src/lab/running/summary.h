// Completes a result: the machine, rates, share of the peak, speed-ups, the overall verdict, and counters of
// a real GPU.
#pragma once

#include <span>

#include "lab/result.h"

namespace cudalab::lab {

// Gives each row the counters of its launches. `kernels` holds those of every launch, in order, of a run with
// RunSettings::profiled. Throws Error(kUnavailable) if their number differs from the number of launches.
void add_profile(Result& result, std::span<const Counters> kernels);

struct Machine;

// A result without rows, which describes the machine.
Result result_on(const Machine& machine);

// Fills gb_s, gflop_s, percent_of_ceiling and the speed-ups of every row, and the verdict of the whole.
// - GB/s: 10^9 bytes per second, from the measured time and the minimum bytes of the problem.
// - percent_of_ceiling compares with the fastest row of kind kCeiling or kLibrary: by operations if both rows
//   count operations, else by bytes.
// - A speed-up compares with the fastest CPU version with one thread, and the fastest with all threads. It is
//   empty if one of these versions was disturbed; a note then says that the machine is busy.
// - The result passes if a row passed and none failed.
void summarize(Result& result);

}  // namespace cudalab::lab
