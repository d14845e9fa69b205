// Explains a wrong result by following its computation back to where it first differs from that of the
// exercise's solution: another element read, a number of elements, or a value computed from the right ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/access_history.h"
#include "core/dim3.h"
#include "course/reasons/evidence.h"
#include "course/reasons/first_value.h"

namespace cudalab::course {

// Runs both kernels again, and records the instructions of one warp. Empty if that is not possible.
using TraceWarp =
    std::function<std::optional<WarpPair>(std::uint32_t launch, Dim3 block, std::uint32_t warp)>;

// Begins with the first output element that differs, and compares what the threads that wrote it had done
// before. If a value that one of them loaded differs, it continues with the thread that stored it. Empty if
// the two kernels divide the work differently: a difference may then be no mistake. If a thread computes a
// wrong value from the right elements, `trace` shows where.
std::optional<Reason> first_difference(const AccessHistory& found, const AccessHistory& wanted,
                                       const TraceWarp& trace);

}  // namespace cudalab::course
