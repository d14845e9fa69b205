// Reads a GPU's hardware counters with Nsight Compute (ncu), which runs a program and measures each kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.h"

namespace cudalab::device {

// A kernel that a program launched, as reported by Nsight Compute. A dimension that it does not report is 0.
struct ProfiledKernel {
  std::string name;  // "scale(float *, int)"
  Dim3 grid{0, 0, 0}, block{0, 0, 0};
  Counters counters;
};

// The command that runs `command` under ncu. ncu writes its table into `log` and leaves the standard streams
// of the command alone. Throws Error(kUnavailable) if ncu is missing.
std::vector<std::string> under_ncu(const std::vector<std::string>& command, const std::string& log);

// The kernels in such a log, in launch order; empty if the program launched none. Throws Error(kUnavailable)
// if ncu reports that it could not count.
std::vector<ProfiledKernel> kernels_from_log(const std::string& log);

// Runs the command under ncu and returns the counters of each launched kernel in order: those of kCounters
// that Nsight Compute has. Throws a one-line Error(kUnavailable) if ncu is missing, may not read the
// counters, or the command fails.
std::vector<Counters> profile(const std::vector<std::string>& command);

// Parses the output of `ncu --csv --page raw`: names, units, then a row per kernel. Lines before the names
// are messages of ncu. Throws Error(kUnavailable) if there are no names.
std::vector<Counters> counters_from_csv(std::string_view text);

}  // namespace cudalab::device
