// The frame around the rows of a result: what it was made on, and what follows from the rows together: rates,
// shares of the ceiling, speed-ups and the overall verdict.
#pragma once

#include "lab/result.h"

namespace cudalab::lab {

struct Machine;

// Without rows, with what it is made on.
Result result_on(const Machine& machine);

// Fills gb_s, gflop_s, percent_of_ceiling and the speed-ups of every row, and the verdict of the whole.
//  - GB/s: 10^9 bytes a second, from the median time and the bytes that the problem needs.
//  - The ceiling is the fastest row of kind kCeiling or kLibrary: by operations where both it and the row
//    count operations, else by bytes.
//  - A speed-up compares with the fastest CPU version that has one thread, and with the fastest that has all.
//  - The whole passes when a row passed and none failed.
void summarize(Result& result);

}  // namespace cudalab::lab
