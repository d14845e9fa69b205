// A GPU's own counters, read by Nsight Compute (ncu), which runs a program and measures each of its kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/counters.h"

namespace cudalab::device {

// Runs the command under ncu and returns the counters of every kernel that it launched, in order: those of
// kCounters that Nsight Compute has. Throws Error(kUnavailable) in one line where ncu is missing, may not
// read the counters or the command fails.
std::vector<Counters> profile(const std::vector<std::string>& command);

// What `ncu --csv --page raw` has written: names, units, then a row a kernel. Lines before the names are
// ncu's messages. Throws Error(kUnavailable) where there are no names.
std::vector<Counters> counters_from_csv(std::string_view text);

}  // namespace cudalab::device
