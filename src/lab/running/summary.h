// Completes a result: the machine, rates, share of the ceiling, speed-ups, the overall verdict, and counters
// of a real GPU.
#pragma once

#include <span>

#include "lab/result.h"

namespace cudalab::lab {

// A GPU's own counters in the rows of a result.

// Gives each row the counters of its launches. `kernels` holds those of every launch, in order, of a run with
// RunSettings::profiled. Throws Error(kUnavailable) where their number is not that of the launches.
void add_profile(Result& result, std::span<const Counters> kernels);

// The frame around the rows of a result: what it was made on, and what follows from the rows together: rates,
// shares of the ceiling, speed-ups and the overall verdict.

struct Machine;

// Without rows, with what it is made on.
Result result_on(const Machine& machine);

// Fills gb_s, gflop_s, percent_of_ceiling and the speed-ups of every row, and the verdict of the whole.
//  - GB/s: 10^9 bytes a second, from the measured time and the bytes that the problem needs.
//  - The ceiling is the fastest row of kind kCeiling or kLibrary: by operations where both it and the row
//    count operations, else by bytes.
//  - A speed-up compares with the fastest CPU version that has one thread, and with the fastest that has all.
//    There is none if one of these versions was disturbed. A note then says that the machine is busy.
//  - The whole passes when a row passed and none failed.
void summarize(Result& result);

}  // namespace cudalab::lab
